#include "app/cli/commands.h"
#include "app/cli/recording_answer.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/words/snapshot_text.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <iostream>
#include <memory>
#include <optional>

namespace shardlens::cli {
namespace {

constexpr auto kOnReplays =
    "Shows tensors and the values of the ranks, mask buffers and caches. A step of the program "
    "has\n"
    "many events.\n"
    "  shardlens replay run.shardlens --event 12\n"
    "\n"
    "Exit codes: 0 shown, 1 a file of the folder was left out, 2 the command line or a file is\n"
    "wrong.";

struct ReplayOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::optional<std::int64_t> position;      // event; the last one if not given
  view::Notation notation = view::Notation::DTensor;
  Output output = Output::Words;
};

std::string refusePosition(const std::string& text) {
  std::int64_t position = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, position);
  if (parsed.ec == std::errc() && parsed.ptr == end) return {};
  return "got " + text + ", expected the number of an event";
}

int replay(const ReplayOptions& options) {
  const auto reader = openWhole(options.files);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  const std::int64_t end = journal.size();
  const std::int64_t position = options.position.value_or(end);
  if (position < 0 || position > end) {
    return unusable(fmt::format("--event: got {}, expected 0 to {}, the events of {}", position,
                                end, options.files.front().string()));
  }
  StateIndex states(journal);
  const Snapshot snapshot = states.at(static_cast<EventId>(position));
  if (options.output == Output::Words) {
    std::cout << view::snapshotText(journal, snapshot, options.notation);
  } else {
    printJson(snapshotJson(journal, snapshot));
  }
  return finishAnswer(**reader, kAllRan);
}

}  // namespace

void addReplay(CommandLine& line) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App& command = line.add("replay", "Show the state of a recording after an event",
                               [options] { return replay(*options); });
  addRecording(command, options->files);
  addNotation(command, options->notation);
  const auto add = [&](const char* name, const char* help) {
    return command.add_option(name, options->position, help)
        ->type_name("N")
        ->check(CLI::Validator(refusePosition, "", "position"));
  };
  add("--event", "The state after this event; 0 is the start, the default is the last event");
  add("--step", "The earlier name of --event")->group("");  // not in the help
  addJson(command, options->output, "Print one JSON object");
  command.footer(kOnReplays);
}

}  // namespace shardlens::cli
