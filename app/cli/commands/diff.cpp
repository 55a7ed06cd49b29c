#include "app/cli/commands.h"
#include "app/cli/ink.h"
#include "app/cli/recording_answer.h"
#include "core/base/json_text.h"
#include "core/compare/run_differences.h"
#include "core/model/step_number.h"
#include "core/view/words/place_text.h"
#include "core/view/words/units.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <array>
#include <iostream>
#include <memory>
#include <optional>

namespace shardlens::cli {
namespace {

constexpr auto kOnDifferences =
    "Steps are aligned even if some were inserted, removed or renamed. Elements may differ within "
    "the\n"
    "tolerance of torch.testing.assert_close for their dtype, or within --tolerance.\n"
    "  shardlens run --record before.shardlens program.json\n"
    "  shardlens diff before.shardlens after.shardlens\n"
    "  shardlens diff --tolerance 1e-3 before.shardlens after.shardlens\n"
    "\n"
    "Exit codes: 0 no differences, 1 differences, or a file of a folder was left out, 2 the "
    "command\n"
    "line or a file is wrong.";

struct DiffOptions {
  std::filesystem::path left;
  std::filesystem::path right;
  std::optional<double> tolerance;
  Output output = Output::Words;
};

using nlohmann::ordered_json;

ordered_json placeJson(const Journal& journal, EventId id) {
  if (id == 0) return nullptr;
  const Event event = journal.at(id);
  return {{"event", id}, {"step", stepNumber(event.step)}, {"line", event.line}};
}

std::string placeText(const Journal& journal, EventId id) {
  if (id == 0) return "nowhere";
  const Event event = journal.at(id);
  if (event.step < 0) return fmt::format("event {}", id);
  const std::string place = view::placeText(journal, event);
  return fmt::format("event {}, step {}{}{}", id, stepNumber(event.step), place.empty() ? "" : ", ",
                     place);
}

// The number of differences of each kind, and the first of each.
class DifferenceSums {
 public:
  DifferenceSums(const Journal& left, const Journal& right) : left_(left), right_(right) {}

  void add(const RunDifference& difference) {
    if (first_.sentence.empty()) first_ = difference;
    Kind& kind = kinds_.at(static_cast<std::size_t>(difference.in));
    if (kind.times++ == 0) kind.first = difference;
  }
  bool any() const { return !first_.sentence.empty(); }

  void print(const std::vector<StepPair>& pairs) const {
    const Ink ink = Ink::forTerminal();
    std::cout << ink.dim(stepsText(pairs)) << '\n';
    for (const Kind& kind : kinds_) {
      if (kind.times == 0) continue;
      std::cout << fmt::format("\n{}: {}\n", ink.bold(nameOf(kind.first.in)),
                               view::plural(kind.times, "difference"));
      std::cout << (kind.times > 1 ? "  first: " : "  ") << kind.first.sentence << '\n';
      if (kind.first.left == 0 && kind.first.right == 0) continue;
      std::cout << ink.dim(fmt::format("  A: {}; B: {}", placeText(left_, kind.first.left),
                                       placeText(right_, kind.first.right)))
                << '\n';
    }
    if (any()) return;
    const std::string omitted = omittedText(left_, right_);
    std::cout << "no differences" << (omitted.empty() ? "" : "; ") << omitted << '\n';
  }

 private:
  struct Kind {
    std::int64_t times = 0;
    RunDifference first;
  };

  static std::string stepsText(const std::vector<StepPair>& pairs) {
    std::int64_t both = 0, left = 0, right = 0;
    for (const StepPair& pair : pairs) {
      ++(pair.left && pair.right ? both : pair.left ? left : right);
    }
    return fmt::format("{} in both, {} only in A, {} only in B", view::plural(both, "step"), left,
                       right);
  }

  const Journal& left_;
  const Journal& right_;
  std::array<Kind, RunDifference::kKinds> kinds_;
  RunDifference first_;
};

void printDifference(const RunDifference& difference, const Journal& left, const Journal& right) {
  std::cout << jsonText(ordered_json{{"in", nameOf(difference.in)},
                                     {"a", placeJson(left, difference.left)},
                                     {"b", placeJson(right, difference.right)},
                                     {"sentence", difference.sentence}})
            << '\n';
}

// Returns an error message, or "".
std::string refuseTolerance(const std::string& text) {
  double number = 0;
  const bool isNumber = CLI::detail::lexical_cast(text, number);
  return isNumber && number >= 0 ? "" : "got " + text + ", expected a number of at least 0";
}

int diff(const DiffOptions& options) {
  const auto left = openWhole({options.left});
  if (!left) return unusable(left.error().message);
  const auto right = openWhole({options.right});
  if (!right) return unusable(right.error().message);
  const Journal& ours = (*left)->journal();
  const Journal& theirs = (*right)->journal();
  const auto steps = pairSteps(ours, theirs);
  DifferenceSums sums(ours, theirs);
  std::optional<Tolerance> within;
  if (options.tolerance) within = Tolerance{*options.tolerance, *options.tolerance};
  const auto report = [&](const RunDifference& difference) {
    sums.add(difference);
    if (options.output == Output::Json) printDifference(difference, ours, theirs);
  };
  compareRuns(ours, theirs, steps, pairEvents(ours, theirs, steps), report, {}, within);
  if (options.output == Output::Words) sums.print(steps);
  const int exitCode = sums.any() ? kRefused : kAllRan;
  return std::max(finishAnswer(**left, exitCode), finishAnswer(**right, exitCode));
}

}  // namespace

void addDiff(CommandLine& line) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App& command = line.add("diff", "Show the differences of two recordings, and the first one",
                               [options] { return diff(*options); });
  const auto add = [&](const char* name, std::filesystem::path& into, const char* help) {
    command.add_option(name, into, help)->required();
  };
  add("A", options->left, "A recording, or the folder of a run's processes");
  add("B", options->right, "Another");
  command
      .add_option("--tolerance", options->tolerance,
                  "Two elements are equal if they are no further apart than X plus X times the "
                  "element of B. Default: the tolerances of torch.testing.assert_close by dtype")
      ->type_name("X")
      ->check(CLI::Validator(refuseTolerance, "", "tolerance"));
  addJson(command, options->output, "Print one JSON object per difference");
  command.footer(kOnDifferences);
}

}  // namespace shardlens::cli
