#pragma once

#include "core/loading/local_values.h"
#include "core/inference/placed_contents.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// What one rank has of a tensor, and its places in the groups of the axes.
struct LocalPart {
  int rank = 0;
  Elements elements;
  std::vector<std::size_t> places = {};
};

// Placements with the slices that they give the ranks.
struct SliceCandidate {
  std::vector<Placement> placements;
  std::vector<Extents> offsets = {};  // by index of the rank
  int disagreements = 0;              // with inferred placements
  std::size_t matches = 0;            // ranks that have the values
};

// Finds the slices of a whole tensor that the ranks have.
class SliceComparison {
 public:
  // The references must outlive this object. `unit`: see BoxSearch.
  SliceComparison(const std::vector<LocalPart>& locals, const Elements& whole, std::size_t axes,
                  double unit)
      : locals_(locals), whole_(whole), axes_(axes), search_(whole, unit) {}

  // Returns the placements that fit the shapes, agree with most of `inferred`, and have the values
  // of the most ranks, in this order; nullopt if none fit the shapes. Requires parts with the
  // dimensions of the whole tensor.
  std::optional<SliceCandidate> best(const std::vector<InferredPlacement>& inferred);
  // Returns a sentence for each rank that does not have the values of its slice. `name`: of the
  // whole tensor.
  std::vector<std::string> problemsOf(const std::string& name, const SliceCandidate& found);
  bool hasAnySlice();  // a rank has the values of some slice

 private:
  void judge(const std::vector<int>& dims, const std::vector<std::size_t>& order,
             const std::vector<InferredPlacement>& inferred, std::optional<SliceCandidate>& best);
  std::optional<Extents> offsetsOf(std::size_t rank, const std::vector<int>& dims,
                                   const std::vector<std::size_t>& order) const;
  std::string ownerOf(const Extents& offsets, const SliceCandidate& found, std::size_t rank) const;

  const std::vector<LocalPart>& locals_;
  const Elements& whole_;
  std::size_t axes_;
  BoxSearch search_;
};

}  // namespace shardlens
