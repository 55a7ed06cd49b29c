#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens {

// Returns a step as Markdown for an issue: the program line, errors, bookmarks, tensors with their
// placements, decisions, plans and collectives. Long lists are truncated and end with the number of
// omitted items. Returns an error if the recording does not have the step.
Result<std::string> stepMarkdown(const Journal& journal, int step,
                                 view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
