#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// A step as Markdown to paste into an issue: the line of the program, how its tensors lie, what was
// decided and why, the plans with what each of their steps sends, and the collectives. It says of
// what there is much how much more there is. Refuses a step that the recording does not have.
Result<std::string> stepMarkdown(const Journal& journal, int step);

}  // namespace shardlens
