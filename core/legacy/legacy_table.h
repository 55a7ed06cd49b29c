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

// The options that both of PyTorch's operators on a ShardedTensor take. A negative padding index
// counts from the end.
struct LegacyOptions {
  std::optional<std::int64_t> paddingIdx = std::nullopt;
  std::optional<double> maxNorm = std::nullopt;
  double normType = 2;
  bool scaleGradByFreq = false;
  bool sparse = false;
};

// The data movement of a lookup in a ShardedTensor. The table has one chunk of rows or columns per
// rank, in any order of ranks. The ids are replicated, or one chunk per rank. The local lookup
// itself is up to the caller.
class LegacyTable {
 public:
  // Throws Refusal, in the words of PyTorch's operators and before anything is sent, for arguments
  // that they refuse. `module` is the name in messages: "nn.Embedding". Collective.
  LegacyTable(const std::string& module, const at::Tensor& weight, const at::Tensor& ids,
              const LegacyOptions& options);

  const at::Tensor& weight() const { return weight_; }
  Runtime& runtime() const { return *runtime_; }
  // Returns a span that records local computation as long as it lives.
  ComputeSpan computing(const std::string& name) const;
  bool rowWise() const { return dim_ == 0; }
  bool idsSharded() const { return idsSharded_; }
  // Returns the number of hosted ranks. An index `i` below counts them.
  std::size_t hosted() const { return hosted_->size(); }
  // Returns the i-th hosted rank's chunk of the table.
  const at::Tensor& local(std::size_t i) const;
  // Returns the rows of the table that the i-th hosted rank looks up in: its chunk, or all rows if
  // columns are sharded.
  Chunk rows(std::size_t i) const;
  // Returns the i-th hosted rank's part of n items that are sharded like the ids; all if these are
  // replicated.
  Chunk ownPart(std::int64_t n, std::size_t i) const;

  // Redistributes a tensor to Replicate and returns the locals. Collective.
  Buffers gathered(const at::Tensor& tensor) const;
  // Renormalises the table's rows of all these ids in place, as embedding_renorm_ does.
  // `gatheredIds` are the results of gathered(ids). Collective.
  void renorm(const at::Tensor& ids, const Buffers& gatheredIds, double maxNorm,
              double normType) const;

  // Combines the ranks' lookups of all ids into each rank's result: reduces rows with `op`, or
  // exchanges columns. Collective. The buffers of `lookedUp` may be overwritten.
  Buffers collected(const Buffers& lookedUp, ReduceOp op = ReduceOp::Sum) const;
  // Wraps the results: sharded like the ids, on the ids' runtime.
  at::Tensor result(Shape shape, Buffers locals) const;
  // Returns, from the gradient of a result, the gradient of each rank's lookup. Collective.
  Buffers spread(const at::Tensor& gradient) const;
  // Wraps the gradients of the ranks' chunks as the gradient of the table.
  at::Tensor tableGradient(Buffers locals) const;

 private:
  Chunk columns(int rank) const;
  Chunk partOf(std::int64_t n, std::size_t member) const;
  bool alone() const;
  BufferLists idParts(const Buffers& buffers) const;
  BufferLists columnParts(const Buffers& buffers) const;

  at::Tensor weight_;
  std::shared_ptr<Runtime> runtime_;  // the ids' runtime
  const std::vector<int>* hosted_ = nullptr;
  std::vector<int> members_;  // the ranks, in the order of their chunks of the ids
  int dim_ = 0;               // the table's sharded dimension
  bool idsSharded_ = false;
};

// A lookup in a LegacyTable and its gradient. Both run below autograd. run() is called once;
// gradientOfTable() afterwards, on each backward, with the gradient of the result.
class LegacyOperator : public torch::CustomClassHolder {
 public:
  virtual at::Tensor run() = 0;
  virtual at::Tensor gradientOfTable(const at::Tensor& gradient) = 0;
};

// Runs the lookup as an autograd function of `weight`, which retains `op`, and records it under
// `name`. Throws Refusal as op->run() does.
at::Tensor runLegacy(const std::string& name, const at::Tensor& weight, const at::Tensor& ids,
                     c10::intrusive_ptr<LegacyOperator> op);

}  // namespace shardlens
