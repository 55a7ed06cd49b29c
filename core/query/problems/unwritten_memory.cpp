#include "core/query/problems/unwritten_memory.h"

#include "core/inference/operator_words.h"
#include "core/query/language/event_around.h"

#include <algorithm>
#include <array>

namespace shardlens {

bool allocates(const Journal& journal, EventId id) {
  if (aroundOf(journal, id, EventKind::Redistribute) != 0) return false;
  const EventId call = aroundOf(journal, id, EventKind::Operator);
  if (call == 0) return journal.name(journal.at(id)) == "empty";
  const std::string_view word = wordOf(journal.name(journal.at(call)));
  return word.starts_with("empty") || word.starts_with("new_empty");
}

bool isMemoryView(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames = {
      "view",   "detach",  "alias",     "t",          "transpose", "permute",
      "expand", "squeeze", "unsqueeze", "as_strided", "slice",     "select"};
  return std::ranges::find(kNames, wordOf(name)) != kNames.end();
}

}  // namespace shardlens
