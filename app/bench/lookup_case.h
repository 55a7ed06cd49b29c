#pragma once

#include "core/comm/communicator.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardlens {

class Runtime;

enum class Replicas { Shared, Apart };

// A table whose rows are cut over four simulated ranks, ids that all of them have, and everything
// that is measured on them. What is done into memory that is there already finds it warm; what not
// all measurements need is made when it is first asked for.
class LookupCase {
 public:
  static constexpr int kRanks = 4;
  struct Size {
    std::int64_t rows, width, ids;
    std::string text() const;
  };

  explicit LookupCase(Size size);

  const Size& size() const { return size_; }

  // Names of the calls below that are ours, and one of them: what a loop can be made of.
  static std::vector<std::string> names();
  void call(const std::string& name);

  // On sharded tensors. Apart: every rank gets to write on what it received.
  void lookup(Replicas replicas) const;
  void gradient();

  // On plain ones, as if there were one rank.
  void plainLookup();
  void plainGradient();

  // What each rank does to its ids and rows, as DTensor's operators and as our kernel.
  void atenPasses() const;
  void fusedPass();

  // Our kernels alone, of the whole table.
  void denseGradient();
  void touchedRows();

 private:
  struct Shard {
    std::int64_t begin;
    at::Tensor rows;
  };

  const at::Tensor& upstream();

  Size size_;
  std::shared_ptr<Runtime> runtime_;
  at::Tensor ids_, upstream_, plainTable_;
  std::vector<Shard> shards_;
  at::Tensor table_, replicatedIds_;             // sharded
  at::Tensor leaf_, reduced_, reducedUpstream_;  // sharded, and with a graph
  Buffers partials_;
  at::Tensor dense_, touched_, values_, slots_;
};

}  // namespace shardlens
