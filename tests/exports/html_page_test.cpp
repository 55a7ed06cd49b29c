#include "core/exports/html_page.h"

#include "core/base/json_text.h"
#include "core/exports/page_data.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/exports/sample_step.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <sstream>

namespace shardlens {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class HtmlPageTest : public ::testing::Test {
 protected:
  HtmlPageTest() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
  }

  std::string written(std::optional<int> step = {}) {
    std::ostringstream out;
    const auto done = writeHtmlPage(journal_, step, out);
    return done ? out.str() : done.error().message;
  }
  ordered_json data() { return pageData(journal_, 1, journal_.size()); }

  // Records a step that creates a uint8 tensor of this shape on one rank.
  void make(const Shape& shape, int number = 0) {
    recorder_.meta("mesh", "1:tp");
    recorder_.setStep(number, 1);
    const Span step(recorder_, makeStep(recorder_, "x"));
    const TensorId x = recorder_.addTensor("x", {DType::UInt8, shape, {Shard{0}}});
    recorder_.note(makeResult(recorder_, "x", x, 0, 0));
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    std::vector<std::uint8_t> elements(static_cast<std::size_t>(count));
    std::iota(elements.begin(), elements.end(), std::uint8_t{0});
    recordValue(recorder_, valueOf(x, 0, shape, elements));
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(HtmlPageTest, NamesTheProgramWithoutTheFoldersOfItsAuthor) {
  recorder_.meta("path", "/home/author/private/train.json");
  recordSampleStep(recorder_);
  const std::string page = written();
  EXPECT_THAT(page, HasSubstr("train.json"));
  EXPECT_THAT(page, Not(HasSubstr("private")));
}

TEST_F(HtmlPageTest, IsOneFileThatLoadsNothing) {
  recordSampleStep(recorder_);
  const std::string page = written();
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr(R"("title":"a sum | gathered")"));
}

TEST_F(HtmlPageTest, NoTextOfTheRecordingEndsItsScript) {
  recordSampleStep(recorder_);
  recorder_.meta("title", "</script><script>alert(1)</script>");
  EXPECT_THAT(written(), HasSubstr(R"("title":"\u003c/script>\u003cscript>alert(1))"));
}

TEST_F(HtmlPageTest, EventsAreThereInWords) {
  recordSampleStep(recorder_);
  EXPECT_EQ(data()["events"][7].dump(),
            R"x({"parent":7,"step":2,"kind":"plan","title":"plan S(0) → R","note":"","tone":"",)x"
            R"x("text":[["S(0) -> R by all_gather over tp, each rank receives 6 B, about 7.2 us",)x"
            R"x(""]],"line":5})x");
}

TEST_F(HtmlPageTest, ReplicasShareABoxThatNamesItsIndicesInTheWhole) {
  recordSampleStep(recorder_);
  const ordered_json tensors = data()["tensors"];
  EXPECT_EQ(tensors[0]["versions"][0]["shards"].dump(),
            R"([{"shape":[2],"rows":1,"columns":2,"text":["1","-2"],"along":[0.0,0.5],)"
            R"("labels":["0","1"],"ranks":[0]},)"
            R"({"shape":[1],"rows":1,"columns":1,"text":["3"],"along":[1.0],"labels":["2"],)"
            R"("ranks":[1]}])");
  EXPECT_EQ(tensors[1]["versions"][0]["shards"][0]["ranks"].dump(), "[0,1]");
}

TEST_F(HtmlPageTest, MasksComeAndGo) {
  recordSample(recorder_);
  const ordered_json page = data();
  EXPECT_EQ(page["buffers"][0]["versions"].dump(),
            R"([{"at":6,"refcount":1,"holders":"y"},{"at":11,"refcount":2,"holders":"y, z"},)"
            R"({"at":16,"refcount":2,"holders":"y, z"},{"at":17,"refcount":1,"holders":"z"},)"
            R"({"at":19,"refcount":0,"holders":"none"}])");
  EXPECT_EQ(page["buffers"][0]["shards"][0]["text"].dump(), R"(["false","true","true","false"])");
  const ordered_json& pending = page["tensors"][1]["versions"];
  EXPECT_EQ(pending[1]["changed"], 16);
  EXPECT_EQ(pending[1]["buffer"], 1);
  EXPECT_EQ(pending[2]["at"], 17);  // the mask buffer is released
  EXPECT_EQ(pending[2]["buffer"], 0);
  EXPECT_EQ(pending[1]["shards"][0]["masked"].dump(), "[0,1,1,0]");
  EXPECT_EQ(page["entries"].dump(),
            R"x([{"cache":"strategy","key":"aten.embedding f32[10, 3](S(0)) i64[4](R)","made":5,)x"
            R"("hits":[10]}])");
}

TEST_F(HtmlPageTest, ALookedUpRowKeepsTheColourOfItsRowInTheTable) {
  recorder_.meta("mesh", "1:tp");
  recorder_.setStep(0, 1);
  const Span step(recorder_, makeStep(recorder_, "y = aten.embedding(w, x)"));
  const TensorId w = recorder_.addTensor("w", {DType::UInt8, {10, 1}, {Shard{0}}});
  const TensorId x = recorder_.addTensor("x", {DType::Int64, {2}, {Replicate{}}});
  recorder_.note(makeResult(recorder_, "x", x, 0, 0));
  recordValue(recorder_, valueOf<std::int64_t>(x, 0, {2}, {9, 3}));
  const auto made = [&](const char* name) {
    const TensorId id = recorder_.addTensor(name, {DType::UInt8, {2, 1}, {Replicate{}}});
    recorder_.note(makeResult(recorder_, name, id, 0, 0));
    recordValue(recorder_, valueOf<std::uint8_t>(id, 0, {2, 1}, {90, 30}));
    return id;
  };
  TensorId y = 0;
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.embedding"), std::array{w, x});
    y = made("y");
  }
  {
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "R -> R"), y, Verdict::Explicit));
    made("z");
  }
  made("other");
  std::vector<std::string> shown;
  const ordered_json page = data();
  for (const auto& tensor : page["tensors"]) {
    const auto& shard = tensor["versions"][0]["shards"][0];
    shown.push_back(tensor["name"].get<std::string>() + " " + shard["along"].dump() + " " +
                    shard["labels"].dump());
  }
  EXPECT_THAT(shown, ElementsAre(R"(x [1.0,0.333] ["0","1"])", R"(y [1.0,0.333] ["9","3"])",
                                 R"(z [1.0,0.333] ["9","3"])", R"(other [0.0,1.0] ["0","1"])"));
}

