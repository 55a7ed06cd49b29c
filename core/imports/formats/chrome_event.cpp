#include "core/imports/formats/chrome_event.h"

#include "core/base/real_number.h"
#include "core/imports/collectives.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace shardlens {

namespace {

constexpr std::string_view kCommunication = "record_param_comms";

// Reads a process or thread id. Names, as "PyTorch Profiler", are hashed to negative numbers.
std::int64_t idOf(JsonReader& json) {
  if (json.kind() == JsonReader::Kind::Number) return json.integer();
  return -1 - static_cast<std::int64_t>(std::hash<std::string>{}(json.asText()) >> 2U);
}

// Reads "Input Dims" and returns the element count of the argument at `place`: [[2, 3], []]. For a
// list of tensors, counts the first one: [[[2, 3]], []]. Returns -1 without sizes.
std::int64_t elementsOf(JsonReader& json, std::size_t place) {
  std::int64_t elements = -1;
  const auto multiply = [&] {
    const std::int64_t size = json.integer();
    if (elements < 0) elements = 1;
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements)) elements = 0;
  };
  std::size_t at = 0;
  json.list([&] {
    if (at++ != place || json.kind() != JsonReader::Kind::List) return json.skip();
    std::size_t inner = 0;
    json.list([&] {
      if (json.kind() != JsonReader::Kind::List) {
        json.kind() == JsonReader::Kind::Number ? multiply() : json.skip();
      } else if (inner++ == 0) {
        json.list([&] { json.kind() == JsonReader::Kind::Number ? multiply() : json.skip(); });
      } else {
        json.skip();
      }
    });
  });
  return elements;
}

// Reads "Input type" and returns the type of the argument at `place`.
std::string typeOf(JsonReader& json, std::size_t place) {
  std::string type;
  std::size_t at = 0;
  json.list([&] {
    if (at++ == place) {
      type = json.asText();
    } else {
      json.skip();
    }
  });
  return type;
}

void readCommunication(JsonReader& json, std::string_view key, CommunicationArguments& into) {
  const auto numberOrSkip = [&](std::int64_t& field) {
    if (json.kind() == JsonReader::Kind::Number) {
      field = json.integer();
    } else {
      json.skip();
    }
  };
  if (key == "Collective name") {
    into.name = json.asText();
  } else if (key == "dtype") {
    into.dtype = json.asText();
  } else if (key == "Process Group Name") {
    into.group = json.asText();
  } else if (key == "Process Group Description") {
    into.description = json.asText();
  } else if (key == "Process Group Ranks") {
    into.ranks = json.asText();
  } else if (key == "In msg nelems") {
    numberOrSkip(into.inputElements);
  } else if (key == "Group size") {
    numberOrSkip(into.groupSize);
  } else if (key == "Global rank start") {
    numberOrSkip(into.rankStart);
  } else if (key == "Global rank stride") {
    numberOrSkip(into.rankStride);
  } else if (key == "Seq") {
    numberOrSkip(into.sequence);
  } else {
    json.skip();
  }
}

// Sets inputBytes. c10d's _allgather_base_ and _reduce_scatter_base_ take the output first.
void readInputs(JsonReader& json, ChromeEvent& event) {
  const std::size_t place = event.name.find("_base_") != std::string::npos ? 1 : 0;
  std::string type;
  std::int64_t elements = -1;
  json.object([&](std::string_view key) {
    if (key == "Input type" && json.kind() == JsonReader::Kind::List) {
      type = typeOf(json, place);
    } else if (key == "Input Dims" && json.kind() == JsonReader::Kind::List) {
      elements = elementsOf(json, place);
    } else {
      json.skip();
    }
  });
  const int size = elementSize(type);
  if (elements > 0 && elements <= std::numeric_limits<std::int64_t>::max() / 8) {
    event.inputBytes = elements * size;
  }
}

void readArguments(JsonReader& json, ChromeEvent& event) {
  if (json.kind() != JsonReader::Kind::Object) return json.skip();
  if (event.name == kCommunication) {
    json.object([&](std::string_view key) { readCommunication(json, key, event.communication); });
  } else if (event.name.find("c10d") < 2) {  // "c10d::allreduce_", "_c10d_functional::all_reduce"
    readInputs(json, event);
  } else {
    json.skip();
  }
}

void readField(JsonReader& json, std::string_view key, ChromeEvent& event) {
  const auto textInto = [&](std::string& field) {
    if (json.kind() == JsonReader::Kind::Text) {
      field = json.text();
    } else {
      field = json.asText();
    }
  };
  const auto timeOf = [&]() -> std::int64_t {
    if (json.kind() == JsonReader::Kind::Number) return nanoseconds(json.number());
    json.skip();
    return 0;
  };
  if (key == "ph") {
    const std::string_view phase = json.text();
    event.phase = phase.empty() ? '\0' : phase.front();
  } else if (key == "cat") {
    textInto(event.category);
  } else if (key == "name") {
    textInto(event.name);
  } else if (key == "pid") {
    event.process = idOf(json);
  } else if (key == "tid") {
    event.thread = idOf(json);
  } else if (key == "ts") {
    event.time = timeOf();
  } else if (key == "dur") {
    event.duration = timeOf();
  } else if (key == "args") {
    readArguments(json, event);
  } else {
    json.skip();
  }
}

}  // namespace

std::int64_t nanoseconds(std::string_view microseconds) {
  constexpr std::size_t kMostDigits = 15;
  const auto isDigit = [&](std::size_t at) {
    return at < microseconds.size() && microseconds[at] >= '0' && microseconds[at] <= '9';
  };
  const bool isNegative = microseconds.starts_with('-');
  const std::size_t begin = isNegative ? 1 : 0;
  std::size_t at = begin;
  std::int64_t value = 0;
  for (; isDigit(at) && at - begin < kMostDigits; ++at)
    value = value * 10 + (microseconds[at] - '0');
  value *= 1000;
  if (at < microseconds.size() && microseconds[at] == '.') {
    ++at;
    for (std::int64_t unit = 100; isDigit(at); unit /= 10)
      value += unit * (microseconds[at++] - '0');
  }
  if (at == microseconds.size()) return isNegative ? -value : value;
  const double real = realNumber(microseconds) * 1000;
  return std::abs(real) < 9e18 ? static_cast<std::int64_t>(real) : 0;
}

void readChromeEvents(JsonReader& json, const std::function<void(const ChromeEvent&)>& take) {
  ChromeEvent event;
  json.list([&] {
    if (event.name == kCommunication) event.communication = {};
    event.phase = 0;
    event.category.clear();
    event.name.clear();
    event.process = event.thread = event.time = event.duration = event.inputBytes = 0;
    json.object([&](std::string_view key) { readField(json, key, event); });
    take(event);
  });
}

}  // namespace shardlens
