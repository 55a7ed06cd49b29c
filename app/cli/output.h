#pragma once

#include "core/query/query.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace shardlens::cli {

// One line on standard error, and the exit code that goes with it.
int unusable(const std::string& message);

// One compact line on standard output, at once.
void printJson(const nlohmann::ordered_json& json);

// On standard error, why files of a folder are not part of the answer; whether there are some.
bool sayLeftOut(const std::vector<std::string>& reasons);

// What is wrong with a question, and below it the question with that underlined.
std::string underlined(const std::string& question, const QueryMistake& mistake);

// The exit code, unless what was printed could not be written (a full disk).
int finishOutput(int exitCode);

}  // namespace shardlens::cli
