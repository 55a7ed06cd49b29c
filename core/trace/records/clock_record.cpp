#include "core/trace/records/clock_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

constexpr std::int64_t kLatestMonotonic = std::int64_t{1} << 59;  // 18 years
constexpr std::int64_t kLatestWall = std::int64_t{1} << 61;       // in the year 2043

std::optional<std::int64_t> timeOf(const DetailJson& object, const char* key, std::int64_t latest) {
  const auto time = integerOf<std::int64_t>(object, key);
  return time && *time >= 0 && *time <= latest ? time : std::nullopt;
}

std::optional<ClockAnchor> anchorOf(const DetailJson& object) {
  const auto at = timeOf(object, "at", kLatestMonotonic);
  const auto monotonic = timeOf(object, "monotonic", kLatestMonotonic);
  const auto wall = timeOf(object, "wall", kLatestWall);
  if (!at || !monotonic || !wall) return std::nullopt;
  return ClockAnchor{*at, *monotonic, *wall, timeOf(object, "error", kLatestWall)};
}

}  // namespace

std::string clockText(const ClockRecord& clock) {
  DetailJson anchors = DetailJson::array();
  for (const ClockAnchor& anchor : clock.anchors) {
    DetailJson one = {{"at", anchor.at}, {"monotonic", anchor.monotonic}, {"wall", anchor.wall}};
    if (anchor.error) one["error"] = *anchor.error;
    anchors.push_back(std::move(one));
  }
  return jsonText(DetailJson{{"id", clock.id}, {"anchors", std::move(anchors)}});
}

std::optional<ClockRecord> readClock(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto object = parsedJson<DetailJson>(text);
  ClockRecord clock{.id = textOf(object, "id")};
  for (const auto& each : listOf(object, "anchors")) {
    const auto anchor = anchorOf(each);
    if (!anchor) return std::nullopt;
    clock.anchors.push_back(*anchor);
  }
  if (clock.id.empty() || clock.anchors.empty()) return std::nullopt;
  return clock;
}

}  // namespace shardlens
