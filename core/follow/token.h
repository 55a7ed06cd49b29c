#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace shardlens {

// What a client of serve has to know: 128 random bits in hexadecimal.
Result<std::string> drawToken();
// The first line of a file that nobody but its owner may read.
Result<std::string> readToken(const std::filesystem::path& file);
// Takes as long wherever they differ.
bool sameToken(std::string_view got, std::string_view expected);

}  // namespace shardlens
