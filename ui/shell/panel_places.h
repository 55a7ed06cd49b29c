#pragma once

#include "ui/models/run_content.h"
#include "ui/panels/panel_catalogue.h"

#include <vector>

namespace shardlens {

// A panel, by its id in the catalogue, and its place among the docks.
struct Placed {
  const char* panel;
  Place place;
};

// Returns the panels of the content's perspective, without the middle one. Of those with one place,
// the first is in front.
std::vector<Placed> placesOf(const RunContent& content);

}  // namespace shardlens
