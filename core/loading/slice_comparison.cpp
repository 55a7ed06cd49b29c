#include "core/loading/slice_comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace shardlens {
namespace {

// Calls visit(choice) for each choice of a number from -1 to `dims` - 1 for each axis.
template <class Visit>
void forEachChoice(std::size_t axes, int dims, const Visit& visit) {
  std::vector<int> choice(axes, -1);
  for (;;) {
    visit(choice);
    std::size_t axis = 0;
    while (axis < axes && ++choice[axis] == dims) choice[axis++] = -1;
    if (axis == axes) return;
  }
}

// Returns whether ranks at these places differ only along axes that shard `dim`, and whether the
// first one is before the other then. `order` has the axes, the outermost first.
std::pair<bool, bool> relationOf(const std::vector<std::size_t>& a,
                                 const std::vector<std::size_t>& b, int dim,
                                 const std::vector<int>& dims,
                                 const std::vector<std::size_t>& order) {
  bool isBeside = true;
  std::optional<bool> isBefore;
  for (const auto axis : order) {
    if (a[axis] == b[axis]) continue;
    isBeside &= dims[axis] == dim;
    if (!isBefore) isBefore = a[axis] < b[axis];
  }
  return {isBeside, isBefore.value_or(false)};
}

}  // namespace

std::optional<SliceCandidate> SliceComparison::best(
    const std::vector<InferredPlacement>& inferred) {
  std::optional<SliceCandidate> best;
  std::vector<std::size_t> order(axes_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    forEachChoice(axes_, static_cast<int>(whole_.shape.size()),
                  [&](const std::vector<int>& dims) { judge(dims, order, inferred, best); });
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<std::string> SliceComparison::problemsOf(const std::string& name,
                                                     const SliceCandidate& found) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    const auto& [rank, elements, places] = locals_[i];
    const auto element = search_.firstDifference(elements, found.offsets[i]);
    if (!element) continue;
    const auto box = boxText({found.offsets[i], elements.shape});
    if (const auto elsewhere = search_.find(elements)) {
      problems.push_back(fmt::format("rank {} has {}{} of the checkpoint{}, expected {}", rank,
                                     name, boxText({*elsewhere, elements.shape}),
                                     ownerOf(*elsewhere, found, i), box));
      continue;
    }
    problems.push_back(fmt::format(
        "{}: rank {} has {} at local element {}, but the checkpoint has {} there, in {}", name,
        rank, elements.values[static_cast<std::size_t>(*element)], *element,
        search_.at(elements.shape, found.offsets[i], *element), box));
  }
  return problems;
}

bool SliceComparison::hasAnySlice() {
  return std::any_of(locals_.begin(), locals_.end(), [&](const LocalPart& local) {
    return search_.find(local.elements).has_value();
  });
}

// Replaces `best` if placements by these dimensions, with the axes in this order, are better.
void SliceComparison::judge(const std::vector<int>& dims, const std::vector<std::size_t>& order,
                            const std::vector<InferredPlacement>& inferred,
                            std::optional<SliceCandidate>& best) {
  SliceCandidate candidate;
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    candidate.placements.push_back(dims[axis] < 0 ? Placement(Replicate{})
                                                  : Placement(Shard{dims[axis]}));
    const auto& known = inferred[axis].placement;
    candidate.disagreements += known && *known != candidate.placements.back() ? 1 : 0;
  }
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    auto offsets = offsetsOf(i, dims, order);
    if (!offsets) return;
    candidate.matches += search_.firstDifference(locals_[i].elements, *offsets) ? 0 : 1;
    candidate.offsets.push_back(std::move(*offsets));
  }
  const auto worth = [](const SliceCandidate& each) {
    return std::tuple(-each.disagreements, each.matches);
  };
  if (!best || worth(*best) < worth(candidate)) best = std::move(candidate);
}

// Returns where the slice of a rank begins: along each dimension after the slices of the ranks
// before it. nullopt if the slices together do not have the size of the whole tensor.
std::optional<Extents> SliceComparison::offsetsOf(std::size_t rank, const std::vector<int>& dims,
                                                  const std::vector<std::size_t>& order) const {
  Extents offsets(whole_.shape.size());
  for (std::size_t dim = 0; dim < offsets.size(); ++dim) {
    std::int64_t total = 0;
    for (const auto& other : locals_) {
      const auto [isBeside, isBefore] =
          relationOf(other.places, locals_[rank].places, static_cast<int>(dim), dims, order);
      if (!isBeside) continue;
      total += other.elements.shape[dim];
      offsets[dim] += isBefore ? other.elements.shape[dim] : 0;
    }
    if (total != whole_.shape[dim]) return std::nullopt;
  }
  return offsets;
}

// Returns ", the slice of rank 1" for a slice that another rank should have: one that is on few
// other places of axes.
std::string SliceComparison::ownerOf(const Extents& offsets, const SliceCandidate& found,
                                     std::size_t rank) const {
  const auto distance = [&](std::size_t other) {
    return std::inner_product(locals_[rank].places.begin(), locals_[rank].places.end(),
                              locals_[other].places.begin(), std::size_t{0}, std::plus<>(),
                              std::not_equal_to<>());
  };
  std::optional<std::size_t> owner;
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    const bool isOwner = i != rank && found.offsets[i] == offsets &&
                         locals_[i].elements.shape == locals_[rank].elements.shape;
    if (isOwner && (!owner || distance(i) < distance(*owner))) owner = i;
  }
  return owner ? fmt::format(", the slice of rank {}", locals_[*owner].rank) : std::string();
}

}  // namespace shardlens
