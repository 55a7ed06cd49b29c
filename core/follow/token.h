#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace shardlens {

// Returns a new secret for clients of serve: 128 random bits in hexadecimal.
Result<std::string> drawToken();
// Returns the first line of a file. Returns an error if other users have any access to the file, or
// the line is shorter than 16 characters.
Result<std::string> readToken(const std::filesystem::path& file);
// Compares in constant time, independent of where the tokens differ.
bool sameToken(std::string_view got, std::string_view expected);

}  // namespace shardlens
