#include "core/comm/recorded.h"

#include "core/trace/journal/journal.h"
#include "tests/comm/clocks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace shardlens {
namespace {

// A communicator that calls `during` instead of running a collective.
class Inner final : public Communicator {
 public:
  explicit Inner(std::function<void()> during) : during_(std::move(during)) {}
  std::uint64_t makeNextAsync() override { return 7; }

  const std::vector<int>& hosted() const override { return hosted_; }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override {
    auto some = std::make_unique<Inner>(during_);
    some->hosted_ = ranks;
    return some;
  }
  void allReduce(const GroupSet&, const Buffers&, const Buffers&, Reduction) override { during_(); }
  void allGather(const GroupSet&, const Buffers&, const BufferLists&) override { during_(); }
  void reduceScatter(const GroupSet&, const BufferLists&, const Buffers&, Reduction) override {
    during_();
  }
  void allToAll(const GroupSet&, const BufferLists&, const BufferLists&) override { during_(); }
  void broadcast(const GroupSet&, int, const Buffers&, const Buffers&) override { during_(); }
  void scatter(const GroupSet&, int, const BufferLists&, const Buffers&) override { during_(); }
  std::vector<std::string> allGatherStrings(const std::string& words) override { return {words}; }

 private:
  std::function<void()> during_;
  std::vector<int> hosted_ = {1, 3};
};

class RecordedCommunicatorTest : public testing::Test {
 protected:
  RecordedCommunicatorTest()
      : comm_(std::make_unique<Inner>([this] {
                ++calls_;
                if (journal_.size() > 0) seen_ = journal_.at(journal_.size());
                if (fails_) throw std::runtime_error("the wire is cut");
              }),
              recorder_) {}

  // Expects one event for one call, and checks it as it was during the call and as it is now.
  void expectEvent(const std::string& name, std::int64_t bytes,
                   const std::string& detail = R"({"axis":"tp"})") {
    ASSERT_EQ(calls_, 1);
    ASSERT_EQ(journal_.size(), 1U);
    const Event& event = journal_.at(1);
    EXPECT_EQ(seen_.duration, Event::kRunning);
    EXPECT_GE(event.duration, 0);
    for (const Event& at : {seen_, event}) {
      EXPECT_EQ(at.kind, EventKind::Collective);
      EXPECT_EQ(journal_.name(at), name);
      EXPECT_EQ(journal_.text(at.ranks), "0,2|1,3");
      EXPECT_EQ(at.bytes, bytes);
      EXPECT_EQ(at.meshDim, 1);
      EXPECT_EQ(journal_.detail(at), detail);
    }
  }

