#include "app/cli/ink.h"
#include "app/cli/output.h"
#include "app/engine/checkup.h"
#include "app/engine/engine_programs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace shardlens::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view stateName(Finding::State state) {
  switch (state) {
    case Finding::State::Good:
      return "good";
    case Finding::State::Absent:
      return "absent";
    case Finding::State::Wrong:
      return "wrong";
  }
  return "";
}

std::string padded(std::string_view text, std::size_t width) {
  std::string all(text);
  all.resize(std::max(width, all.size() + 1), ' ');
  return all;
}

std::string coloured(const Ink& ink, Finding::State state) {
  const auto text = padded(stateName(state), 8);
  if (state == Finding::State::Good) return ink.good(text);
  return state == Finding::State::Absent ? ink.notice(text) : ink.alarm(text);
}

void print(const Checkup& checkup, const Ink& ink) {
  constexpr std::size_t kNames = 14;
  const std::string verdict = checkup.isReady() ? ink.good("ready") : ink.notice("not ready");
  std::cout << ink.bold(checkup.backend) << ": " << verdict << '\n';
  for (const auto& finding : checkup.findings) {
    std::cout << "  " << coloured(ink, finding.state) << padded(finding.what, kNames)
              << finding.found << '\n';
    if (finding.todo.empty()) continue;
    std::cout << std::string(10 + kNames, ' ') << ink.dim(finding.todo) << '\n';
  }
}

Json jsonOf(const Checkup& checkup) {
  Json findings = Json::array();
  for (const auto& finding : checkup.findings) {
    findings.push_back({{"what", finding.what},
                        {"state", stateName(finding.state)},
                        {"found", finding.found},
                        {"todo", finding.todo}});
  }
  return {{"backend", checkup.backend},
          {"ready", checkup.isReady()},
          {"findings", std::move(findings)}};
}

}  // namespace

int doctor(const DoctorOptions& options) {
  const auto checkups = checkUp();
  if (options.output == Output::Json) {
    Json all = Json::array();
    for (const auto& checkup : checkups) all.push_back(jsonOf(checkup));
    printJson({{"shardlens", 1}, {"backends", std::move(all)}});
  } else {
    const Ink ink = Ink::forTerminal();
    for (const auto& checkup : checkups) {
      if (&checkup != &checkups.front()) std::cout << '\n';
      print(checkup, ink);
    }
  }
  // GPUs are optional.
  const bool well = std::all_of(checkups.begin(), checkups.end(), [](const Checkup& checkup) {
    return checkup.isReady() || checkup.backend == "nccl";
  });
  return finishOutput(well ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
