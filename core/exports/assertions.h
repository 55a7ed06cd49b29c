#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace shardlens {

// Writes a Python module with the placements that are inferred for the plain tensors of a job, and
// a function assert_placements(model) that states them by shardlens.assert_placement() in a later
// run. Returns the tensors and axes whose placement is unknown: "norm along dp". Returns an error
// if the recording has no plain tensors.
Result<std::vector<std::string>> writeAssertions(const Journal& journal, std::ostream& out);

}  // namespace shardlens
