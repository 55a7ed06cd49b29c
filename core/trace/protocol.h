#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <string>
#include <string_view>

namespace shardlens {

// What the window and the engine process say to one another over a local socket: one JSON object a
// line, of 4096 bytes at most. A line that is no request ends the engine. The events themselves
// travel through the recording, which the engine has flushed before it says that it paused or
// finished.

// Window to engine.
struct Request {
  enum class Kind { RunTo, Stop };  // RunTo: pause when `position` events have happened
  Kind kind = Kind::RunTo;
  EventId position = 0;  // the largest EventId: run to the end
  bool operator==(const Request&) const = default;
};

// Engine to window.
struct Report {
  enum class Kind { Paused, Running, Finished };  // Finished: nothing more will happen
  Kind kind = Kind::Paused;
  EventId position = 0;  // events that have happened
  bool operator==(const Report&) const = default;
};

std::string encode(const Request& request);  // with the newline
std::string encode(const Report& report);
Result<Request> parseRequest(std::string_view line);
Result<Report> parseReport(std::string_view line);

}  // namespace shardlens
