#pragma once

#include "core/base/result.h"
#include "core/trace/file/database.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace shardlens {

// A connection to a recording that this Shardlens can read, or why there is none, naming the file.
// Recovers what a killed writer left beside it where the place can be written, and does without
// where it cannot.
Result<std::unique_ptr<Database>> openRecording(const std::filesystem::path& path);

// What a message says of a recording's text: of a long one the beginning.
std::string excerpt(std::string_view text);

// What SQLite's complaint means for whoever reads this file.
Error explain(const std::filesystem::path& path, const DatabaseError& problem);

}  // namespace shardlens
