#include "app/engine/same_program.h"

#include "core/base/json_text.h"
#include "core/session/scenario/step_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace shardlens::cli {
namespace {

using FactsJson = nlohmann::json;

// One thing to compare: its name, a readable form, and a digest if that form is incomplete.
struct Fact {
  std::string what;
  std::string shown;
  std::uint64_t digest = 0;
};

std::uint64_t digestOf(const std::string& text) { return std::hash<std::string>{}(text); }

std::string shownCosts(const CostModel& costs) {
  return fmt::format("{} ranks a host, {:g} and {:g} GB/s, {:g} and {:g} us, {:g} us",
                     costs.ranksPerHost, costs.bandwidth, costs.betweenHostsBandwidth,
                     costs.latency, costs.betweenHostsLatency, costs.startup);
}

// Leaves out paths, because files may be in other folders on other hosts.
void addScenario(std::vector<Fact>& facts, const Scenario& scenario, std::size_t number) {
  const auto of = " of scenario " + std::to_string(number);
  facts.push_back({"the title" + of, scenario.title});
  facts.push_back({"the mesh" + of, toText(scenario.mesh)});
  for (const auto& step : scenario.steps) {
    facts.push_back({"step " + step.id + of, stepText(step), digestOf(step.json.dump())});
  }
  facts.push_back({"the end" + of, std::to_string(scenario.steps.size()) + " steps"});
  facts.push_back(
      {"a setting" + of, "",
       digestOf(FactsJson({static_cast<int>(scenario.masking), static_cast<int>(scenario.emulation),
                           static_cast<int>(scenario.planner),
                           static_cast<int>(scenario.redistributions)})
                    .dump())});
}

std::string factsText(const RunOptions& options, const std::vector<Scenario>& scenarios,
                      const CostModel& costs) {
  std::vector<Fact> facts = {
      {"--json", options.output == Output::Json ? "given" : "not given"},
      {"--record", options.record ? "given" : "not given"},
      {"--verify-caches", options.caches == Caches::Verified ? "given" : "not given"},
      {"--unknown",
       options.unknown == UnknownOperators::Replicated ? "replicate" : "not replicate"},
      {"--check", options.check ? "given" : "not given"},
      {"the topology", shownCosts(costs)},
  };
  for (std::size_t i = 0; i < scenarios.size(); ++i) addScenario(facts, scenarios[i], i + 1);
  facts.push_back({"the number of scenarios", std::to_string(scenarios.size())});
  auto json = FactsJson::array();
  for (const auto& fact : facts) json.push_back({fact.what, fact.shown, fact.digest});
  return jsonText(json);
}

// Describes the first difference. `other` is the list of facts of process `number`, `first` that of
// process 0.
std::string difference(const FactsJson& first, const FactsJson& other, const std::string& number) {
  const auto [ours, theirs] = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const auto text = [](const FactsJson& fact, std::size_t part) {
    return fact.at(part).get<std::string>();
  };
  const std::string what = text(*ours, 0), there = text(*theirs, 0);
  if (what != there) {
    return fmt::format("process {} has {} where process 0 has {}", number, there, what);
  }
  const std::string shown = text(*ours, 1), shownThere = text(*theirs, 1);
  if (shown == shownThere) {
    return fmt::format("{} differs between process {} and process 0", what, number);
  }
  return fmt::format(R"({} is "{}" in process {}, "{}" in process 0)", what, shownThere, number,
                     shown);
}

}  // namespace

Result<void> expectSameProgram(const Backend& backend, const RunOptions& options,
                               const std::vector<Scenario>& scenarios, const CostModel& costs) {
  if (backend.processes() == 1) return {};
  const auto all = backend.allGatherStrings("the program", factsText(options, scenarios, costs));
  const auto other = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& words) { return words != all.front(); });
  if (other == all.end()) return {};
  return fail("the processes do not run the same: " +
              difference(FactsJson::parse(all.front()), FactsJson::parse(*other),
                         std::to_string(other - all.begin())));
}

}  // namespace shardlens::cli
