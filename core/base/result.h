#pragma once

#include <tl/expected.hpp>

#include <string>

namespace shardlens {

// What went wrong through the caller's or the world's fault: where, what was found, what was
// expected, in one sentence. Where DTensor has a message for it, its words.
struct Error {
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace shardlens
