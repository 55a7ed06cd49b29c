#pragma once

#include "core/model/modes.h"
#include "core/session/engine/engine.h"
#include "core/trace/journal/capture.h"
#include "core/trace/journal/event_sink.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardlens::cli {

// What the program is asked to print: words for a person, or JSON for a program.
enum class Output { Words, Json };

struct RunOptions {
  std::vector<std::filesystem::path> files;
  // A file; a folder of them where the ranks are spread over processes.
  std::optional<std::filesystem::path> record;
  Capture values = CaptureLevel::All;  // that are recorded
  std::string backend;                 // what there is, where it is left out
  bool dry = false;                    // no data and nobody at the other end
  std::optional<std::filesystem::path> topology;
  Caches caches = Caches::On;
  bool check = false;  // each result beside that of plain tensors
  Output output = Output::Words;
  std::vector<EventSink*> sinks{};  // who else is told what happens
};

struct ReplayOptions {
  std::vector<std::filesystem::path> files;  // or folders; of one run
  std::optional<std::int64_t> position;      // the end where it is left out
  Output output = Output::Words;
};

struct ShowOptions {
  std::vector<std::filesystem::path> files;  // or folders; of one run
  std::string filter;                        // in the query language
  bool values = false;
  Output output = Output::Words;
};

struct InfoOptions {
  std::vector<std::filesystem::path> files;  // or folders; of one run
  Output output = Output::Words;
};

struct ProblemsOptions {
  std::vector<std::filesystem::path> files;  // or folders; of one run
  Output output = Output::Words;
};

struct LintOptions {
  std::vector<std::filesystem::path> files;  // or folders; of one run
  std::optional<std::filesystem::path> expectations;
  std::vector<std::string> allowed;  // rules that are not errors
  Output output = Output::Words;
};

struct QueryOptions {
  std::string question;                      // in the query language, or SQL
  std::vector<std::filesystem::path> files;  // or folders; of one run
  Output output = Output::Words;
};

// As they are written; plan_request.h reads them.
struct PlanOptions {
  std::string mesh;
  std::string shape;
  std::string dtype = "float32";
  std::string from;
  std::string to;
  std::string planner = "min-cost";
  std::optional<std::filesystem::path> topology;
  bool all = false;
  Output output = Output::Words;
};

struct DoctorOptions {
  Output output = Output::Words;
};

struct OpsOptions {
  std::string name;  // a part of it; all where it is empty
  Output output = Output::Words;
};

struct ServeCommand {
  std::filesystem::path folder;
  std::uint16_t port = 0;  // 0: any that is free
  std::optional<std::filesystem::path> tokenFile;
};

struct FollowCommand {
  std::string host;
  std::string port;
  std::filesystem::path into;
  std::optional<std::filesystem::path> tokenFile;
  Output output = Output::Words;
};

// How the program ends (SCENARIO.md).
inline constexpr int kAllRan = 0;
inline constexpr int kRefused = 1;   // or a result differs from the plain one
inline constexpr int kUnusable = 2;  // the command line or a file is wrong

using Command = std::variant<RunOptions, ReplayOptions, ShowOptions, InfoOptions, QueryOptions,
                             ProblemsOptions, LintOptions, PlanOptions, OpsOptions, DoctorOptions,
                             ServeCommand, FollowCommand, EngineOptions>;

// The command that was given; or the exit code, when what there was to say has been said already:
// help on standard output, what is wrong with the command line on standard error.
std::variant<Command, int> parseCommandLine(int argc, char** argv);

}  // namespace shardlens::cli
