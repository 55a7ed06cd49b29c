#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens::cli {

// One line on standard error, and the exit code that goes with it.
int unusable(const std::string& message);

// One compact line on standard output, at once.
void printJson(const nlohmann::ordered_json& json);

// The exit code, unless what was printed could not be written (a full disk).
int finishOutput(int exitCode);

}  // namespace shardlens::cli
