#include "core/trace/records/candidates_record.h"

#include "core/trace/records/json_fields.h"

namespace shardlens {
namespace {

DetailJson candidateListJson(const std::vector<RecordedPlacements>& list) {
  DetailJson texts = DetailJson::array();
  for (const auto& placements : list) texts.push_back(shortText(placements));
  return texts;
}

std::vector<RecordedPlacements> readCandidateList(const DetailJson& object, const char* key) {
  const auto texts = textsOf(object, key);
  return {texts.begin(), texts.end()};
}

}  // namespace

std::string candidatesDetail(const CandidatesRecord& record) {
  DetailJson detail = DetailJson::array();
  for (const auto& candidate : record.candidates) {
    DetailJson& entry = detail.emplace_back();
    entry["name"] = candidate.name;
    entry["inputs"] = candidateListJson(candidate.inputs);
    entry["outputs"] = candidateListJson(candidate.outputs);
    if (candidate.cost) entry["cost"] = *candidate.cost;
    if (candidate.bytes) entry["bytes"] = *candidate.bytes;
    entry["chosen"] = candidate.chosen;
  }
  return jsonText(detail);
}

CandidatesRecord readCandidates(std::string_view detail) {
  CandidatesRecord record;
  const auto list = parsedJson<DetailJson>(detail);
  if (!list.is_array()) return record;
  for (const auto& entry : list) {
    if (!entry.is_object()) continue;
    record.candidates.push_back({textOf(entry, "name"), readCandidateList(entry, "inputs"),
                                 readCandidateList(entry, "outputs"), optionalRealOf(entry, "cost"),
                                 integerOf<std::int64_t>(entry, "bytes"), isTrue(entry, "chosen")});
  }
  return record;
}

}  // namespace shardlens
