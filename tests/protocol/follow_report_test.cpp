#include "core/protocol/follow_report.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

using Kind = FollowReport::Kind;

TEST(FollowReport, RoundTrips) {
  for (const Kind kind : {Kind::Following, Kind::Retrying, Kind::RunEnded, Kind::ConnectionLost}) {
    const FollowReport report{kind};
    EXPECT_EQ(parseFollowReport(encode(report)).value(), report);
  }
  const FollowReport recording{Kind::Recording, "rank-0.shardlens"};
  EXPECT_EQ(parseFollowReport(encode(recording)).value(), recording);
  EXPECT_EQ(encode(recording), "{\"follow\":\"recording\",\"file\":\"rank-0.shardlens\"}\n");
}

TEST(FollowReport, ReportsTheErrorOfALine) {
  const auto wrong = [](const char* line) { return parseFollowReport(line).error().message; };
  EXPECT_EQ(wrong("following"), "follow: expected one JSON object a line");
  EXPECT_EQ(wrong(R"({"follow":"recording","file":1})"),
            "follow: got a recording without a name, expected a text `file`");
  EXPECT_EQ(
      wrong(R"({"follow":"paused"})"),
      "follow: got `paused`, expected `follow` to be following, recording, retrying, run_ended"
      " or connection_lost");
}

}  // namespace
}  // namespace shardlens
