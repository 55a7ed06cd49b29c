#pragma once

#include "app/cli/output.h"
#include "core/query/problems/problems.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens::cli {

class Ink;

// Return a problem as text and as JSON. The text has the problem, the place of its first event, and
// the advice, a line each. A problem without events has no place.
std::string problemText(const Journal& journal, const Problem& problem, const Ink& ink);
nlohmann::ordered_json problemJson(const Journal& journal, const Problem& problem);

// Prints all problems to standard output, for JSON one object per line. Without any, prints "no
// problems" or, for JSON, nothing.
void printProblems(const Journal& journal, const std::vector<Problem>& found, Output output);

}  // namespace shardlens::cli
