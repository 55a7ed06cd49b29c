#include "app/cli/ink.h"
#include "app/cli/output.h"
#include "app/engine/engine_programs.h"
#include "app/engine/rule_rows.h"
#include "core/base/text.h"
#include "core/tensor/dispatch/op_entry.h"
#include "core/tensor/dispatch/operators.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>

namespace shardlens::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string schemaText(const OpEntry& entry) {
  std::ostringstream text;
  text << entry.op.schema();
  return text.str();
}

Json jsonOf(const OpEntry& entry, bool withRows) {
  Json json{{"name", entry.name},
            {"family", entry.use.rule->family},
            {"per_element", entry.use.perElement},
            {"in_place", entry.inPlace},
            {"own_kernel", entry.kernel != nullptr},
            {"schema", schemaText(entry)}};
  if (!withRows) return json;
  const RuleRows found = ruleRows(entry);
  json["on"] = found.on;
  json["rows"] = Json::array();
  for (const auto& [name, inputs, outputs] : found.rows) {
    json["rows"].push_back({{"name", name}, {"inputs", inputs}, {"outputs", outputs}});
  }
  return json;
}

void printRows(const RuleRows& found, const Ink& ink) {
  if (found.rows.empty()) {
    std::cout << ink.dim("  its rows depend on the arguments") << '\n';
    return;
  }
  std::cout << ink.dim("  " + joined(found.on)) << '\n';
  for (auto [name, inputs, outputs] : found.rows) {
    constexpr std::size_t kColumn = 14;
    name.resize(std::max(kColumn, name.size() + 2), ' ');
    std::cout << "    " << ink.dim(name) << joined(inputs) << " -> " << joined(outputs) << '\n';
  }
}

// Returns the properties of an operator that are printed after its name.
std::string notes(const OpEntry& entry) {
  std::string text;
  const auto add = [&](std::string_view note) {
    text.append(text.empty() ? "" : ", ").append(note);
  };
  if (entry.use.perElement) add("elementwise");
  if (entry.inPlace) add("in place");
  if (entry.kernel != nullptr && entry.kernel->run != nullptr) add("a separate kernel");
  return text;
}

void print(const OpEntry& entry, const Ink& ink, bool withRows) {
  constexpr std::size_t kColumn = 44;
  std::string name = entry.name;
  name.resize(std::max(kColumn, name.size() + 2), ' ');
  std::cout << name << entry.use.rule->family;
  if (const auto text = notes(entry); !text.empty()) std::cout << ink.dim("  " + text);
  std::cout << '\n';
  if (!withRows) return;
  std::cout << ink.dim("  " + schemaText(entry)) << '\n';
  printRows(ruleRows(entry), ink);
}

}  // namespace

int ops(const OpsOptions& options) {
  const Ink ink = Ink::forTerminal();
  std::size_t found = 0;
  Json list = Json::array();
  for (const auto& op : dispatchedOperators()) {
    const OpEntry entry(op);
    if (entry.use.rule == nullptr || entry.name.find(options.name) == std::string::npos) continue;
    ++found;
    if (options.output == Output::Json) {
      list.push_back(jsonOf(entry, /*withRows=*/!options.name.empty()));
    } else {
      print(entry, ink, /*withRows=*/!options.name.empty());
    }
  }
  if (options.output == Output::Json) {
    printJson({{"shardlens", 1}, {"operators", std::move(list)}});
  } else if (found == 0) {
    std::cout << "no operator with '" << options.name << "' in its name has a rule\n";
  } else {
    std::cout << "with a rule: " << found << '\n';
  }
  return finishOutput(found == 0 ? kRefused : kAllRan);
}

}  // namespace shardlens::cli
