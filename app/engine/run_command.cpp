#include "app/cli/account.h"
#include "app/cli/output.h"
#include "app/cli/recording_file.h"
#include "app/cli/topology_file.h"
#include "app/engine/end_signal.h"
#include "app/engine/engine_programs.h"
#include "app/engine/error_file.h"
#include "app/engine/same_program.h"
#include "core/base/rank_lost.h"
#include "core/cluster/process_hooks.h"
#include "core/cluster/rendezvous.h"
#include "core/session/session.h"
#include "core/trace/journal/journal.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace shardlens::cli {
namespace {

// One run of the program, alone or as one of the processes of a backend. All processes run the
// same steps and refuse the same ones; only the leading one prints.
class Run {
 public:
  Run(const RunOptions& options, Backend backend)
      : options_(options), backend_(std::move(backend)) {}

  // Waits for all processes at the end, because a launcher ends the others when one has exited.
  int operator()() const {
    backend_.setStep("the start");
    const int exitCode = finishOutput(all());
    backend_.allGatherStrings("the end", {});
    return exitCode;
  }

 private:
  bool prints() const { return backend_.leads(); }
  Answer answerMode() const {
    return options_.output == Output::Json ? Answer::Collect : Answer::Skip;
  }

  Results results() const { return options_.check ? Results::Checked : Results::Trusted; }

  int all() const {
    auto scenarios = readAll();
    const auto costs = options_.topology ? readTopology(*options_.topology) : CostModel();
    const auto readable = scenarios.and_then([&](auto&) { return costs; });
    const auto usable = backend_.agree(
        "what to run", readable.and_then([&](const auto&) { return verify(*scenarios); }));
    if (!usable) return unusableForAll(usable.error());
    const auto same = expectSameProgram(backend_, options_, *scenarios, *costs);
    if (!same) return unusableForAll(same.error());
    if (options_.record) return recorded(std::move(scenarios->front()), *costs);
    int worst = kAllRan;
    for (auto& scenario : *scenarios) {
      const bool first = &scenario == &scenarios->front();
      if (prints() && options_.output == Output::Words && !first) std::cout << '\n';
      worst = std::max(worst, one(std::move(scenario), {.caches = options_.caches,
                                                        .unknown = options_.unknown,
                                                        .costs = *costs,
                                                        .answer = answerMode(),
                                                        .results = results()}));
    }
    return worst;
  }

  Result<std::vector<Scenario>> readAll() const {
    std::vector<Scenario> all;
    for (const auto& file : options_.files) {
      auto scenarios = readScenarios(file);
      if (!scenarios) return scenarios;
      std::move(scenarios->begin(), scenarios->end(), std::back_inserter(all));
    }
    return all;
  }

  Result<void> verify(const std::vector<Scenario>& scenarios) const {
    for (const auto& scenario : scenarios) {
      const auto fits = options_.dry ? Result<void>() : backend_.verify(scenario.mesh.size());
      if (!fits) {
        return fail(scenario.path + ": " + fits.error().message);
      }
    }
    if (options_.check && backend_.transport() != Transport::Simulated) {
      return fail(
          fmt::format("--check: got backend {}, expected simulated: results are compared "
                      "where one process has all ranks",
                      backend_.name()));
    }
    if (options_.record && scenarios.size() != 1) {
      return fail(fmt::format("--record: got {} scenarios, expected one: a recording holds one run",
                              scenarios.size()));
    }
    return {};
  }

  int one(Scenario scenario, SessionOptions options) const {
    options.backend = options_.dry ? Backend::dry(options.costs) : backend_;
    options.sinks.insert(options.sinks.end(), options_.sinks.begin(), options_.sinks.end());
    return prints() && options_.output == Output::Words
               ? print(std::move(scenario), std::move(options))
               : answer(std::move(scenario), std::move(options));
  }

  int ended(const Session& session) const {
    backend_.setStep("the end");
    if (session.ok()) return session.agrees() ? kAllRan : kRefused;
    writeErrorFile(session.error(), Blame::Own);
    return kRefused;
  }

  // Runs one scenario to its end and prints its answer if JSON is requested.
  int answer(Scenario scenario, SessionOptions options) const {
    Session session(std::move(scenario), std::move(options));
    while (session.step()) {
    }
    const int exitCode = ended(session);
    if (options_.output == Output::Json) {
      const auto answer = session.answer();
      if (prints()) printJson(answer);
    }
    return exitCode;
  }

  // Runs one scenario and prints each step for users as it happens.
  int print(Scenario scenario, SessionOptions options) const {
    Journal journal({.times = options_.dry});  // the text contains only estimated times
    options.sinks.push_back(&journal);
    Session session(std::move(scenario), std::move(options));
    Account account(journal, Ink::forTerminal(), options_.notation);
    bool more = true;
    while (more) {
      more = session.step();
      std::cout << account.newText() << std::flush;
    }
    std::cout << account.summary() << std::flush;
    return ended(session);
  }

  int recorded(Scenario scenario, const CostModel& costs) const {
    if (backend_.hasProcesses()) {  // no process writes before all have deleted old recordings
      const auto ready =
          backend_.agree("the recording's folder", prepareRecordings(*options_.record));
      if (!ready) return unusableForAll(ready.error());
    }
    auto file = createRecording(scenario.mesh.size());
    const auto created = backend_.agree("the recording", file.map([](const auto&) {}));
    if (!created) return unusableForAll(created.error());
    try {
      const int exitCode = one(std::move(scenario), {.sinks = {&file->sink()},
                                                     .capture = options_.values,
                                                     .caches = options_.caches,
                                                     .unknown = options_.unknown,
                                                     .costs = costs,
                                                     .answer = answerMode(),
                                                     .results = results()});
      const auto kept =
          backend_.agree("the recording's end", file->keep(RecordingFile::Part::Stays));
      return kept ? exitCode : unusableForAll(kept.error());
    } catch (const RankLost&) {
      (void)file->keep(RecordingFile::Part::Stays);  // it shows how far this process got
      throw;
    }
  }

  Result<RecordingFile> createRecording(int ranks) const {
    if (!backend_.hasProcesses()) return RecordingFile::create(*options_.record);
    return RecordingFile::create(*options_.record / recordingName(backend_.firstRank(ranks)));
  }

  int unusableForAll(const Error& error) const {
    writeErrorFile(error.message, Blame::Own);
    return prints() ? unusable(error.message) : kUnusable;
  }

  const RunOptions& options_;
  Backend backend_;
};

int report(const RankLost& lost) {
  std::cerr << std::string("shardlens: ") + lost.what() + "\n";
  writeErrorFile(lost.what(), lost.whose() == RankLost::Whose::Others ? Blame::Others : Blame::Own);
  return kRefused;
}

}  // namespace

int run(const RunOptions& options) {
  if (options.dry || options.backend == "simulated") return Run(options, Backend())();
  const auto warn = [](const std::string& what) { std::cerr << "shardlens: " + what + "\n"; };
  try {
    if (isLaunched()) noteEndSignals();
    const auto backend = Backend::named(options.backend, {warn, endSignal});
    if (!backend) {
      const auto option = options.backend.empty() ? "" : "--backend " + options.backend + ": ";
      writeErrorFile(option + backend.error().message, Blame::Own);
      return unusable(option + backend.error().message);
    }
    try {
      return Run(options, *backend)();
    } catch (const RankLost& lost) {
      return report(lost);  // before this process leaves the others, which may take time
    }
  } catch (const RankLost& lost) {
    return report(lost);
  }
}

}  // namespace shardlens::cli
