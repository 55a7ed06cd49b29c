#include "core/trace/records/recorded_placements.h"

#include "core/model/notation.h"

namespace shardlens {

void RecordedPlacements::parse(std::string_view written) {
  if (written.empty()) return;
  auto known = parsePlacements(written);
  if (known) {
    placements = std::move(*known);
  } else {
    text = written;
  }
}

std::string listText(const RecordedPlacements& recorded) {
  if (recorded.placements.empty()) return recorded.text;
  const std::string all = toText(recorded.placements);
  return all.substr(1, all.size() - 2);
}

std::string shortText(const RecordedPlacements& recorded) {
  return recorded.placements.empty() ? recorded.text : shortText(recorded.placements);
}

std::string toText(const RecordedPlacements& recorded) {
  return recorded.placements.empty() ? recorded.text : toText(recorded.placements);
}

}  // namespace shardlens
