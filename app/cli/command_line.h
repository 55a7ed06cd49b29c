#pragma once

#include "app/cli/output.h"
#include "core/model/rank_ranges.h"
#include "core/trace/events/capture.h"
#include "core/view/words/placement_words.h"

#include <CLI/App.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens::cli {

// The commands of the program and their options. Help, completions and the manual are generated
// from these descriptions.
class CommandLine {
 public:
  // Runs the command, prints errors to standard error and returns the exit code.
  using Action = std::function<int()>;

  CommandLine();

  // Adds a command. Add its options to the returned CLI11 object, which this object owns.
  CLI::App& add(const std::string& name, const std::string& about, Action action);
  // Adds a command for programs. Help, completions and the manual do not list it.
  CLI::App& addHidden(const std::string& name, Action action);

  // Parses the arguments, runs the command and returns its exit code. Prints the help if there is
  // no command. Reports a wrong command line through unusable(); in JSON if any argument is --json.
  // Call it once.
  int run(int argc, char** argv);

  const CLI::App& app() const { return app_; }

 private:
  std::string commandNames() const;  // all but the hidden ones, as "run, plan or show"
  std::string messageOf(const CLI::ParseError& error) const;

  CLI::App app_;
  std::vector<std::pair<CLI::App*, Action>> commands_;
};

// Returns a validator that accepts only these words. Help and completions list them.
CLI::Validator oneOf(const std::vector<std::string>& words);

// Options that several commands share. The targets must outlive the parsing.
void addJson(CLI::App& command, Output& output, const std::string& help);
void addRecording(CLI::App& command, std::vector<std::filesystem::path>& files);
// Adds --notation: the notation of placements in the command's output. Recordings, queries and
// comparisons keep DTensor's notation.
void addNotation(CLI::App& command, view::Notation& notation);
// Adds --step: the number of a step, from 1. Sets `index` to its index.
void addStep(CLI::App& command, std::optional<int>& index, const std::string& help);
// Adds --ranks: a list of ranks, or coordinates on the mesh of the recording; see
// core/model/rank_selector.h.
void addRanks(CLI::App& command, std::string& ranks, const std::string& help);
// Returns why a text is no list of steps, "3-5,8"; "" if it is one.
std::string refusedSteps(const std::string& text);
// Adds --steps: numbers of steps, "3-5,8". Sets `steps` to their indexes; see TraceReader::open().
CLI::Option* addSteps(CLI::App& command, std::vector<RankRange>& steps, const std::string& help);
void addTopology(CLI::App& command, std::optional<std::filesystem::path>& file);
// Adds --values: how much of the ranks' data is recorded.
CLI::Option* addValues(CLI::App& command, Capture& values, const std::string& help);
void addTokenFile(CLI::App& command, std::optional<std::filesystem::path>& file,
                  const std::string& help);

}  // namespace shardlens::cli
