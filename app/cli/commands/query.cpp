#include "app/cli/commands.h"
#include "app/cli/event_rows.h"
#include "app/cli/recording_answer.h"
#include "core/base/json_text.h"
#include "core/query/language/event_filter.h"
#include "core/query/language/query_fields.h"
#include "core/query/sql/sql.h"
#include "core/query/sql/sql_steps.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>

namespace shardlens::cli {
namespace {

std::string onQueries() {
  std::string text =
      "Terms separated by blanks; an event must match all. A word matches the event's kind, "
      "verdict,\n"
      "name or tensors; FIELD:VALUE matches a field; nan and running match such events, diverged\n"
      "those where ranks of a role part. A minus negates a term. Of several values, FIELD:A,B, one "
      "must match.\n"
      "  shardlens query \"implicit kind:redistribute -op:embedding\" run.shardlens\n"
      "  shardlens query \"kind:collective bytes>1MB axis:tp time>=1ms rank:0-3\" DIR\n"
      "\n"
      "Fields:\n";
  for (const auto& field : queryFields()) {
    std::string words;
    for (const auto word : field.words) words += (words.empty() ? ": " : ", ") + std::string(word);
    text += fmt::format("  {:<10} {}{}\n", field.name, field.meaning, words);
  }
  return text +
         "\n"
         "Or one SELECT over the tables events, collectives, arrivals, tensors, shard_values,\n"
         "problems, roles, divergences, placements, ledger, bookmarks and meta; FORMAT.md "
         "describes\n"
         "their columns.\n"
         "  shardlens query \"SELECT name, count(*) AS times, sum(bytes) AS bytes FROM events\n"
         "    WHERE kind = 'Collective' GROUP BY name\" run.shardlens\n"
         "\n"
         "Exit codes: 0 found, 1 no match, or a file of the folder was left out, 2 the\n"
         "command line, the query or a file is wrong.";
}

struct QueryOptions {
  std::string queryText;                     // in the query language, or SQL
  std::string ranks;                         // see addRanks()
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  Output output = Output::Words;
};

std::string wordOf(const nlohmann::json& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : jsonText(cell);
}

// Prints a row. Prints the column names before the first one.
void printWords(const SqlRow& row, bool first) {
  const auto line = [&](const auto& word) {
    const char* before = "";
    for (const auto& cell : row) {
      std::cout << before << word(cell);
      before = "\t";
    }
    std::cout << '\n';
  };
  if (first) line([](const auto& cell) { return cell.first; });
  line([](const auto& cell) { return wordOf(cell.second); });
}

void printObject(const SqlRow& row) {
  nlohmann::ordered_json object;
  for (const auto& [name, cell] : row) object[name] = cell;
  std::cout << jsonText(object) << '\n';
}

// Returns the text without the white space, parentheses and SQL comments at its start.
std::string_view withoutComments(std::string_view text) {
  while (true) {
    text = text.substr(std::min(text.find_first_not_of(" \t\r\n("), text.size()));
    if (!text.starts_with("--")) return text;
    text = text.substr(std::min(text.find('\n'), text.size()));
  }
}

// Returns true if the text starts with an SQL verb, including verbs that Sql refuses. No query
// term starts so.
bool isSql(std::string_view queryText) {
  const auto rest = withoutComments(queryText);
  const auto begins = [&](std::string_view word) {
    const bool isSame = rest.size() > word.size() &&
                        std::equal(word.begin(), word.end(), rest.begin(), [](char a, char b) {
                          return a == std::tolower(static_cast<unsigned char>(b));
                        });
    return isSame && std::isspace(static_cast<unsigned char>(rest[word.size()])) != 0;
  };
  static constexpr std::array kVerbs = {"select", "with",   "values", "explain",
                                        "insert", "update", "delete", "create",
                                        "drop",   "alter",  "pragma", "attach"};
  return std::any_of(kVerbs.begin(), kVerbs.end(), begins);
}

// Prints the rows and returns their number.
Result<std::size_t> runSql(TraceReader& reader, const QueryOptions& options) {
  std::size_t found = 0;
  reportIds(reader.journal(), "SQL");
  Sql sql(sqlSourceOf(reader));
  const auto columns = sql.query(options.queryText, [&](const SqlRow& row) {
    if (options.output == Output::Words) {
      printWords(row, found == 0);
    } else {
      printObject(row);
    }
    ++found;
  });
  return columns.map([&](const auto&) { return found; });
}

Result<std::size_t> findEvents(const Journal& journal, const QueryOptions& options) {
  const auto query = parseTerms(options.queryText, journal);
  if (!query) return fail("query: " + underlined(options.queryText, query.error()));
  const auto ranks = ranksTerm(options.ranks, journal);
  if (!ranks) return tl::unexpected(ranks.error());
  Query all = *query;
  all.insert(all.end(), ranks->begin(), ranks->end());
  const EventFilter filter(journal, all);
  std::size_t found = 0;
  for (EventId id = 0; (id = filter.next(id)) != 0; ++found) {
    if (options.output == Output::Json) {
      std::cout << jsonText(eventJson(journal, id)) << '\n';
    } else {
      std::cout << (found == 0 ? kEventHeading : "") << eventRow(journal, id);
    }
  }
  return found;
}

int query(const QueryOptions& options) {
  if (!options.ranks.empty() && isSql(options.queryText)) {
    return unusable("--ranks: expected with terms; in SQL, select the ranks by WHERE");
  }
  const auto needed = [&] {
    return isSql(options.queryText) ? stepsOfSql(options.queryText)
                                    : stepsOfText(options.queryText);
  };
  const auto reader = openNeeded(options.files, options.steps, needed);
  if (!reader) return unusable(reader.error().message);
  const Journal& journal = (*reader)->journal();
  const auto found =
      isSql(options.queryText) ? runSql(**reader, options) : findEvents(journal, options);
  if (!found) return unusable(found.error().message);
  const int exitCode = *found > 0 ? kAllRan : reportNoMatch("no match", options.output);
  return finishAnswer(**reader, exitCode);
}

}  // namespace

void addQuery(CommandLine& line) {
  const auto options = std::make_shared<QueryOptions>();
  CLI::App& command = line.add("query", "Find events of a recording, or query it with SQL",
                               [options] { return query(*options); });
  command.add_option("QUERY", options->queryText, "Terms, or one SELECT; see below")->required();
  addRecording(command, options->files);
  addSteps(command, options->steps, kStepsHelp);
  addRanks(command, options->ranks, "Only events in which one of these ranks took part");
  addJson(command, options->output, "Print one JSON object per event or row");
  command.footer(onQueries());
}

}  // namespace shardlens::cli
