#include "ui/scenes/timeline_exposed.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr std::int64_t kMostAveraged = 16;

}  // namespace

// Ranks with the same tracks have equal columns, which are read once.
std::vector<double> exposedShares(const view::Timeline& timeline, const TimelineWindow& window) {
  const int pixels = std::max(1, static_cast<int>(window.width));
  const view::TimelineGrid grid(window.from, window.to, pixels);
  std::vector<double> shares(static_cast<std::size_t>(pixels));
  std::vector<const view::TimelineTrack*> tracks;
  std::vector<view::TimelineColumn> columns;
  const std::int64_t ranks = std::min(timeline.lanes(), kMostAveraged);
  for (std::int64_t i = 0; i < ranks; ++i) {
    const int rank = timeline.rankOf(i * timeline.lanes() / ranks);
    if (auto its = timeline.tracksOf(rank); columns.empty() || its != tracks) {
      tracks = std::move(its);
      columns = timeline.columns(rank, grid);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      shares[i] += static_cast<double>(columns[i].exposed);
    }
  }
  if (std::all_of(shares.begin(), shares.end(), [](double sum) { return sum == 0; })) return {};
  const double whole = static_cast<double>(window.length()) / pixels * static_cast<double>(ranks);
  for (double& sum : shares) sum = std::min(1.0, sum / whole);
  return shares;
}

}  // namespace shardlens
