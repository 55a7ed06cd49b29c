#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardlens {

// Thrown by the readers of this folder for malformed input. The message states where, got and
// expected, without the file name. importDumps() turns it into an error that names the file;
// isDump() into false.
class BadDump : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws BadDump. `where` is a position, as "byte 12" or "line 3".
[[noreturn]] inline void refuseDump(const std::string& where, const std::string& got,
                                    const std::string& expected) {
  throw BadDump(fmt::format("{}: got {}, expected {}", where, got, expected));
}

}  // namespace shardlens
