#pragma once

#include <stdexcept>
#include <string>

namespace shardlens {

// Thrown by the readers of this room for a file that is missing, damaged or not supported. The
// message names the file, what was found and what was expected. openCheckpoint() turns it into an
// error, and the checks of single slices turn it into a problem.
class BadCheckpoint : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace shardlens
