#include "core/comm/gloo.h"
#include "tests/comm/free_port.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace shardlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Two processes, as far as Gloo can tell. The second leaves first: the first one waits for it.
struct Two {
  std::shared_ptr<GlooProcesses> first, second;
};

Two joinTwo() {
  const int port = freePort();
  const auto join = [port](int process) {
    const Rendezvous meeting{process, 2, "127.0.0.1", static_cast<std::uint16_t>(port)};
    return GlooProcesses::join(meeting, std::chrono::seconds(20)).value();
  };
  auto other = std::async(std::launch::async, join, 1);
  auto first = join(0);
  return {std::move(first), other.get()};
}

TEST(GlooFailure, NamesTheCollectiveAndTheRankThatIsGone) {
  auto processes = joinTwo();
  const auto comm = GlooCommunicator::make(processes.first, 2).value();
  processes.second = nullptr;
  const Buffers buffers = {at::ones({3})};
  try {
    comm->allReduce({"tp", 0, {{0, 1}}}, buffers, buffers, {});
    FAIL() << "nobody is there to reduce with";
  } catch (const LinkFailed& e) {
    EXPECT_THAT(e.what(), StartsWith("all_reduce among ranks 0,1: rank 0 expected 12 bytes from "
                                     "rank 1: "));
  }
}

TEST(GlooFailure, WhoLeavesEarlyLeavesTheOthersWhatItSaid) {
  auto processes = joinTwo();
  const auto say = [](std::shared_ptr<GlooProcesses> process) {
    return process->exchangeWords("numbers", std::to_string(process->process()));
  };
  auto other = std::async(std::launch::async, say, std::move(processes.second));
  EXPECT_EQ(say(processes.first), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(other.get(), (std::vector<std::string>{"0", "1"}));
}

TEST(GlooFailure, WordsNameTheProcessThatIsGone) {
  auto processes = joinTwo();
  processes.second = nullptr;
  try {
    processes.first->exchangeWords("the weather", "fine");
    FAIL() << "nobody is there to talk to";
  } catch (const LinkFailed& e) {
    EXPECT_THAT(e.what(), StartsWith("process 0 expected 8 bytes from process 1: "));
  }
}

TEST(GlooFailure, WordsOfAnotherMatterAreNotTakenForAnAnswer) {
  const auto processes = joinTwo();
  const auto complaint = [](GlooProcesses& process, const std::string& about) {
    try {
      process.exchangeWords(about, "yes");
    } catch (const LinkFailed& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  auto other = std::async(std::launch::async, complaint, std::ref(*processes.second), "the end");
  EXPECT_EQ(complaint(*processes.first, "step y"),
            "process 1 spoke of the end, expected step y: all processes have to do the same");
  EXPECT_EQ(other.get(),
            "process 0 spoke of step y, expected the end: all processes have to do the same");
}

// Process 1 has a rank's message under way, of the same two numbers, when it begins to speak.
TEST(GlooFailure, WordsDoNotMeetTheMessagesOfRanks) {
  const auto processes = joinTwo();
  auto other = std::async(std::launch::async, [&] {
    std::vector<std::string> heard;
    processes.second->exchange({{1, 0, 0, at::full({1}, 7, at::kLong)}}, {},
                               [&] { heard = processes.second->exchangeWords("numbers", "one"); });
    return heard;
  });
  const std::vector<std::string> said = {"zero", "one"};
  EXPECT_EQ(processes.first->exchangeWords("numbers", "zero"), said);
  const auto into = at::zeros({1}, at::kLong);
  processes.first->exchange({}, {{1, 0, 1, into}}, [] {});
  EXPECT_EQ(into.item<std::int64_t>(), 7);
  EXPECT_EQ(other.get(), said);
}

TEST(GlooFailure, RanksAreSpreadEvenly) {
  const auto processes = joinTwo();
  EXPECT_EQ(GlooCommunicator::make(processes.second, 6).value()->hosted(),
            (std::vector<int>{3, 4, 5}));
  for (const int ranks : {0, 1, 3, 50000}) {
    EXPECT_EQ(
        GlooCommunicator::make(processes.first, ranks).error().message,
        std::to_string(ranks) + " ranks on 2 processes: a multiple of 2 below 46340 is expected");
  }
}

TEST(GlooFailure, SaysWhomItCouldNotJoin) {
  const int port = freePort();
  const Rendezvous meeting{1, 2, "127.0.0.1", static_cast<std::uint16_t>(port)};
  const auto joined = GlooProcesses::join(meeting, std::chrono::milliseconds(100));
  ASSERT_FALSE(joined.has_value());
  EXPECT_THAT(joined.error().message,
              StartsWith("process 1 of 2 could not join the others at 127.0.0.1:" +
                         std::to_string(port) + ": "));
}

}  // namespace
}  // namespace shardlens
