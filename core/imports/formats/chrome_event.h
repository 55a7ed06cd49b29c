#pragma once

#include "core/imports/input/json_reader.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace shardlens {

// Arguments of a record_param_comms event (a c10d collective). Missing ones are empty, or have the
// default number below.
struct CommunicationArguments {
  std::string name, dtype, group, description, ranks;
  std::int64_t inputElements = -1, groupSize = 0, rankStart = -1, rankStride = 0, sequence = 0;
};

// One event of a Chrome trace. readChromeEvents() reuses one object, so copy what must outlive the
// callback.
struct ChromeEvent {
  char phase = 0;  // X, B, E, M, ...
  std::string category, name;
  std::int64_t process = 0, thread = 0;
  std::int64_t time = 0, duration = 0;   // nanoseconds, on the trace's clock
  CommunicationArguments communication;  // set for record_param_comms only
  std::int64_t inputBytes = 0;  // for c10d operators: size of the first input tensor; 0 is unknown
};

// Reads a JSON list of events and calls `take` for each, in file order. `json` must be at the list:
// the member traceEvents, or the whole file in the older form. Throws BadDump.
void readChromeEvents(JsonReader& json, const std::function<void(const ChromeEvent&)>& take);

// Converts decimal microseconds, as "12.345", to nanoseconds. Digits below a nanosecond are
// dropped. Text with more than 15 whole digits or an exponent is converted in double precision;
// returns 0 beyond 9e18.
std::int64_t nanoseconds(std::string_view microseconds);

}  // namespace shardlens
