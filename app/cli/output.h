#pragma once

#include "core/query/language/query.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace shardlens::cli {

// The form of the output: text for users, or JSON for programs.
enum class Output { Words, Json };

// Exit codes (SCENARIO.md).
inline constexpr int kAllRan = 0;
inline constexpr int kRefused = 1;   // refused, found or not found: each command states which
inline constexpr int kUnusable = 2;  // the command line or a file is wrong

// Sets the form of error messages of this process, which is Words initially.
void setErrorOutput(Output output);

// Prints an error to standard error and returns kUnusable.
int unusable(const std::string& message);

// Prints one compact line to standard output and flushes it.
void printJson(const nlohmann::ordered_json& json);

// Prints the path and size of a written file to standard output. Prints nothing if the path is no
// regular file, such as a pipe.
void reportWritten(const std::filesystem::path& path, Output output);

// Reports that nothing was found: prints `what` to standard error, or nothing for JSON. Returns
// kRefused.
int reportNoMatch(const std::string& what, Output output);

// Prints to standard error why files of a folder were left out. Returns true if there are any
// reasons.
bool reportLeftOut(const std::vector<std::string>& reasons);

// Returns the message and, below it, the query with the mistake underlined.
std::string underlined(const std::string& queryText, const QueryMistake& mistake);

// Flushes standard output and returns the exit code. If the output could not be written (e.g. a
// full disk), prints an error and returns kUnusable.
int finishOutput(int exitCode);

}  // namespace shardlens::cli
