#include "core/trace/records/collective_record.h"

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

}  // namespace shardlens
