#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <string>
#include <string_view>

namespace shardlens {

// The protocol between the window and the engine process on a local socket: one JSON object per
// line, of at most 4096 bytes. The engine exits on a line that is not a request. Events are not
// sent but read from the recording, which the engine flushes before it reports Paused or Finished.

// Window to engine.
struct Request {
  enum class Kind { RunTo, Stop };  // RunTo: pause after `position` events
  Kind kind = Kind::RunTo;
  EventId position = 0;  // the largest EventId: run to the end; unused by Stop
  bool operator==(const Request&) const = default;
};

// Engine to window.
struct Report {
  enum class Kind { Paused, Running, Finished };  // Finished: no more events follow
  Kind kind = Kind::Paused;
  EventId position = 0;  // events recorded so far
  bool operator==(const Report&) const = default;
};

std::string encode(const Request& request);  // one line, newline included
std::string encode(const Report& report);
// Return an error for a line that is not a valid message; a trailing newline is allowed.
Result<Request> parseRequest(std::string_view line);
Result<Report> parseReport(std::string_view line);

}  // namespace shardlens
