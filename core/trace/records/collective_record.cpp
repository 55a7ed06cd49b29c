#include "core/trace/records/collective_record.h"

#include "core/model/rank_ranges.h"
#include "core/trace/records/json_fields.h"

namespace shardlens {

std::string collectiveDetail(const CollectiveRecord& collective) {
  DetailJson detail;
  if (!collective.axis.empty()) detail["axis"] = collective.axis;
  if (!collective.only.empty()) detail["only"] = collective.only;
  if (!collective.why.empty()) detail["why"] = collective.why;
  if (collective.root) detail["root"] = *collective.root;
  return detail.empty() ? std::string() : jsonText(detail);
}

CollectiveRecord readCollective(std::string_view detail) {
  if (detail.empty()) return {};
  const auto object = parsedJson<DetailJson>(detail);
  return {textOf(object, "axis"), textOf(object, "only"), textOf(object, "why"),
          integerOf<int>(object, "root")};
}

std::string readArrivedRanks(std::string_view detail) {
  return detail.find("\"only\"") == detail.npos ? std::string() : readCollective(detail).only;
}

std::optional<MessageRecord> readMessage(std::string_view name) {
  const bool isSend = name.starts_with("send ");
  if (!isSend && !name.starts_with("recv ")) return std::nullopt;
  const auto ends = name.substr(5);
  const auto arrow = ends.find(isSend ? "->" : "<-");
  if (arrow == ends.npos) return std::nullopt;
  const auto rankOf = [](std::string_view text) -> std::optional<int> {
    const auto range = parseRankRange(text);
    return range && range->first == range->last ? std::optional(range->first) : std::nullopt;
  };
  const auto caller = rankOf(ends.substr(0, arrow)), peer = rankOf(ends.substr(arrow + 2));
  if (!caller || (isSend && !peer)) return std::nullopt;
  return isSend ? MessageRecord{caller, *peer, true} : MessageRecord{peer, *caller, false};
}

}  // namespace shardlens
