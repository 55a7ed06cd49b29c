#pragma once

#include "core/comm/communicator.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/events/compute_span.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <optional>
#include <string>

namespace shardlens {

class Runtime;

// What PyTorch's operators on a ShardedTensor both take. A padding index may count from the end.
struct LegacyOptions {
  std::optional<std::int64_t> paddingIdx = std::nullopt;
  std::optional<double> maxNorm = std::nullopt;
  double normType = 2;
  bool scaleGradByFreq = false;
  bool sparse = false;
};

// A table as a ShardedTensor had it, a chunk of its rows or of its columns a rank and the ranks in
// any order, and the ids that are looked up in it: all on every rank, or a chunk a rank. Knows who
// needs what of whom; what a rank looks up is none of its business.
class LegacyTable {
 public:
  // Refuses what those operators refuse, in their words, before anything is sent. The name is that
  // of their module, "nn.Embedding".
  LegacyTable(const std::string& module, const at::Tensor& weight, const at::Tensor& ids,
              const LegacyOptions& options);

  const at::Tensor& weight() const { return weight_; }
  Runtime& runtime() const { return *runtime_; }
  // For the recording: ranks compute by themselves, as long as it lives.
  ComputeSpan computing(const std::string& name) const;
  bool rowWise() const { return dim_ == 0; }
  bool idsSharded() const { return idsSharded_; }
  std::size_t hosted() const { return hosted_->size(); }
  const at::Tensor& local(std::size_t i) const;
  // Which rows of the whole table the i-th hosted rank looks up in: its own, or all.
  Chunk rows(std::size_t i) const;
  // Of n things that are cut as the ids are, those of the i-th hosted rank.
  Chunk ownPart(std::int64_t n, std::size_t i) const;

  // Whatever lies as the ids do, or replicated, as a whole for each hosted rank.
  Buffers gathered(const at::Tensor& tensor) const;
  // Shrinks the rows of all these ids in place, as embedding_renorm_ does.
  void renorm(const at::Tensor& ids, const Buffers& gatheredIds, double maxNorm,
              double normType) const;

  // From what ranks looked up for all ids, in their rows or columns, what each is to have.
  Buffers collected(const Buffers& lookedUp, ReduceOp op = ReduceOp::Sum) const;
  at::Tensor result(Shape shape, Buffers locals) const;
  // The way back: from the gradient of a result that of what each rank looked up.
  Buffers spread(const at::Tensor& gradient) const;
  // The gradient of the table, of those that its ranks have.
  at::Tensor tableGradient(Buffers locals) const;

 private:
  Chunk columns(int rank) const;
  Chunk partOf(std::int64_t n, std::size_t member) const;
  bool alone() const;
  BufferLists idParts(const Buffers& buffers) const;
  BufferLists columnParts(const Buffers& buffers) const;

  at::Tensor weight_;
  std::shared_ptr<Runtime> runtime_;  // of the ids
  const std::vector<int>* hosted_ = nullptr;
  std::vector<int> members_;  // the ranks, in the order in which they hold the ids
  int dim_ = 0;               // of the table that is cut
  bool idsSharded_ = false;
};

// A lookup in such a table and its gradient, both below autograd.
class LegacyOperator : public torch::CustomClassHolder {
 public:
  virtual at::Tensor run() = 0;
  virtual at::Tensor gradientOfTable(const at::Tensor& gradient) = 0;
};

// Runs it, and lets autograd know of it.
at::Tensor runLegacy(const std::string& name, const at::Tensor& weight, const at::Tensor& ids,
                     c10::intrusive_ptr<LegacyOperator> op);

}  // namespace shardlens
