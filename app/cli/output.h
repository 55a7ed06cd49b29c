#pragma once

#include "core/query/query.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace shardlens::cli {

// What the program is asked to print: words for a person, or JSON for a program.
enum class Output { Words, Json };

// How the program ends (SCENARIO.md).
inline constexpr int kAllRan = 0;
inline constexpr int kRefused = 1;   // or a result differs from the plain one
inline constexpr int kUnusable = 2;  // the command line or a file is wrong

// How this process says what is wrong; words until it is told.
void setErrorOutput(Output output);

// One line on standard error, and the exit code that goes with it.
int unusable(const std::string& message);

// One compact line on standard output, at once.
void printJson(const nlohmann::ordered_json& json);

// Where something was written, and how large it is; nothing of what is no file, as a pipe.
void sayWritten(const std::filesystem::path& path, Output output);

// On standard error, for people, that what was asked for is not there; kRefused.
int sayNothing(const std::string& what, Output output);

// On standard error, why files of a folder are not part of the answer; whether there are some.
bool sayLeftOut(const std::vector<std::string>& reasons);

// What is wrong with a question, and below it the question with that underlined.
std::string underlined(const std::string& question, const QueryMistake& mistake);

// The exit code, unless what was printed could not be written (a full disk).
int finishOutput(int exitCode);

}  // namespace shardlens::cli
