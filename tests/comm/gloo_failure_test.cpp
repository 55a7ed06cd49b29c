#include "core/cluster/ports.h"
#include "core/cluster/status_store.h"
#include "core/cluster/timeouts.h"
#include "core/comm/gloo/gloo_communicator.h"
#include "tests/comm/backends.h"
#include "tests/comm/together.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>

namespace shardlens {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const Buffers kThree = {at::ones({3})};

Together::Program reduces(int ranks, std::int64_t size, at::ScalarType dtype = at::kFloat) {
  return [=](Processes& process, Communicator& comm) {
    process.setStep("step y");
    const Buffers buffers = {at::ones({size}, dtype)};
    comm.allReduce(everyone(ranks), buffers, buffers, {});
  };
}

TEST(GlooFailure, AllNameADeadRankEqually) {
  Together processes(3);
  processes[2]->setStep("step x");
  processes[2] = nullptr;
  const auto messages = processes.run({reduces(3, 3), reduces(3, 3)});
  EXPECT_THAT(messages[0],
              AllOf(StartsWith("step y: all_reduce among ranks 0-2: rank 2 has left, last "
                               "heartbeat in step x; rank "),
                    HasSubstr(" expected 12 bytes from rank 2")));
  EXPECT_EQ(messages[1], messages[0]);
}

// A process that waits inside of NCCL has no connection that breaks when a peer exits.
TEST(GlooFailure, NamesADeadProcessAlsoOutsideOfGloosCollectives) {
  Together processes(3);
  processes[2]->setStep("step x");
  processes[2] = nullptr;
  const auto waits = [](Processes& process, Communicator&) {
    process.setStep("step y");
    process.setRanksPerProcess(1);
    process.runCollective(Purpose::among("all_reduce", everyone(3)), /*nextTakesPart=*/true, [&] {
      while (!process.ended()) std::this_thread::yield();
      throw std::runtime_error("called off");
    });
  };
  const auto messages = processes.run({waits, waits});
  EXPECT_EQ(messages[0],
            "step y: all_reduce among ranks 0-2: rank 2 has left, last heartbeat in step x; "
            "process 1 waited for process 2");
  EXPECT_EQ(messages[1], messages[0]);
}

// In this collective ranks 0 and 1 do not communicate with ranks 2 and 3.
TEST(GlooFailure, ReportsADeadProcessToOnesThatDoNotWaitForIt) {
  Together processes(4);
  processes[3] = nullptr;
  const auto inPairs = [&](Processes&, Communicator& comm) {
    for (;;) comm.allReduce({"tp", 0, {{0, 1}, {2, 3}}}, kThree, kThree, {});
  };
  const auto messages = processes.run({inPairs, inPairs, inPairs});
  EXPECT_THAT(messages[2],
              StartsWith("all_reduce among ranks 2,3: rank 3 has left, last heartbeat in "));
  EXPECT_EQ(messages[0], messages[2]);
  EXPECT_EQ(messages[1], messages[2]);
}

TEST(GlooFailure, ReportsAProcessThatCallsAnotherCollective) {
  Together processes(2);
  const auto gathers = [](Processes& process, Communicator& comm) {
    process.setStep("step z");
    const BufferLists into = {{at::ones({3}), at::ones({3})}};
    comm.allGather(everyone(2), kThree, into);
  };
  const auto messages = processes.run({reduces(2, 3), gathers});
  const std::string first = "rank 0 is in step y, all_reduce among ranks 0,1";
  const std::string second = "rank 1 is in step z, all_gather among ranks 0,1";
  const std::string lead = "the processes do not do the same: ";
  // The process that detects the mismatch first blames the other one.
  if (messages[0].starts_with("my own")) {
    EXPECT_EQ(messages[1], lead + second + "; " + first);
  } else {
    EXPECT_EQ(messages[0], lead + first + "; " + second);
  }
}

TEST(GlooFailure, NamesAProcessThatRanAheadOfTheGroup) {
  Together processes(2);
  const auto alone = [](Processes& process, Communicator& comm) {
    process.setStep("step z");
    comm.allReduce({"tp", 0, {{0}, {1}}}, kThree, kThree, {});
    process.allGatherStrings("step z", "");
  };
  const auto messages = processes.run({reduces(2, 3), alone});
  EXPECT_THAT(messages[0],
              AllOf(HasSubstr("rank 1 has gone on without it, to step z, strings about step z"),
                    StartsWith("step y: all_reduce among ranks 0,1: rank 0 expected 12 bytes from "
                               "rank 1, but ")));
  EXPECT_EQ(messages[1], "my own: " + messages[0]);
}

TEST(GlooFailure, OneWithAnotherShapeIsNamedWithBoth) {
  Together processes(2);
  const auto messages = processes.run({reduces(2, 3), reduces(2, 6)});
  const auto ofFirst =
      "step y: all_reduce among ranks 0,1: rank 0 expected 12 bytes of float32 from rank 1, which "
      "had 24 bytes of float32 for it";
  const auto ofSecond =
      "step y: all_reduce among ranks 0,1: rank 1 expected 24 bytes of float32 from rank 0, which "
      "had 12 bytes of float32 for it";
  EXPECT_THAT(messages[0], testing::AnyOf(ofFirst, std::string("my own: ") + ofSecond));
  EXPECT_THAT(messages[1], testing::AnyOf(ofSecond, std::string("my own: ") + ofFirst));
}

TEST(GlooFailure, OneWithAnotherDtypeOfTheSameSizeIsNamedToo) {
  Together processes(2);
  const auto messages = processes.run({reduces(2, 3), reduces(2, 3, at::kInt)});
  EXPECT_THAT(messages[0],
              AllOf(HasSubstr("12 bytes of float32 "), HasSubstr("12 bytes of int32 ")));
}

TEST(GlooFailure, NamesAProcessThatFailedWithItsReason) {
  Together processes(3);
  const auto fails = [](Processes& process, Communicator&) {
    process.setStep("step y");
    process.refuse("no memory left");
    process.allGatherStrings("step y", "no memory left");
  };
  const auto messages = processes.run({reduces(3, 3), fails, reduces(3, 3)});
  EXPECT_EQ(messages[0], "rank 1 failed in step y: no memory left");
  EXPECT_EQ(messages[1], "my own refusal: rank 1 failed in step y: no memory left");
  EXPECT_EQ(messages[2], messages[0]);
}

TEST(GlooFailure, WarnsAboutALateProcessAndWaitsForIt) {
  std::promise<std::string> warned;
  std::atomic<int> warnings = 0;
  const auto warn = [&](const std::string& what) {
    if (warnings++ == 0) warned.set_value(what);
  };
  Together processes(2, kPatience, {warn, nullptr});
  const auto isLate = [&](Processes& process, Communicator& comm) {
    process.setStep("step x");
    EXPECT_EQ(warningOf(warned),
              "step y: all_reduce among ranks 0,1: rank 0 has been waiting for rank 1 for more "
              "than " +
                  secondsText(kHeartbeatsUntilSilent) + ", which is still in step x");
    reduces(2, 3)(process, comm);
  };
  EXPECT_EQ(processes.run({reduces(2, 3), isLate}),
            (std::vector<std::string>{"all is well", "all is well"}));
  EXPECT_EQ(warnings, 1);
}

TEST(GlooFailure, PatienceEnds) {
  Together processes(2, kPatience / 4);
  std::promise<void> ended;
  const auto never = [&](Processes& process, Communicator&) {
    process.setStep("step x");
    ended.get_future().wait();
  };
  const auto waits = [&](Processes& process, Communicator& comm) {
    try {
      reduces(2, 3)(process, comm);
    } catch (...) {
      ended.set_value();
      throw;
    }
  };
  EXPECT_EQ(processes.run({waits, never})[0],
            "step y: all_reduce among ranks 0,1: rank 0 expected 12 bytes from rank 1, and has "
            "waited long enough: rank 1 is still in step x");
}

TEST(GlooFailure, ATerminatedProcessEndsTheOthers) {
  std::atomic<bool> asked = false;
  Together processes(2, kPatience, {nullptr, [&] { return std::string(asked ? "SIGTERM" : ""); }});
  std::promise<void> ended;
  const auto waits = [&](Processes& process, Communicator& comm) {
    asked = true;
    try {
      reduces(2, 3)(process, comm);
    } catch (...) {
      ended.set_value();
      throw;
    }
  };
  const auto busy = [&](Processes& process, Communicator& comm) {
    ended.get_future().wait();
    reduces(2, 3)(process, comm);
  };
  const auto messages = processes.run({waits, busy});
  EXPECT_THAT(messages[0], HasSubstr(" was ended by SIGTERM in "));
  EXPECT_THAT(messages[1], HasSubstr(" was ended by SIGTERM in "));
}

TEST(GlooFailure, KeepsTheTextsOfAProcessThatLeftEarly) {
  Together processes(2);
  std::vector<std::string> gathered[2];
  const auto say = [&](std::size_t i) {
    return [&gathered, &processes, i](Processes& process, Communicator&) {
      gathered[i] = process.allGatherStrings("numbers", std::to_string(process.process()));
      if (i == 1) processes[1] = nullptr;
    };
  };
  processes.run({say(0), say(1)});
  EXPECT_EQ(gathered[0], (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(gathered[1], gathered[0]);
}

// A long text of one process needs a second round. All processes count it, also those that neither
// send nor receive in it.
TEST(GlooFailure, GatherStringsReturnsTextsOnTheFirstProcessOnly) {
  constexpr int kProcesses = 3;
  Together processes(kProcesses);
  std::vector<std::string> gathered[kProcesses];
  const auto gathers = [&gathered](Processes& process, Communicator& comm) {
    const auto self = static_cast<std::size_t>(process.process());
    const auto words = std::to_string(self) + std::string(self == 1 ? 100000 : 1, 'x');
    gathered[self] = process.gatherStrings("numbers", words);
    comm.allReduce({"tp", 0, {{0, 1, 2}}}, kThree, kThree, {});
  };
  const auto messages = processes.run({gathers, gathers, gathers});
  EXPECT_EQ(messages, std::vector<std::string>(kProcesses, "all is well"));
  EXPECT_EQ(gathered[0], (std::vector<std::string>{"0x", "1" + std::string(100000, 'x'), "2x"}));
  EXPECT_TRUE(gathered[1].empty());
  EXPECT_TRUE(gathered[2].empty());
}

TEST(GlooFailure, WordsNameTheProcessThatIsGone) {
  Together processes(2);
  processes[1] = nullptr;
  const auto speaks = [](Processes& process, Communicator&) {
    process.allGatherStrings("the weather", "fine");
  };
  EXPECT_THAT(processes.run({speaks})[0],
              StartsWith("strings about the weather: rank 1 has left, last heartbeat in the "
                         "beginning; process 0 expected 256 bytes from process 1: "));
}

TEST(GlooFailure, WordsOfAnotherMatterAreNotTakenForAnAnswer) {
  Together processes(2);
  const auto speaksOf = [](const std::string& about) {
    return [=](Processes& process, Communicator&) { process.allGatherStrings(about, "yes"); };
  };
  EXPECT_EQ(processes.run({speaksOf("step y"), speaksOf("the end")}),
            (std::vector<std::string>{
                "process 1 exchanged the end, expected step y: all processes must do the same",
                "process 0 exchanged step y, expected the end: all processes must do the same"}));
}

TEST(GlooFailure, RanksAreSpreadEvenly) {
  Together processes(2);
  EXPECT_EQ(GlooCommunicator::make(processes[1], 6).value()->hosted(), (std::vector<int>{3, 4, 5}));
  for (const int ranks : {0, 1, 3, 50001}) {
    EXPECT_EQ(GlooCommunicator::make(processes[0], ranks).error().message,
              std::to_string(ranks) + " ranks on 2 processes: a multiple of 2 is expected");
  }
}

// Process 1 joins the store, posts one heartbeat, and is silent from then on.
TEST(GlooFailure, NamesAProcessThatDiedDuringConnection) {
  const int port = freePort();
  const auto meeting = [port](int process) {
    return Rendezvous{process, 2, "127.0.0.1", static_cast<std::uint16_t>(port)};
  };
  auto other = std::async(std::launch::async, [&] {
    StatusStore board(StatusStore::open(meeting(1), kPatience));
    Heartbeat notice;
    notice.process = 1;
    board.post(notice);
    board.countIn();
    board.announceExit(1);
  });
  const auto joined = Processes::join(meeting(0), {}, kPatience / 2);
  other.get();
  ASSERT_FALSE(joined.has_value());
  EXPECT_THAT(joined.error().message,
              testing::EndsWith(": process 1 is gone or hangs: no heartbeat for more than " +
                                secondsText(kHeartbeatsUntilSilent) +
                                " while the processes were connecting"));
}

TEST(GlooFailure, NamesTheProcessThatItCouldNotConnectTo) {
  const int port = freePort();
  const Rendezvous meeting{1, 2, "127.0.0.1", static_cast<std::uint16_t>(port)};
  const auto joined = Processes::join(meeting, {}, std::chrono::milliseconds(100));
  ASSERT_FALSE(joined.has_value());
  EXPECT_THAT(joined.error().message,
              StartsWith("process 1 of 2 could not join the others at 127.0.0.1:" +
                         std::to_string(port) + ": "));
}

}  // namespace
}  // namespace shardlens
