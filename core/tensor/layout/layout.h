#pragma once

#include "core/model/event.h"
#include "core/model/spec.h"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace shardlens {

// How the tensors of one spec lie on the hosted ranks. A runtime makes each layout once: two of its
// tensors lie alike exactly where their layouts are one object, so that to compare them, to make a
// key of them and to wrap a result costs no more than a pointer.
struct Layout {
  Spec spec;
  std::vector<Shape> localShapes;  // of each hosted rank
  mutable SpecId record = 0;       // what the runtime's recorder calls the spec; 0 until it does
  mutable std::uint32_t recordedIn = 0;  // see Recorder::recording()
};
using LayoutPtr = std::shared_ptr<const Layout>;

// The layouts that are in use, for one thread at a time.
class LayoutTable {
 public:
  explicit LayoutTable(std::vector<int> hosted) : hosted_(std::move(hosted)) {}

  LayoutPtr of(const Spec& spec);

 private:
  using Table = std::unordered_multimap<std::size_t, std::weak_ptr<const Layout>>;

  void dropUnused();

  std::vector<int> hosted_;
  Table table_;
  std::size_t sweepAt_ = 64;
};

}  // namespace shardlens
