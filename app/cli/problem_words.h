#pragma once

#include "app/cli/output.h"
#include "core/query/problems/problems.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens::cli {

class Ink;

// Return a problem as text (the problem, its place and the advice, a line each) and as JSON.
std::string problemText(const Journal& journal, const Problem& problem, const Ink& ink);
nlohmann::ordered_json problemJson(const Problem& problem);

// Prints all problems to standard output; without any, "no problems" or, for JSON, nothing.
void printProblems(const Journal& journal, const std::vector<Problem>& found, Output output);

}  // namespace shardlens::cli
