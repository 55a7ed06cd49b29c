#include "ui/scenes/timeline_exposed.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::int64_t kMostAveraged = 16;

}  // namespace

std::vector<int> exposedRanks(const view::Timeline& timeline) {
  const std::int64_t count = std::min(timeline.lanes(), kMostAveraged);
  std::vector<int> ranks;
  for (std::int64_t i = 0; i < count; ++i) {
    ranks.push_back(timeline.rankOf(i * timeline.lanes() / count));
  }
  return ranks;
}

// Ranks with the same tracks have equal columns, which are read once.
std::vector<double> exposedShares(const view::Timeline& timeline, const TimelineWindow& window) {
  const int pixels = std::max(1, static_cast<int>(window.width));
  const view::TimelineGrid grid(window.from, window.to, pixels);
  std::vector<double> shares(static_cast<std::size_t>(pixels));
  std::vector<const view::TimelineTrack*> tracks;
  std::vector<view::TimelineColumn> columns;
  const std::vector<int> ranks = exposedRanks(timeline);
  for (const int rank : ranks) {
    if (auto its = timeline.tracksOf(rank); columns.empty() || its != tracks) {
      tracks = std::move(its);
      columns = timeline.columns(rank, grid);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      shares[i] += static_cast<double>(columns[i].exposed);
    }
  }
  if (std::all_of(shares.begin(), shares.end(), [](double sum) { return sum == 0; })) return {};
  const double whole =
      static_cast<double>(window.length()) / pixels * static_cast<double>(ranks.size());
  for (double& sum : shares) sum = std::min(1.0, sum / whole);
  return shares;
}

}  // namespace shardlens
