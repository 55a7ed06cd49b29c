#include "core/protocol/engine_protocol.h"

#include "core/base/json_text.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace shardlens {

namespace {

using nlohmann::json;

std::string lineOf(const char* word, const char* kind, EventId position) {
  return jsonText(nlohmann::ordered_json{{word, kind}, {"position", position}}) + "\n";
}

tl::unexpected<Error> bad(std::string_view line, const std::string& expected) {
  constexpr std::size_t kShown = 80;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  std::string shown(line.substr(0, kShown));
  const auto isControl = [](char letter) { return (letter >= 0 && letter < ' ') || letter == 127; };
  std::replace_if(shown.begin(), shown.end(), isControl, '?');
  if (line.size() > kShown) shown += "...";
  return fail("engine protocol: got `" + shown + "`, expected " + expected);
}

std::optional<EventId> positionOf(const json& object) {
  const auto found = object.find("position");
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto position = found->get<std::uint64_t>();
  if (position > std::numeric_limits<EventId>::max()) return std::nullopt;
  return static_cast<EventId>(position);
}

struct Message {
  std::string kind;
  EventId position = 0;
};

// Parses a message of either direction; they differ only in the member that names the kind.
Result<Message> parseMessage(std::string_view line, const char* word) {
  const json object = parsedJson(line);
  if (!object.is_object()) return bad(line, "one JSON object a line");
  const auto kind = object.find(word);
  if (kind == object.end() || !kind->is_string()) {
    return bad(line, std::string("a text `") + word + "`");
  }
  const auto position = positionOf(object);
  if (!position) return bad(line, "a `position` from 0 to 4294967295");
  return Message{kind->get<std::string>(), *position};
}

const char* kindText(Request::Kind kind) {
  return kind == Request::Kind::RunTo ? "run_to" : "stop";
}

const char* kindText(Report::Kind kind) {
  switch (kind) {
    case Report::Kind::Paused:
      return "paused";
    case Report::Kind::Running:
      return "running";
    case Report::Kind::Finished:
      break;
  }
  return "finished";
}

}  // namespace

std::string encode(const Request& request) {
  return lineOf("request", kindText(request.kind), request.position);
}

std::string encode(const Report& report) {
  return lineOf("report", kindText(report.kind), report.position);
}

Result<Request> parseRequest(std::string_view line) {
  const auto message = parseMessage(line, "request");
  if (!message) return tl::unexpected(message.error());
  for (const auto kind : {Request::Kind::RunTo, Request::Kind::Stop}) {
    if (message->kind == kindText(kind)) return Request{kind, message->position};
  }
  return bad(line, "`request` to be run_to or stop");
}

Result<Report> parseReport(std::string_view line) {
  const auto message = parseMessage(line, "report");
  if (!message) return tl::unexpected(message.error());
  for (const auto kind : {Report::Kind::Paused, Report::Kind::Running, Report::Kind::Finished}) {
    if (message->kind == kindText(kind)) return Report{kind, message->position};
  }
  return bad(line, "`report` to be paused, running or finished");
}

}  // namespace shardlens
