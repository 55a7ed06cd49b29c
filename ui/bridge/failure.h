#pragma once

#include "core/query/problems.h"

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

// How a run ended, where no event says it: the ranks whose process died, and what was said of its
// end; empty where nothing was.
std::vector<Problem> endingOf(const Journal& journal, const std::vector<int>& lost,
                              const QString& said);

}  // namespace shardlens
