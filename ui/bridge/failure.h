#pragma once

#include "core/trace/journal/journal.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardlens {

// What went wrong in a run, in a sentence, and where to look.
struct Failure {
  QString text;
  EventId at = 0;
};

// `lost`: the ranks whose process died. None where nothing went wrong.
std::optional<Failure> failureOf(const Journal& journal, const std::vector<int>& lost);

}  // namespace shardlens
