#include "core/view/words/empty_text.h"

#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>

namespace shardlens::view {

std::string noneText(const Journal& journal, std::string_view things, std::string_view otherwise) {
  if (!isImported(journal)) return std::string(otherwise);
  return fmt::format("No {} up to here in this {}.", things, journal.meta("imported"));
}

}  // namespace shardlens::view
