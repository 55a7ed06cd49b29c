#include "core/inference/loads.h"

#include "core/model/shard_geometry.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace shardlens {
namespace {

constexpr int kWholeDim = -1;
constexpr std::size_t kMostCandidates = 4096;

// The ranks of a load, with their places along the axes, those of the most distant ranks first: if
// several axes shard one dimension, the first one divides the whole dimension.
class LoadAudit {
 public:
  LoadAudit(const PlainLoad& load, const std::vector<RankAxis>& axes) : load_(load) {
    std::vector<const RankAxis*> outerFirst;
    for (const auto& axis : axes) outerFirst.push_back(&axis);
    std::ranges::stable_sort(outerFirst, std::greater<>(), [](const RankAxis* axis) {
      return axis->groups.front()[1] - axis->groups.front()[0];
    });
    for (const auto* axis : outerFirst) addAxis(*axis);
  }

  std::vector<PlainFinding> findings() const {
    const auto dims = best();
    std::vector<PlainFinding> found;
    if (!dims) return found;
    const auto first =
        std::find_if(dims->begin(), dims->end(), [](int dim) { return dim != kWholeDim; });
    if (first == dims->end()) return found;
    const RankAxis& axis = *axes_[static_cast<std::size_t>(first - dims->begin())];
    for (const auto& [rank, slice] : load_.slices) {
      const auto expected = sliceOf(rank, *dims);
      if (slice == expected || slice.sizes != expected.sizes) continue;
      if (ownerOf(expected, rank, *dims, /*isLoaded=*/true)) continue;  // in another order
      const auto owner = ownerOf(slice, rank, *dims, /*isLoaded=*/false);
      found.push_back(
          {PlainFault::LoadedSlice, load_.stored, axis, load_.event, std::nullopt,
           fmt::format("rank {} loads {}{} of the checkpoint{}, expected {}", rank, load_.stored,
                       boxText(slice), owner ? fmt::format(", the slice of rank {}", *owner) : "",
                       boxText(expected))});
    }
    return found;
  }

 private:
  // Adds an axis, unless only one rank of each of its groups loads the tensor, as along the stages
  // of a pipeline.
  void addAxis(const RankAxis& axis) {
    std::map<int, int> places;
    bool isAlone = true;
    for (const auto& group : axis.groups) {
      int members = 0;
      for (std::size_t place = 0; place < group.size(); ++place) {
        if (!load_.slices.contains(group[place])) continue;
        places[group[place]] = static_cast<int>(place);
        ++members;
      }
      isAlone &= members <= 1;
      isComplete_ &= members <= 1 || members == static_cast<int>(group.size());
    }
    if (isAlone) return;
    isComplete_ &= places.size() == load_.slices.size();
    axes_.push_back(&axis);
    places_.push_back(std::move(places));
  }

  // Returns the slice of a rank if each axis shards one of these dimensions, or none.
  Box sliceOf(int rank, const std::vector<int>& dims) const {
    Box slice = wholeOf(load_.whole);
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] == kWholeDim) continue;
      const auto dim = static_cast<std::size_t>(dims[axis]);
      const auto size = static_cast<int>(axes_[axis]->groups.front().size());
      const Chunk chunk = chunkOf(slice.sizes[dim], size, places_[axis].at(rank));
      slice.offsets[dim] += chunk.begin;
      slice.sizes[dim] = chunk.length;
    }
    return slice;
  }

  // Returns the dimensions that explain the slices of the most ranks; nullopt if other ones explain
  // as many, or fewer than half of the ranks.
  std::optional<std::vector<int>> best() const {
    std::size_t candidates = 1;
    for (std::size_t axis = 0; axis < axes_.size() && candidates <= kMostCandidates; ++axis) {
      candidates *= load_.whole.size() + 1;
    }
    if (!isComplete_ || axes_.empty() || candidates > kMostCandidates) return std::nullopt;
    std::vector<int> dims(axes_.size(), kWholeDim), found;
    std::size_t most = 0;
    bool isOnly = false;
    for (std::size_t i = 0; i < candidates; ++i) {
      std::size_t matches = 0;
      for (const auto& [rank, slice] : load_.slices)
        matches += slice == sliceOf(rank, dims) ? 1 : 0;
      isOnly = matches > most || (isOnly && matches < most);
      if (matches > most) {
        most = matches;
        found = dims;
      }
      for (auto& dim : dims) {
        if (++dim < static_cast<int>(load_.whole.size())) break;
        dim = kWholeDim;
      }
    }
    const bool isEnough = isOnly && 2 * most >= load_.slices.size();
    return isEnough ? std::optional(std::move(found)) : std::nullopt;
  }

  // Returns the ranks that have the shards of one tensor together with `rank`.
  std::set<int> sharersOf(int rank, const std::vector<int>& dims) const {
    std::set<int> sharers{rank};
    std::size_t known = 0;
    while (known != sharers.size()) {
      known = sharers.size();
      for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] == kWholeDim) continue;
        for (const auto& group : axes_[axis]->groups) {
          const bool isTheirs =
              std::ranges::any_of(group, [&](int member) { return sharers.contains(member); });
          if (isTheirs) sharers.insert(group.begin(), group.end());
        }
      }
    }
    return sharers;
  }

  // Returns a rank that shares a tensor with `rank` and loads the slice, or that should load it.
  std::optional<int> ownerOf(const Box& slice, int rank, const std::vector<int>& dims,
                             bool isLoaded) const {
    for (const int other : sharersOf(rank, dims)) {
      const auto loaded = load_.slices.find(other);
      if (loaded == load_.slices.end()) continue;
      if ((isLoaded ? loaded->second : sliceOf(other, dims)) == slice) return other;
    }
    return std::nullopt;
  }

  const PlainLoad& load_;
  std::vector<const RankAxis*> axes_;
  std::vector<std::map<int, int>> places_;  // of ranks, for each axis
  bool isComplete_ = true;                  // groups have all or one of their ranks
};

}  // namespace

std::vector<PlainFinding> auditLoads(const PlainGraph& graph, const std::vector<RankAxis>& axes) {
  std::vector<PlainFinding> found;
  for (const auto& load : graph.loads) {
    auto of = LoadAudit(load, axes).findings();
    std::move(of.begin(), of.end(), std::back_inserter(found));
  }
  return found;
}

}  // namespace shardlens
