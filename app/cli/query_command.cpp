#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/json_text.h"
#include "core/query/sql.h"
#include "core/trace/merge/trace_reader.h"

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

}  // namespace

int query(const QueryOptions& options) {
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  Sql sql((*reader)->journal());
  bool any = false;
  const auto asked = sql.ask(options.question, [&](const SqlRow& row) {
    if (options.output == Output::Words) {
      printWords(row, !any);
    } else {
      printObject(row);
    }
    any = true;
  });
  if (!asked) return unusable(asked.error().message);
  const bool leftOut = sayLeftOut((*reader)->leftOut());
  return finishOutput(any && !leftOut ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
