#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardlens {

// A dump that cannot be read: where, got, expected. Thrown by the readers of this room, so that
// their loops ask nothing, and caught by importDumps() alone, which names the file.
class BadDump : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `where`: "byte 12", "line 3".
[[noreturn]] inline void refuseDump(const std::string& where, const std::string& got,
                                    const std::string& expected) {
  throw BadDump(fmt::format("{}: got {}, expected {}", where, got, expected));
}

}  // namespace shardlens