TEST_F(HtmlPageTest, TruncatesManyValuesWithANote) {
  for (int i = 0; i < 1400; ++i) make({24, 12}, i);
  const ordered_json page = data();
  EXPECT_EQ(page["omissions"].dump(),
            R"(["Values after event 2780 are left out: a page has room for 400000 elements."])");
  EXPECT_TRUE(page["tensors"][1388]["versions"][0].contains("shards"));
  EXPECT_FALSE(page["tensors"][1389]["versions"][0].contains("shards"));
}

TEST_F(HtmlPageTest, TruncatesALargeShardWithANote) {
  make({30, 15});
  const ordered_json shard = data()["tensors"][0]["versions"][0]["shards"][0];
  EXPECT_EQ(shard["more"], "the first 24 of 30 rows, 12 of 15 columns");
  EXPECT_EQ(shard["text"].size(), 24U * 12U);
  EXPECT_EQ(shard["text"][12], "15");
}

TEST_F(HtmlPageTest, TruncatesALongRecordingWithANote) {
  recordLong(recorder_, 2000);
  const ordered_json page = data();
  EXPECT_EQ(page["events"].size(), 4000U);
  EXPECT_EQ(page["omissions"][0], "Only events 1 to 4000 of " + std::to_string(journal_.size()) +
                                      ": a page has room for 4000.");
}

TEST_F(HtmlPageTest, OfOneStepHasTheTensorsOfThatStep) {
  recordSampleStep(recorder_);
  const std::string page = written(1);
  EXPECT_THAT(page, HasSubstr(R"("first":3,)"));
  EXPECT_THAT(page, HasSubstr(R"("name":"x")"));
  EXPECT_EQ(written(2), "step 3: the recording has steps 1 to 2");
}

// The window opens at the same position.
TEST_F(HtmlPageTest, OpensAtTheEarlierOfErrorAndDifference) {
  recorder_.meta("mesh", "1:tp");
  const TensorId x = recorder_.addTensor("x", {DType::UInt8, {2}, {Shard{0}}});
  const EventId differs = recorder_.note(makeCheck(recorder_, "x", x, Verdict::Differs, {}));
  recorder_.note(makeError(recorder_, "refused"));
  recorder_.note(makeResult(recorder_, "x", x, 0, 0));
  EXPECT_EQ(data()["start"], differs);
}

TEST_F(HtmlPageTest, ARecordingWithoutEventsIsRefused) {
  EXPECT_EQ(written(), "page: the recording has no events");
}

}  // namespace
}  // namespace shardlens
