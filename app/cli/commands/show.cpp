#include "app/cli/account.h"
#include "app/cli/commands.h"
#include "app/cli/event_rows.h"
#include "app/cli/recording_answer.h"
#include "core/base/json_text.h"
#include "core/query/language/event_filter.h"
#include "core/view/words/snapshot_text.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>

namespace shardlens::cli {
namespace {

constexpr auto kOnShowing =
    "  shardlens show run.shardlens --step 3 --values\n"
    "  shardlens show run.shardlens --bookmarks\n"
    "  shardlens show DIR --filter \"implicit bytes>1MB\"\n"
    "shardlens query --help describes queries.\n"
    "\n"
    "Exit codes: 0 found, 1 no event, or a file of the folder was left out, 2 the\n"
    "command line, the query or a file is wrong.";

struct ShowOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  std::string filter;                        // in the query language
  std::string ranks;                         // see addRanks()
  bool bookmarks = false;                    // bookmarked events only
  bool values = false;
  view::Notation notation = view::Notation::DTensor;
  Output output = Output::Words;
};

// Returns the values that the event recorded, formatted as in a snapshot.
std::string madeValues(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  const bool hasMade = event.kind == EventKind::Result && event.subject != 0;
  return hasMade ? view::valuesText(journal, event.subject, id) : std::string();
}

int show(const ShowOptions& options) {
  const auto reader =
      openNeeded(options.files, options.steps, [&] { return stepsOfText(options.filter); });
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  const auto query = parseTerms(options.filter, journal);
  if (!query) return unusable("--filter: " + underlined(options.filter, query.error()));
  const auto ranks = ranksTerm(options.ranks, journal);
  if (!ranks) return unusable(ranks.error().message);
  Query all = *query;
  all.insert(all.end(), ranks->begin(), ranks->end());
  const EventFilter filter(journal, all);
  Account account(journal, Ink::forTerminal(), options.notation);
  bool any = false;
  for (EventId id = 0; (id = filter.next(id)) != 0;) {
    if (options.bookmarks && !journal.bookmarks().contains(id)) continue;
    any = true;
    if (options.output == Output::Json) {
      std::cout << jsonText(eventJson(journal, id, options.notation)) << '\n';
      continue;
    }
    std::cout << account.textWithParents(id);
    if (options.values) std::cout << madeValues(journal, id);
  }
  if (all.empty() && any && !options.bookmarks && options.output == Output::Words)
    std::cout << account.summary();
  const int exitCode = any ? kAllRan : reportNoMatch("no event matches", options.output);
  return finishAnswer(**reader, exitCode);
}

}  // namespace

void addShow(CommandLine& line) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App& command = line.add("show", "Show the events of a recording as a tree",
                               [options] { return show(*options); });
  addRecording(command, options->files);
  addNotation(command, options->notation);
  command.add_option("--filter", options->filter, "Events that match a query, with their parents");
  const auto add = [&](const char* option, const char* field, const char* type, const char* help) {
    command
        .add_option_function<std::string>(
            option,
            [options, field](const std::string& value) {
              options->filter += fmt::format(" {}:\"{}\"", field, value);
            },
            help)
        ->type_name(type);
  };
  add("--step", "step", "N", "Events of a step, or of several, for example 3-5");
  addSteps(command, options->steps, kStepsHelp);
  addRanks(command, options->ranks, "Events in which one of these ranks took part");
  add("--tensor", "tensor", "NAME", "Events of a tensor");
  command.add_flag("--bookmarks", options->bookmarks, "Events with a bookmark");
  command.add_flag("--values", options->values, "Also show the values of each rank");
  addJson(command, options->output, "Print one JSON object per event");
  command.footer(kOnShowing);
}

}  // namespace shardlens::cli