  const GroupSet groups_{"tp", 1, {{0, 2}, {1, 3}}};
  const Buffers two_{at::zeros({3}), at::zeros({5})};  // 32 bytes
  const BufferLists lists_{{at::zeros({2}), at::zeros({1})},
                           {at::zeros({0}), at::zeros({4})}};  // 28
  Journal journal_;
  Recorder recorder_;
  int calls_ = 0;
  bool fails_ = false;
  Event seen_;
  RecordedCommunicator comm_;
};

TEST_F(RecordedCommunicatorTest, AnAllReduceIsAnEvent) {
  recorder_.addSink(journal_);
  comm_.allReduce(groups_, two_, two_, {});
  expectEvent("all_reduce", 32);
}

TEST_F(RecordedCommunicatorTest, AnAllGatherCountsTheBytesSent) {
  recorder_.addSink(journal_);
  comm_.allGather(groups_, two_, lists_);
  expectEvent("all_gather", 32);
}

TEST_F(RecordedCommunicatorTest, AReduceScatterCountsTheBytesSent) {
  recorder_.addSink(journal_);
  comm_.reduceScatter(groups_, lists_, two_, {});
  expectEvent("reduce_scatter", 28);
}

TEST_F(RecordedCommunicatorTest, AnAllToAllCountsTheBytesSent) {
  recorder_.addSink(journal_);
  comm_.allToAll(groups_, lists_, {});
  expectEvent("all_to_all", 28);
}

TEST_F(RecordedCommunicatorTest, AHaloExchangeRecordsItsReason) {
  recorder_.addSink(journal_);
  comm_.haloExchange(groups_, lists_, {}, "windows of 3");
  expectEvent("halo_exchange", 28, R"({"axis":"tp","why":"windows of 3"})");
}

TEST_F(RecordedCommunicatorTest, ABroadcastIsAnEvent) {
  recorder_.addSink(journal_);
  comm_.broadcast(groups_, 1, two_, two_);
  expectEvent("broadcast", 32, R"({"axis":"tp","root":1})");
}

TEST_F(RecordedCommunicatorTest, AScatterCountsTheBytesSent) {
  recorder_.addSink(journal_);
  comm_.scatter(groups_, 0, lists_, two_);
  expectEvent("scatter", 28, R"({"axis":"tp","root":0})");
}

TEST_F(RecordedCommunicatorTest, StringsOfTheEngineAreNoEvent) {
  recorder_.addSink(journal_);
  EXPECT_EQ(comm_.allGatherStrings("well"), std::vector<std::string>{"well"});
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RecordedCommunicatorTest, OverSomeRanksItStillRecords) {
  recorder_.addSink(journal_);
  const auto some = comm_.over({3});
  EXPECT_EQ(some->hosted(), std::vector<int>{3});
  some->allReduce(groups_, two_, two_, {});
  expectEvent("all_reduce", 32);
}

TEST_F(RecordedCommunicatorTest, LastsAsLongAsOnTheSlowestGpuWithoutAWaitForIt) {
  recorder_.addSink(journal_);
  RecordedCommunicator comm(std::make_unique<OnClocks>(std::make_unique<Inner>([] {})), recorder_);
  const int waits = Clocks::waits, recorded = Clocks::recorded;
  comm.allReduce(groups_, two_, two_, {});
  EXPECT_EQ(Clocks::recorded, recorded + 2) << "ranks 1 and 3 are on one GPU";
  EXPECT_EQ(journal_.at(1).duration, Event::kRunning);
  EXPECT_EQ(Clocks::waits, waits);
  recorder_.readDurations(Recorder::Wait::Yes);
  EXPECT_EQ(journal_.at(1).duration, 4000000);
}

TEST_F(RecordedCommunicatorTest, RequestsGpuTimesOnlyWhileASinkDoes) {
  RecordedCommunicator comm(std::make_unique<OnClocks>(std::make_unique<Inner>([] {})), recorder_);
  const int recorded = Clocks::recorded;
  comm.allReduce(groups_, two_, two_, {});
  Journal reasons({.times = false});
  recorder_.addSink(reasons);
  comm.allReduce(groups_, two_, two_, {});
  EXPECT_EQ(Clocks::recorded, recorded);
}

TEST_F(RecordedCommunicatorTest, AFailedCollectiveEnds) {
  recorder_.addSink(journal_);
  fails_ = true;
  EXPECT_THROW(comm_.allReduce(groups_, two_, two_, {}), std::runtime_error);
  expectEvent("all_reduce", 32);
}

TEST_F(RecordedCommunicatorTest, WithoutARecordingOnlyTheCallIsMade) {
  comm_.allReduce(groups_, two_, two_, {});
  EXPECT_EQ(calls_, 1);
  recorder_.addSink(journal_);
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RecordedCommunicatorTest, MakesCollectivesAsynchronousUnlessTimesAreRequested) {
  EXPECT_EQ(comm_.makeNextAsync(), 7U);
  Journal why({.times = false});
  recorder_.addSink(why);
  EXPECT_EQ(comm_.makeNextAsync(), 7U);
  recorder_.addSink(journal_);
  EXPECT_EQ(comm_.makeNextAsync(), 0U);
}

TEST_F(RecordedCommunicatorTest, IsCountedWithAndWithoutSinks) {
  recorder_.setClock([now = 0]() mutable { return now += 10; });
  recorder_.setStep(4, 1);
  comm_.allReduce(groups_, two_, two_, {});
  recorder_.addSink(journal_);
  comm_.over({3})->allReduce(groups_, two_, two_, {});
  ASSERT_EQ(recorder_.collectives().size(), 1U);
  const auto& counted = recorder_.collectives().front();
  EXPECT_EQ(counted.kind, CollectiveKind::AllReduce);
  EXPECT_EQ(counted.step, 4);
  EXPECT_EQ(counted.count, 2);
  EXPECT_EQ(counted.bytes, 64);
  EXPECT_EQ(counted.nanoseconds, 30);  // 10, and with a sink 20: that reads the clock once more
}

// The texts of a set of groups are made once in a recording.
TEST_F(RecordedCommunicatorTest, InternsItsTextsAgainInAnotherRecording) {
  recorder_.addSink(journal_);
  comm_.allReduce(groups_, two_, two_, {});
  comm_.allReduce(groups_, two_, two_, {});
  EXPECT_EQ(journal_.at(2).ranks, journal_.at(1).ranks);
  recorder_.removeSinks();
  Journal second;
  recorder_.addSink(second);
  recorder_.intern("first");
  comm_.allReduce(groups_, two_, two_, {});
  EXPECT_EQ(second.text(second.at(1).ranks), journal_.text(journal_.at(1).ranks));
  EXPECT_EQ(second.at(1).sequence, 1U);
}

TEST_F(RecordedCommunicatorTest, HostsTheRanksOfTheWrappedCommunicator) {
  EXPECT_EQ(comm_.hosted(), (std::vector<int>{1, 3}));
}

}  // namespace
}  // namespace shardlens
