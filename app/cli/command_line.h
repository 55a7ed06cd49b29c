#pragma once

#include "app/cli/output.h"
#include "core/trace/journal/capture.h"

#include <CLI/App.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlens::cli {

// The commands of a program, and the one that it was given. What is said of them here is their
// help, their completions and their manual.
class CommandLine {
 public:
  // Does the command, says on standard error what is wrong, and gives the exit code.
  using Action = std::function<int()>;

  CommandLine();

  // Its options are added to what this gives.
  CLI::App& add(const std::string& name, const std::string& about, Action action);
  // For programs, not for people: in no help.
  CLI::App& addHidden(const std::string& name, Action action);

  // Help where nothing is asked. What is wrong with the command line is unusable().
  int run(int argc, char** argv);

  const CLI::App& app() const { return app_; }

 private:
  std::string known() const;
  std::string messageOf(const CLI::ParseError& error) const;

  CLI::App app_;
  std::vector<std::pair<CLI::App*, Action>> commands_;
};

// Refuses all but these words; help and completions list them.
CLI::Validator oneOf(const std::vector<std::string>& words);

// Options that several commands have.
void addJson(CLI::App& command, Output& output, const std::string& help);
void addRecording(CLI::App& command, std::vector<std::filesystem::path>& files);
// How placements are said; what is recorded, queried and compared stays in DTensor's notation.
void addNotation(CLI::App& command);
void addTopology(CLI::App& command, std::optional<std::filesystem::path>& file);
// How much of what the ranks hold is kept.
CLI::Option* addValues(CLI::App& command, Capture& values, const std::string& help);
void addTokenFile(CLI::App& command, std::optional<std::filesystem::path>& file,
                  const std::string& help);

}  // namespace shardlens::cli
