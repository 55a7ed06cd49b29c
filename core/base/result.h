#pragma once

#include <tl/expected.hpp>

#include <string>

namespace shardlens {

// A failure caused by the caller or the environment, as one sentence: where, got, expected. Uses
// DTensor's own message where DTensor has one.
struct Error {
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

// Returns `message` as an error that converts to any Result.
inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace shardlens
