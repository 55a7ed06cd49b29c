#include "core/cluster/timeouts.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/comm/nccl/nccl_communicator.h"
#include "core/comm/nccl/nccl_join.h"
#include "tests/comm/backends.h"
#include "tests/comm/nccl/fake_gpus.h"
#include "tests/comm/together.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

namespace shardlens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Messages = std::vector<std::string>;

// Processes with one rank each, on fake GPUs. The fakes carry NCCL's collectives; Gloo carries
// strings and the detection of lost processes.
class NcclProcesses : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(gpus_.alive(), 0); }

  Together::Connect onGpus(int count) {
    std::vector<GpuPlace> places;
    for (int process = 0; process < count; ++process) places.push_back({process, process});
    return [this, places](const std::shared_ptr<Processes>& process) {
      process->setRanksPerProcess(1);
      auto ranks = joinNccl(gpus_.api(), places, {.copyBlocks = gpus_.copyKernel()}, process);
      return std::make_unique<NcclCommunicator>(std::move(ranks), at::kCPU,
                                                std::vector{process->process()}, process);
    };
  }

  static at::Tensor summed(Communicator& comm, const GroupSet& groups) {
    const Buffers buffers = {at::full({3}, comm.hosted().front() + 1)};
    comm.allReduce(groups, buffers, buffers, {});
    return buffers.front();
  }

  FakeGpus gpus_{4, FakeGpus::Running::Eagerly};
};

const Together::Program kSums = [](Processes& process, Communicator& comm) {
  process.setStep("step y");
  const Buffers buffers = {at::ones({3})};
  comm.allReduce(everyone(3), buffers, buffers, {});
};

TEST_F(NcclProcesses, SumOverNcclAndSpeakOverGloo) {
  Together processes(3);
  const auto program = [](Processes& process, Communicator& comm) {
    EXPECT_TRUE(at::equal(summed(comm, everyone(3)), at::full({3}, 6)));
    const auto messages = comm.allGatherStrings(std::to_string(process.process()));
    EXPECT_EQ(messages, (Messages{"0", "1", "2"}));
  };
  EXPECT_EQ(processes.run({program, program, program}, onGpus(3)), Messages(3, "all is well"));
}

TEST_F(NcclProcesses, NamesAProcessThatDoesNotJoinNccl) {
  Together processes(3);
  processes[2] = nullptr;
  const auto never = [](Processes&, Communicator&) { ADD_FAILURE() << "without the third"; };
  const auto messages = processes.run({never, never}, onGpus(3));
  EXPECT_THAT(messages[0], StartsWith("strings about NCCL's unique id: rank 2 has left"));
  EXPECT_EQ(messages[1], messages[0]);
}

TEST_F(NcclProcesses, ReportsAProcessThatCallsAnotherCollective) {
  Together processes(3);
  const auto gathers = [](Processes& process, Communicator& comm) {
    process.setStep("step z");
    const Buffers three = {at::ones({3})};
    comm.broadcast(everyone(3), 0, three, three);
  };
  const auto messages = processes.run({kSums, kSums, gathers}, onGpus(3));
  for (const auto& each : messages) {
    EXPECT_THAT(each, HasSubstr("the processes do not do the same: rank "));
    EXPECT_THAT(each, HasSubstr(" in step z, broadcast among ranks 0-2"));
  }
}

// An error of NCCL itself, while all processes are alive.
TEST_F(NcclProcesses, AnNcclErrorEndsAllProcessesWithOneMessage) {
  Together processes(3);
  const auto fails = [&](Processes& process, Communicator& comm) {
    kSums(process, comm);
    if (process.process() == 1) gpus_.failAt(0, 1, ncclInternalError);
    comm.allGatherStrings("");
    kSums(process, comm);
  };
  const auto messages = processes.run({fails, fails, fails}, onGpus(3));
  EXPECT_THAT(messages[1],
              StartsWith("my own: step y: all_reduce among ranks 0-2: rank 1 failed: "));
  EXPECT_THAT(messages[1], HasSubstr("the fake's last words"));
  EXPECT_EQ("my own: " + messages[0], messages[1]);
  EXPECT_EQ(messages[2], messages[0]);
}

// A rank without a part in a sum may run ahead of those that wait in it. Rank 2 is late for rank 0
// for longer than rank 1 may run ahead.
TEST_F(NcclProcesses, ARankWithoutAPartMayRunAhead) {
  std::promise<std::string> warned[2];
  std::atomic<std::size_t> warnings = 0;
  const auto warn = [&](const std::string& what) {
    if (const std::size_t number = warnings++; number < 2) warned[number].set_value(what);
  };
  Together processes(4, kPatience, {warn, nullptr});
  const GroupSet ends{"tp", 0, {{0, 2}, {1}, {3}}};
  const auto sums = [&](Processes& process, Communicator& comm) {
    EXPECT_TRUE(at::equal(summed(comm, ends),
                          at::full({3}, process.process() % 2 == 0 ? 4 : process.process() + 1)));
  };
  const auto waitsFor = [&](std::promise<std::string>* warning, const std::string& what) {
    return [&, warning, what](Processes& process, Communicator& comm) {
      process.setStep("step x");
      sums(process, comm);
      comm.allGatherStrings("");
      if (warning != nullptr) {
        EXPECT_THAT(warningOf(*warning), HasSubstr(what));
      }
      process.setStep("step y");
      sums(process, comm);
      comm.allGatherStrings("");
    };
  };
  const auto sumsWithoutWaiting = waitsFor(nullptr, {});
  const auto messages =
      processes.run({sumsWithoutWaiting, sumsWithoutWaiting,
                     waitsFor(&warned[1], "rank 3 has been waiting for rank 0 for more than " +
                                              secondsText(kHeartbeatsUntilSilent)),
                     waitsFor(&warned[0], "rank 1 has been waiting for rank 2 for more than " +
                                              secondsText(kHeartbeatsUntilSilent) +
                                              ", which is still in "
                                              "step x")},
                    onGpus(4));
  EXPECT_EQ(messages, Messages(4, "all is well"));
}

// The first collective of a new group requires all processes.
TEST_F(NcclProcesses, WarnsAboutALateProcessInANewGroup) {
  std::promise<std::string> warned;
  std::atomic<int> warnings = 0;
  const auto warn = [&](const std::string& what) {
    if (warnings++ == 0) warned.set_value(what);
  };
  Together processes(3, kPatience, {warn, nullptr});
  const GroupSet ends{"tp", 0, {{0, 2}, {1}}};
  const auto sums = [&](Processes& process, Communicator& comm) {
    process.setStep("step y");
    summed(comm, ends);
  };
  const auto isLate = [&](Processes& process, Communicator& comm) {
    EXPECT_EQ(warningOf(warned),
              "step y: all_reduce among ranks 0,2|1: rank 1 has been waiting for rank 2 for more "
              "than " +
                  secondsText(kHeartbeatsUntilSilent) + ", which is still in the beginning");
    sums(process, comm);
  };
  EXPECT_EQ(processes.run({sums, sums, isLate}, onGpus(3)), Messages(3, "all is well"));
}

}  // namespace
}  // namespace shardlens
