#include "app/cli/account.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/recording_file.h"
#include "core/session/session.h"
#include "core/trace/journal.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

Result<std::vector<Scenario>> readAll(const std::vector<std::filesystem::path>& files) {
  std::vector<Scenario> all;
  for (const auto& file : files) {
    auto scenarios = readScenarios(file);
    if (!scenarios) return scenarios;
    std::move(scenarios->begin(), scenarios->end(), std::back_inserter(all));
  }
  return all;
}

// Runs one scenario to its end and prints, for programs, its answer.
int answer(Scenario scenario, SessionOptions options) {
  Session session(std::move(scenario), std::move(options));
  while (session.step()) {
  }
  printJson(session.answer());
  return session.ok() ? kAllRan : kRefused;
}

// Runs one scenario and tells each step, for a person, as it happens.
int tell(Scenario scenario, SessionOptions options) {
  Journal journal;
  options.sinks.push_back(&journal);
  Session session(std::move(scenario), std::move(options));
  Account account(journal, Ink::forTerminal());
  bool more = true;
  while (more) {
    more = session.step();
    std::cout << account.news() << std::flush;
  }
  std::cout << account.summary() << std::flush;
  return session.ok() ? kAllRan : kRefused;
}

int runOne(Scenario scenario, Output output, SessionOptions options) {
  return output == Output::Json ? answer(std::move(scenario), std::move(options))
                                : tell(std::move(scenario), std::move(options));
}

int runRecorded(Scenario scenario, const RunOptions& options) {
  auto file = RecordingFile::create(*options.record);
  if (!file) return unusable(file.error().message);
  const int exitCode = runOne(std::move(scenario), options.output,
                              {.sinks = {&file->sink()}, .capture = CaptureLevel::All});
  if (const auto kept = file->keep(); !kept) return unusable(kept.error().message);
  return exitCode;
}

}  // namespace

int run(const RunOptions& options) {
  auto scenarios = readAll(options.files);
  if (!scenarios) return unusable(scenarios.error().message);
  if (options.record) {
    if (scenarios->size() != 1) {
      return unusable("--record: got " + std::to_string(scenarios->size()) +
                      " scenarios, expected one: a recording holds one run");
    }
    return finishOutput(runRecorded(std::move(scenarios->front()), options));
  }
  int worst = kAllRan;
  for (auto& scenario : *scenarios) {
    if (options.output == Output::Words && &scenario != &scenarios->front()) std::cout << '\n';
    worst = std::max(worst, runOne(std::move(scenario), options.output, {}));
  }
  return finishOutput(worst);
}

}  // namespace shardlens::cli
