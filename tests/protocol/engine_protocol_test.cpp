#include "core/protocol/engine_protocol.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(Protocol, RequestsRoundTrip) {
  for (const auto kind : {Request::Kind::RunTo, Request::Kind::Stop}) {
    for (const EventId position : {0U, 12U, 4294967295U}) {
      const Request request{kind, position};
      EXPECT_EQ(parseRequest(encode(request)).value(), request);
    }
  }
  EXPECT_EQ(encode(Request{Request::Kind::RunTo, 12}),
            "{\"request\":\"run_to\",\"position\":12}\n");
}

TEST(Protocol, ReportsRoundTrip) {
  for (const auto kind : {Report::Kind::Paused, Report::Kind::Running, Report::Kind::Finished}) {
    const Report report{kind, 7};
    EXPECT_EQ(parseReport(encode(report)).value(), report);
  }
  EXPECT_EQ(encode(Report{Report::Kind::Paused, 7}), "{\"report\":\"paused\",\"position\":7}\n");
}

TEST(Protocol, ReportsTheErrorOfALine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "one JSON object a line"},
      {"run", "one JSON object a line"},
      {"[1]", "one JSON object a line"},
      {R"({"position":1})", "a text `request`"},
      {R"({"request":1,"position":1})", "a text `request`"},
      {R"({"request":"run_to"})", "a `position` from 0 to 4294967295"},
      {R"({"request":"run_to","position":-1})", "a `position` from 0 to 4294967295"},
      {R"({"request":"run_to","position":1.5})", "a `position` from 0 to 4294967295"},
      {R"({"request":"run_to","position":4294967296})", "a `position` from 0 to 4294967295"},
      {R"({"request":"jump","position":1})", "`request` to be run_to or stop"},
  };
  for (const auto& [line, expected] : cases) {
    const auto request = parseRequest(line + "\n");
    ASSERT_FALSE(request.has_value()) << line;
    EXPECT_EQ(request.error().message, "engine protocol: got `" + line + "`, expected " + expected);
  }
  EXPECT_EQ(parseReport(R"({"report":"lost","position":1})").error().message,
            R"(engine protocol: got `{"report":"lost","position":1}`, expected `report` to be)"
            " paused, running or finished");
}

}  // namespace
}  // namespace shardlens
