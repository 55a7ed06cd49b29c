#include "core/trace/snapshot/snapshot_json.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

class SnapshotJson : public ::testing::Test {
 protected:
  SnapshotJson() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recordSample(recorder_);
  }

  nlohmann::ordered_json json(EventId position) {
    return snapshotJson(journal_, states_.at(position));
  }

  Recorder recorder_;
  Journal journal_;
  StateIndex states_{journal_};
};

TEST_F(SnapshotJson, HasLongShardsCompletely) {
  Journal journal;
  recordLongShard(journal);
  StateIndex states(journal);
  EXPECT_EQ(snapshotJson(journal, states.at(1))["tensors"][0]["locals"][0]["data"].size(), 100U);
}

TEST_F(SnapshotJson, NamesTheLocationOfTheRemainingRanks) {
  Journal journal;
  recordHostedPart(journal);
  StateIndex states(journal);
  const auto json = snapshotJson(journal, states.at(2));
  EXPECT_EQ(json["hosted"].dump(), "[0,1]");
  EXPECT_FALSE(json["tensors"][0].contains("mesh"));
  EXPECT_EQ(json["tensors"][1]["mesh"].dump(), R"({"shape":[2],"names":["pp"],"ranks":[0,3]})");
}

TEST_F(SnapshotJson, ContainsTheEntireState) {
  const auto at16 = json(16);
  EXPECT_EQ(at16["position"], 16);
  EXPECT_EQ(at16["event"].dump(), R"j({"kind":"MaskApplied","name":"MaskP(sum, [10, 3], 0)"})j");
  EXPECT_EQ(at16["open"].dump(), "[13,15]");
  EXPECT_EQ(at16["tensors"][0].dump(),
            R"_({"id":1,"name":"w","shape":[10,3],"dtype":"float32","placements":["S(0)"],)_"
            R"("born":2,"changed":2,"mask":0,"buffer":0,)"
            R"("locals":[{"rank":0,"shape":[1,3],"data":[0.5,1.0,2.0]},)"
            R"({"rank":1,"shape":[1,3],"data":[3.0,4.0,5.0]}]})");
  EXPECT_EQ(at16["buffers"].dump(),
            R"([{"id":1,"refcount":2,"holders":["y","z"],"tensors":[3,4],"mask":2,)"
            R"("masked":[{"rank":0,"shape":[4],"data":[false,true,true,false]}]}])");
  EXPECT_EQ(at16["strategy_cache"].dump(), R"_({"hits":1,"misses":1,"entries":[{)_"
                                           R"_("key":"aten.embedding f32[10, 3](S(0)) i64[4](R)",)_"
                                           R"_("hits":1,"first_use":5,"last_use":10}]})_");
  EXPECT_EQ(at16["bytes_moved"], 96);
  EXPECT_TRUE(at16["error"].is_null());
  EXPECT_EQ(json(19)["error"], "z: buffer has been materialized");
  EXPECT_EQ(json(10)["event"].dump(),
            R"({"kind":"CacheLookup","name":"strategy","verdict":"Hit"})");
  EXPECT_TRUE(json(0)["event"].is_null());
}

TEST_F(SnapshotJson, AValueWrittenBeforeAPositionIsNotSeenThere) {
  EXPECT_EQ(json(15)["tensors"][1]["name"], "y");
  EXPECT_EQ(json(15)["tensors"][1]["locals"].dump(), "[]");
}

}  // namespace
}  // namespace shardlens
