#include "core/model/route.h"

#include "core/model/hash.h"
#include "core/model/notation.h"

#include <algorithm>

namespace shardlens {

namespace {

constexpr std::string_view kArrow = " -> ";

void add(Hasher& hasher, const Placements& placements) {
  hasher.mix(placements.size());
  hasher.add(placements);
}

}  // namespace

std::size_t RouteHash::operator()(const Route& route) const {
  Hasher hasher;
  for (const auto& placements : route) add(hasher, placements);
  return hasher.value();
}

std::size_t RouteHash::operator()(const PlacementChange& change) const {
  Hasher hasher;
  add(hasher, change.from);
  add(hasher, change.to);
  return hasher.value();
}

std::string routeText(const Route& route) {
  std::string text;
  for (const auto& placements : route) {
    if (!text.empty()) text += kArrow;
    text += shortText(placements);
  }
  return text;
}

Result<Route> parseRoute(std::string_view text) {
  Route route;
  for (;;) {
    const auto end = std::min(text.find(kArrow), text.size());
    auto placements = parsePlacements(text.substr(0, end));
    if (!placements) return tl::unexpected(placements.error());
    route.push_back(std::move(*placements));
    if (end == text.size()) return route;
    text.remove_prefix(end + kArrow.size());
  }
}

}  // namespace shardlens
