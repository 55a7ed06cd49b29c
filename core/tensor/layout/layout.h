#pragma once

#include "core/model/event.h"
#include "core/model/spec.h"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace shardlens {

// A spec that the runtime has interned, with the shapes it gives to the hosted ranks and its id in
// the recording. Two tensors of one runtime have equal specs exactly if their layouts are the same
// object. Comparing layouts and using them as cache keys therefore costs a pointer comparison.
struct Layout {
  Spec spec;
  std::vector<Shape> localShapes;        // one per hosted rank
  mutable SpecId record = 0;             // id of the spec in the recording; 0 until recorded
  mutable std::uint32_t recordedIn = 0;  // see Recorder::recording()
};
using LayoutPtr = std::shared_ptr<const Layout>;

// A table that interns layouts. Has weak references, so a layout lives as long as a tensor or cache
// entry uses it. Not thread-safe.
class LayoutTable {
 public:
  explicit LayoutTable(std::vector<int> hosted) : hosted_(std::move(hosted)) {}

  // Returns the layout of a spec, or creates it.
  LayoutPtr of(const Spec& spec);

 private:
  using Table = std::unordered_multimap<std::size_t, std::weak_ptr<const Layout>>;

  void dropUnused();

  std::vector<int> hosted_;
  Table table_;
  std::size_t sweepAt_ = 64;
};

}  // namespace shardlens
