#pragma once

#include "core/comm/communicator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

class Runtime;

// How the ranks receive a replicated result: as one shared tensor, or each as a writable copy.
enum class Replicas { Shared, Apart };

// A float32 table sharded by rows over four simulated ranks, replicated ids, and the calls that are
// measured on them. Calls of kernels write into the same buffers each time, so this memory is warm.
// Tensors that only some calls need are made at their first call.
class LookupCase {
 public:
  static constexpr int kRanks = 4;
  struct Size {
    std::int64_t rows, width, ids;  // ids: their number
    std::string text() const;       // "100000 x 128, 4096 ids"
  };

  explicit LookupCase(Size size);

  const Size& size() const { return size_; }

  // Returns the names of those calls below that run code of Shardlens. call() makes one of them; it
  // throws std::out_of_range for other names.
  static std::vector<std::string> names();
  void call(const std::string& name);

  // Looks the ids up in the sharded table and redistributes the result to R.
  void lookup(Replicas replicas) const;
  // Computes the gradient of the table in that lookup; the first call also builds the graph.
  void gradient();

  // The same on plain tensors, as on one rank.
  void plainLookup();
  void plainGradient();

  // The local work of all four ranks: mask, look up, zero. As ATen operators, and as one kernel.
  void atenPasses() const;
  void fusedPass();

  // The kernel of the gradient alone, for the whole table.
  void denseGradient();

 private:
  struct Shard {
    std::int64_t begin;
    at::Tensor rows;
  };

  const at::Tensor& upstream();

  Size size_;
  std::shared_ptr<Runtime> runtime_;
  at::Tensor ids_, upstream_, plainTable_;       // plain
  std::vector<Shard> shards_;                    // by rank
  at::Tensor table_, replicatedIds_;             // sharded
  at::Tensor leaf_, reduced_, reducedUpstream_;  // sharded, with an autograd graph
  Buffers partials_;                             // results of fusedPass(), by rank
  at::Tensor dense_;                             // result of denseGradient()
};

}  // namespace shardlens
