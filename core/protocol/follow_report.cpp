#include "core/protocol/follow_report.h"

#include "core/base/json_text.h"

namespace shardlens {
namespace {

using Kind = FollowReport::Kind;

const char* kindText(Kind kind) {
  switch (kind) {
    case Kind::Following:
      return "following";
    case Kind::Recording:
      return "recording";
    case Kind::Retrying:
      return "retrying";
    case Kind::RunEnded:
      return "run_ended";
    case Kind::ConnectionLost:
      break;
  }
  return "connection_lost";
}

}  // namespace

std::string encode(const FollowReport& report) {
  nlohmann::ordered_json object{{"follow", kindText(report.kind)}};
  if (report.kind == Kind::Recording) object["file"] = report.file;
  return jsonText(object) + "\n";
}

Result<FollowReport> parseFollowReport(std::string_view line) {
  const nlohmann::json object = parsedJson(line);
  if (!object.is_object()) return fail("follow: expected one JSON object a line");
  const std::string word = textOf(object, "follow");
  for (const Kind kind :
       {Kind::Following, Kind::Recording, Kind::Retrying, Kind::RunEnded, Kind::ConnectionLost}) {
    if (word != kindText(kind)) continue;
    FollowReport report{kind, kind == Kind::Recording ? textOf(object, "file") : std::string()};
    if (kind == Kind::Recording && report.file.empty())
      return fail("follow: got a recording without a name, expected a text `file`");
    return report;
  }
  return fail("follow: got `" + word +
              "`, expected `follow` to be following, recording, retrying, run_ended or"
              " connection_lost");
}

}  // namespace shardlens
