#include "core/follow/follow.h"
#include "core/follow/socket.h"
#include "core/trace/events/packed_events.h"
#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>

#include <random>
#include <thread>

namespace shardlens {
namespace {

using testing::HasSubstr;
using testing::Not;

const Frame kFile{FrameKind::File, "rank-0.shardlens"};

Frame frame(char kind, std::string body) { return {static_cast<FrameKind>(kind), std::move(body)}; }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// refusal() follows a server that sends these frames after its Hello, and returns the error.
class Follow : public testing::Test {
 protected:
  std::string refusal(const std::vector<Frame>& frames) {
    auto listener = LoopbackListener::open(0);
    if (!listener) return "no listener: " + listener.error().message;
    std::thread server([&] {
      const auto client = listener->accept();
      if (!client || !client->receive(kMostOfHello)) return;
      for (const Frame& each : frames) {
        if (!client->send(packed(each.kind, each.body))) return;
      }
    });
    const auto end = follow({.host = "127.0.0.1",
                             .port = std::to_string(listener->port()),
                             .token = "t",
                             .into = folder_ / std::to_string(++number_),
                             .report = [](const FollowReport&) {}});
    server.join();
    return end ? "ended without an error" : end.error().message;
  }

 private:
  ScratchFolder folder_;
  int number_ = 0;
};

TEST_F(Follow, WritesNoFileOfANameThatNoRecordingHas) {
  const std::string nul("a\0.shardlens", 12);
  for (const std::string& name : {std::string("../a.shardlens"), nul, std::string("a\n.shardlens"),
                                  std::string("\x7f.shardlens"), std::string("\xff.shardlens"),
                                  std::string(".a.shardlens"), std::string("a.txt")}) {
    EXPECT_EQ(refusal({{FrameKind::File, name}}),
              "the server sent an invalid recording name, expected NAME.shardlens in ASCII")
        << name;
  }
}

TEST_F(Follow, EscapesControlCharactersOfARefusal) {
  EXPECT_EQ(refusal({{FrameKind::Refusal, "no \x1b[2J~" + std::string(600, 'x')}}),
            "refused: no ?[2J~" + std::string(492, 'x'));
}

TEST_F(Follow, ReportsWhyAFileCannotBeWritten) {
  EXPECT_THAT(refusal({{FrameKind::File, std::string(300, 'a') + ".shardlens"}}),
              HasSubstr(".shardlens: File name too long"));
}

std::string bytesOf(const auto& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

Frame runningEvents(std::uint32_t count, EventId first) {
  EventBlock block{.first = first};
  for (std::uint32_t i = 0; i < count; ++i) block.add({.duration = Event::kRunning}, {});
  const auto packed = packEvents(block);
  return {
      FrameKind::Events,
      bytesOf(count) + std::string(reinterpret_cast<const char*>(packed.data()), packed.size())};
}

TEST_F(Follow, RefusesTheEndOfASpanThatCannotBe) {
  for (const auto& [id, duration] : {std::pair{1, -1}, {1, -2}, {2, 5}, {0, 5}}) {
    const Frame end{FrameKind::SpanEnd, bytesOf(static_cast<EventId>(id)) +
                                            bytesOf(static_cast<std::int64_t>(duration))};
    EXPECT_EQ(refusal({kFile, runningEvents(1, 1), end, {FrameKind::Refusal, "enough"}}),
              "the server sent the end of a span that is malformed")
        << id << " " << duration;
  }
}

TEST_F(Follow, RefusesRunningSpansWithoutEnd) {
  std::vector<Frame> frames{kFile};
  for (EventId first = 1; first < 70'000; first += kBlockEvents) {
    frames.push_back(runningEvents(kBlockEvents, first));
  }
  EXPECT_EQ(refusal(frames), "the server sent a number of running spans that is malformed");
}

// Frames of every kind with invalid bodies give a one-line error, and never crash.
TEST_F(Follow, RefusesAnyBytesInOneLine) {
  const std::vector<std::string> bodies = {
      "",
      "{}",
      "[]",
      "[1, 2]",
      repeated(R"(["key", )", 100'000) + "\"\"" + repeated("]", 100'000),
      repeated(R"({"a":)", 50'000),
      std::string(63, '\0'),
      std::string(64, '\xff'),
      std::string(4, '\xff') + "{}",
      R"(["key", 7])",
      R"({"name": "x", "dtype": "f8", "shape": "[-1]", "placements": "[]"})"};
  std::vector<std::vector<Frame>> cases;
  for (const std::string& body : bodies) {
    for (const char kind : std::string("mtedv?")) cases.push_back({frame(kind, body)});
    for (const char kind : std::string("mtedv?H")) cases.push_back({kFile, frame(kind, body)});
  }
  std::mt19937 chance(9);
  for (int i = 0; i < 100; ++i) {
    std::vector<Frame> frames{kFile};
    for (int j = 0; j < 5; ++j) {
      std::string body(chance() % 200, '\0');
      for (char& byte : body) byte = static_cast<char>(chance());
      frames.push_back(frame("mstedvAx"[chance() % 8], std::move(body)));
    }
    cases.push_back(std::move(frames));
  }
  for (auto& frames : cases) {
    frames.push_back({FrameKind::Refusal, "enough"});
    const std::string message = refusal(frames);
    EXPECT_THAT(message, Not(HasSubstr("\n"))) << static_cast<char>(frames[0].kind);
    EXPECT_NE(message, "ended without an error");
    EXPECT_THAT(message, Not(HasSubstr("report")));  // not a bug's message
  }
}

}  // namespace
}  // namespace shardlens
