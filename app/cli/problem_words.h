#pragma once

#include "app/cli/output.h"
#include "core/query/problems.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens::cli {

class Ink;

// A problem in three lines: what it is, where, and what to do; and as an object.
std::string problemText(const Journal& journal, const Problem& problem, const Ink& ink);
nlohmann::ordered_json problemJson(const Problem& problem);

// All of them on standard output, or that there is none.
void printProblems(const Journal& journal, const std::vector<Problem>& found, Output output);

}  // namespace shardlens::cli
