#include "core/exports/csv.h"

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/model/step_number.h"
#include "core/query/sql/sql.h"
#include "core/trace/events/event_names.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/tables/alternatives_table.h"
#include "core/view/tables/caches_table.h"
#include "core/view/tables/candidates_table.h"
#include "core/view/tables/plan_table.h"
#include "core/view/words/cache_lookup.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>
#include <string>
#include <vector>

namespace shardlens {
namespace {

using Words = std::vector<std::string>;

// Returns true for a text that a spreadsheet would compute.
bool isFormula(const std::string& word) {
  if (word.empty()) return false;
  if (word.front() != '-')
    return std::string_view("=+@\t\r").find(word.front()) != std::string_view::npos;
  double number = 0;
  const char* end = word.data() + word.size();
  return std::from_chars(word.data(), end, number).ptr != end;
}

std::string quoted(const std::string& word) {
  const std::string safe = isFormula(word) ? "'" + word : word;
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string text = "\"";
  for (const char letter : safe)
    text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

void writeLine(std::ostream& out, const Words& words) {
  const char* before = "";
  for (const auto& word : words) {
    out << before << quoted(word);
    before = ",";
  }
  out << "\r\n";
}

std::string wordOf(const nlohmann::json& cell) {
  if (cell.is_null()) return {};
  return cell.is_string() ? cell.get<std::string>() : jsonText(cell);
}

Result<void> writeSql(const Journal& journal, const std::string& table, std::ostream& out) {
  Sql sql({journal});
  const auto columns = sql.query("SELECT * FROM " + table + " LIMIT 0", [](const SqlRow&) {});
  if (!columns) return columns.map([](const auto&) {});
  writeLine(out, *columns);
  const auto rows = sql.query("SELECT * FROM " + table, [&](const SqlRow& row) {
    Words words;
    for (const auto& [name, cell] : row) words.push_back(wordOf(cell));
    writeLine(out, words);
  });
  return rows.map([](const auto&) {});
}

Result<void> writeTable(const view::Table& table, std::ostream& out) {
  Words headings;
  for (const auto& column : table.columns) headings.push_back(column.title);
  writeLine(out, headings);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Words words;
    for (const auto& cell : table.rows[i].cells) words.push_back(cell.text);
    words.resize(headings.size());
    writeLine(out, words);
  }
  return {};
}

Result<void> writeLookups(const Journal& journal, EventId /*position*/, view::Notation notation,
                          std::ostream& out) {
  writeLine(out, {"event", "step", "cache", "verdict", "entries", "uses", "age", "key", "nearest",
                  "why"});
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::CacheLookup) continue;
    const auto lookup = view::cacheLookupAt(journal, id, notation);
    const bool isHit = lookup.verdict == Verdict::Hit;
    writeLine(out, {std::to_string(id), std::to_string(stepNumber(event.step)), lookup.table,
                    std::string(verdictName(lookup.verdict)), std::to_string(lookup.entries),
                    isHit ? std::to_string(lookup.uses) : "",
                    isHit ? std::to_string(lookup.age) : "", lookup.key, lookup.nearest,
                    lookup.verdict == Verdict::Miss ? view::missText(lookup) : ""});
  }
  return {};
}

Result<void> writeBuffers(const Journal& journal, EventId position, view::Notation /*notation*/,
                          std::ostream& out) {
  writeLine(out, {"buffer", "refcount", "holders", "tensors", "mask", "changed"});
  StateIndex states(journal);
  for (const BufferState& buffer : states.at(position).buffers) {
    Words tensors;
    for (const TensorId id : buffer.tensors) tensors.push_back(view::tensorName(journal, id));
    writeLine(out,
              {std::to_string(buffer.id), std::to_string(buffer.refcount), joined(buffer.holders),
               joined(tensors), buffer.mask == 0 ? "" : view::tensorName(journal, buffer.mask),
               std::to_string(buffer.changed)});
  }
  return {};
}

template <const char* kName>
Result<void> writeSqlTable(const Journal& journal, EventId /*position*/,
                           view::Notation /*notation*/, std::ostream& out) {
  return writeSql(journal, kName, out);
}

Result<void> writeCaches(const Journal& journal, EventId position, view::Notation notation,
                         std::ostream& out) {
  StateIndex states(journal);
  return writeTable(view::cachesTable(journal, states.at(position), notation), out);
}

Result<void> writeCandidates(const Journal& journal, EventId position, view::Notation notation,
                             std::ostream& out) {
  return writeTable(view::candidatesTable(journal, position, position, notation).table, out);
}

Result<void> writePlan(const Journal& journal, EventId position, view::Notation notation,
                       std::ostream& out) {
  return writeTable(view::planTable(journal, position, position, notation).table, out);
}

Result<void> writeAlternatives(const Journal& journal, EventId position, view::Notation notation,
                               std::ostream& out) {
  const auto plan = view::planTable(journal, position, position, notation).plan;
  return writeTable(
      view::alternativesTable(plan.alternatives, view::PlacementWords(journal, notation)), out);
}

constexpr char kEvents[] = "events", kTensors[] = "tensors", kValues[] = "shard_values",
               kMeta[] = "meta";

constexpr std::array kTables = {
    CsvTable{kEvents, "all events", false, writeSqlTable<kEvents>},
    CsvTable{kTensors, "all tensors", false, writeSqlTable<kTensors>},
    CsvTable{kValues, "shapes, statistics and hashes of the values of the ranks", false,
             writeSqlTable<kValues>},
    CsvTable{kMeta, "metadata of the run", false, writeSqlTable<kMeta>},
    CsvTable{"lookups", "cache lookups, with the reasons of misses", false, writeLookups},
    CsvTable{"buffers", "the mask buffers", true, writeBuffers},
    CsvTable{"caches", "the entries of the caches", true, writeCaches},
    CsvTable{"candidates", "the candidate strategies of the operator", true, writeCandidates},
    CsvTable{"plan", "the steps of the redistribution's plan", true, writePlan},
    CsvTable{"alternatives", "the alternatives to that plan", true, writeAlternatives},
};

}  // namespace

std::span<const CsvTable> csvTables() { return kTables; }

Result<void> writeCsv(const Journal& journal, std::string_view table, EventId position,
                      std::ostream& out, view::Notation notation) {
  const auto* found = std::find_if(kTables.begin(), kTables.end(),
                                   [&](const auto& known) { return known.name == table; });
  if (found != kTables.end()) return found->write(journal, position, notation, out);
  Words names;
  for (const auto& known : kTables) names.emplace_back(known.name);
  return fail("table " + std::string(table) + ": expected one of " + joined(names));
}

}  // namespace shardlens
