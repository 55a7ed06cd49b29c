#pragma once

#include <stdexcept>
#include <string>

namespace shardlens {

// Thrown when an invariant of Shardlens' own code is violated: a bug, never the user's fault.
class CheckFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws CheckFailed. Only SL_CHECK calls it.
[[noreturn]] inline void failCheck(const char* file, int line, const char* condition,
                                   const std::string& text) {
  throw CheckFailed(std::string(file) + ":" + std::to_string(line) + ": " + condition + ": " +
                    text);
}

}  // namespace shardlens

// Throws CheckFailed with the file, line, condition and `text` if the condition is false. Active in
// all builds; `text` is evaluated only on failure.
#define SL_CHECK(condition, text)        \
  (static_cast<bool>(condition) ? void() \
                                : ::shardlens::failCheck(__FILE__, __LINE__, #condition, (text)))
