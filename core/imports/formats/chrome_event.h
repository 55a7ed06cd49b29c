#pragma once

#include "core/imports/input/json_reader.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace shardlens {

// What record_param_comms says of a collective; empty, -1 or 0 where it does not.
struct CommunicationArguments {
  std::string name, dtype, group, description, ranks;
  std::int64_t inputElements = -1, groupSize = 0, rankStart = -1, rankStride = 0, sequence = 0;
};

// An event of a Chrome trace, as it is read. Texts are used again for the next one.
struct ChromeEvent {
  char phase = 0;  // X, B, E, M, ...
  std::string category, name;
  std::int64_t process = 0, thread = 0;
  std::int64_t time = 0, duration = 0;  // nanoseconds
  CommunicationArguments communication;
  std::int64_t inputBytes = 0;  // of the operator's first tensor, as Kineto tells of those of c10d
};

// Of a trace's list of events, or, in the older form, of the whole: each is told in turn.
void readChromeEvents(JsonReader& json, const std::function<void(const ChromeEvent&)>& take);

// "12.345" microseconds as nanoseconds, without loss.
std::int64_t nanoseconds(std::string_view microseconds);

}  // namespace shardlens
