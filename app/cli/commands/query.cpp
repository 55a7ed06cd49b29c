#include "app/cli/commands.h"
#include "app/cli/event_rows.h"
#include "app/cli/output.h"
#include "core/base/json_text.h"
#include "core/query/event_filter.h"
#include "core/query/sql.h"
#include "core/trace/merge/trace_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iostream>

namespace shardlens::cli {

namespace {

std::string wordOf(const nlohmann::json& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : jsonText(cell);
}

// The names of the columns come before the first row.
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

// Whether somebody asks in SQL; of the language no word begins so.
bool isSql(std::string_view question) {
  const auto first = question.find_first_not_of(" \t\r\n(");
  const auto rest = question.substr(std::min(first, question.size()));
  const auto begins = [&](std::string_view word) {
    const bool isSame = rest.size() > word.size() &&
                        std::equal(word.begin(), word.end(), rest.begin(), [](char a, char b) {
                          return a == std::tolower(static_cast<unsigned char>(b));
                        });
    return isSame && std::isspace(static_cast<unsigned char>(rest[word.size()])) != 0;
  };
  return begins("select") || begins("with") || begins("values") || begins("explain");
}

// How many rows were found.
Result<std::size_t> askSql(const Journal& journal, const QueryOptions& options) {
  std::size_t found = 0;
  Sql sql(journal);
  const auto asked = sql.ask(options.question, [&](const SqlRow& row) {
    if (options.output == Output::Words) {
      printWords(row, found == 0);
    } else {
      printObject(row);
    }
    ++found;
  });
  return asked.map([&] { return found; });
}

Result<std::size_t> askEvents(const Journal& journal, const QueryOptions& options) {
  const auto query = parseQuery(options.question);
  if (!query) return fail("query: " + underlined(options.question, query.error()));
  const EventFilter filter(journal, *query);
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

}  // namespace

int query(const QueryOptions& options) {
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  const auto found =
      isSql(options.question) ? askSql(journal, options) : askEvents(journal, options);
  if (!found) return unusable(found.error().message);
  const bool leftOut = sayLeftOut((*reader)->leftOut());
  return finishOutput(*found > 0 && !leftOut ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
