#include "core/session/merged_answer.h"

#include "core/base/check.h"

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

void addResults(Json& merged, const Json& more) {
  SL_CHECK(merged.size() == more.size(), "all processes have the same results");
  auto into = merged.begin();
  for (const auto& [name, result] : more.items()) {
    SL_CHECK(into.key() == name, "all processes have the same results, in the same order");
    auto& locals = (*into++)["locals"];
    locals.insert(locals.end(), result["locals"].begin(), result["locals"].end());
  }
}

void addCollectives(Json& merged, const Json& more) {
  SL_CHECK(merged.size() == more.size(), "all processes take part in all collectives");
  for (std::size_t i = 0; i < more.size(); ++i) {
    auto& bytes = merged[i]["bytes"];
    bytes = bytes.get<std::int64_t>() + more[i]["bytes"].get<std::int64_t>();
  }
}

}  // namespace

Json mergedAnswer(const std::vector<std::string>& answers) {
  Json merged = Json::parse(answers.front());
  for (std::size_t i = 1; i < answers.size(); ++i) {
    const auto more = Json::parse(answers[i]);
    addResults(merged["results"], more["results"]);
    addCollectives(merged["collectives"], more["collectives"]);
  }
  return merged;
}

}  // namespace shardlens
