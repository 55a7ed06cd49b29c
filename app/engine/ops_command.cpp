#include "app/cli/ink.h"
#include "app/cli/output.h"
#include "app/engine/engine_programs.h"
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

Json jsonOf(const OpEntry& entry) {
  return {{"name", entry.name},
          {"family", entry.use.rule->family},
          {"per_element", entry.use.perElement},
          {"in_place", entry.inPlace},
          {"own_kernel", entry.kernel != nullptr},
          {"schema", schemaText(entry)}};
}

// What there is to say of an operator beside its name.
std::string notes(const OpEntry& entry) {
  std::string text;
  const auto add = [&](std::string_view note) {
    text.append(text.empty() ? "" : ", ").append(note);
  };
  if (entry.use.perElement) add("element by element");
  if (entry.inPlace) add("in place");
  if (entry.kernel != nullptr && entry.kernel->run != nullptr) add("a kernel of its own");
  return text;
}

void print(const OpEntry& entry, const Ink& ink, bool withSchema) {
  constexpr std::size_t kColumn = 44;
  std::string name = entry.name;
  name.resize(std::max(kColumn, name.size() + 2), ' ');
  std::cout << name << entry.use.rule->family;
  if (const auto text = notes(entry); !text.empty()) std::cout << ink.dim("  " + text);
  std::cout << '\n';
  if (withSchema) std::cout << ink.dim("  " + schemaText(entry)) << '\n';
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
      list.push_back(jsonOf(entry));
    } else {
      print(entry, ink, /*withSchema=*/!options.name.empty());
    }
  }
  if (options.output == Output::Json) {
    printJson({{"shardlens", 1}, {"operators", std::move(list)}});
  } else if (found == 0) {
    std::cout << "no operator whose name has '" << options.name << "' in it has a rule\n";
  } else {
    std::cout << "with a rule: " << found << '\n';
  }
  return finishOutput(found == 0 ? kRefused : kAllRan);
}

}  // namespace shardlens::cli
