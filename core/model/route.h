#pragma once

#include "core/base/result.h"
#include "core/model/placement.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The placements of a tensor before a redistribution, and after each of its steps.
using Route = std::vector<Placements>;

// A route without intermediate placements, for lookups that do not copy.
struct PlacementChange {
  const Placements& from;
  const Placements& to;
};

// Hashes and compares routes and changes alike.
struct RouteHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
  std::size_t operator()(const Route& route) const;
  std::size_t operator()(const PlacementChange& change) const;
};
struct RouteEqual {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
  bool operator()(const Route& a, const Route& b) const { return a == b; }
  bool operator()(const PlacementChange& change, const Route& route) const {
    return route.size() == 2 && route[0] == change.from && route[1] == change.to;
  }
  bool operator()(const Route& route, const PlacementChange& change) const {
    return (*this)(change, route);
  }
};

// Returns "(S(0), R) -> (R, R)", or "S(0) -> R" on a mesh of one dimension.
std::string routeText(const Route& route);
// Inverse of routeText(). Returns an error if any of the placements is invalid; empty text is an
// error, too.
Result<Route> parseRoute(std::string_view text);

}  // namespace shardlens
