#include "core/trace/journal/journal.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/check_record.h"
#include "core/trace/records/clock_record.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/holder_record.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardlens {
namespace {

// Texts that are no records. Every reader must return an empty record for them.
constexpr const char* kHostile[] = {"",         "{broken", "null", "7",
                                    "\"text\"", "[]",      "{}",   "[null, 3]"};

std::string deeplyNested() { return std::string(100000, '[') + std::string(100000, ']'); }

template <class Record>
void expectNothing(Record (*read)(std::string_view)) {
  for (const char* text : kHostile) EXPECT_EQ(read(text), Record()) << text;
  EXPECT_EQ(read(deeplyNested()), Record());
}

LookupRecord miss() { return {.fields = {{"op", "aten.sum"}, {"arg 0", "f32[4](R)"}}}; }

TEST(LookupRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(lookupDetail(miss()), R"j({"fields":[["op","aten.sum"],["arg 0","f32[4](R)"]]})j");
  EXPECT_EQ(readLookup(lookupDetail(miss())), miss());
  EXPECT_EQ(keyText(miss().fields), "aten.sum, f32[4](R)");
  const LookupRecord hit{.verified = true};
  EXPECT_EQ(lookupDetail(hit), R"({"verified":true})");
  EXPECT_EQ(readLookup(lookupDetail(hit)), hit);
  EXPECT_EQ(lookupDetail({}), "");
}

TEST(LookupRecord, OmitsInvalidFields) {
  expectNothing(readLookup);
  EXPECT_EQ(readLookup(R"({"fields": [["op"], ["op", 1], "op"], "verified": "yes"})"),
            LookupRecord());
}

TEST(LookupRecord, HasPlacementsAndTensorsThatAreNoTexts) {
  const Placements placements{Shard{0}, Replicate{}};
  LookupRecord record{.fields = {{"to", placements}}};
  LookupValue list("[");
  list.append(LookupTensor{DType::Float32, {10, 3}, placements}).append(", None]");
  record.fields.push_back({"tensors", list});
  EXPECT_EQ(lookupDetail(record),
            R"j({"fields":[["to",["S(0)","R"]],["tensors","[",{"dtype":"float32",)j"
            R"j("shape":[10,3],"placements":["S(0)","R"]},", None]"]]})j");
  EXPECT_EQ(readLookup(lookupDetail(record)), record);
  EXPECT_EQ(keyText(record.fields), "(S(0), R), [f32[10, 3](S(0), R), None]");
}

TEST(LookupRecord, LeavesOutTensorsThatCannotBe) {
  for (const char* part :
       {R"j({"dtype": "f7", "shape": [4], "placements": ["R"]})j",
        R"j({"dtype": "float32", "shape": [-1], "placements": ["R"]})j",
        R"j({"dtype": "float32", "shape": [4], "placements": ["S(1)"]})j",
        R"j({"dtype": "float32", "shape": [4], "placements": ["X"]})j", R"j(["S(0)", 1])j", "7"}) {
    const auto detail = std::string(R"({"fields": [["arg 0", )") + part + "]]}";
    EXPECT_EQ(readLookup(detail), LookupRecord()) << part;
  }
}

TEST(LookupValue, FindsWhatRecordingsKnowInTheTextOfAnotherProgram) {
  const auto typed = [](std::string_view text) {
    const LookupValue value = parseLookupValue(text);
    EXPECT_EQ(toText(value), text);
    return std::count_if(value.parts().begin(), value.parts().end(), [](const auto& part) {
      return !std::holds_alternative<std::string>(part);
    });
  };
  EXPECT_EQ(typed("aten.mm(f32[8, 4](S(0), R), f32[4](R, R), 1)"), 2);
  EXPECT_EQ(typed("(S(0), R)"), 1);
  EXPECT_EQ(typed("(S(0)) -> (R)"), 2);
  for (const char* text : {"", "f32[8](S(1))", "f32[8](X)", "f9[8](R)", "float32[8](R)", "[8](R)",
                           "f32[8](R", "](R)", "(S(0),R)", "S(0)"}) {
    EXPECT_EQ(typed(text), 0) << text;
  }
}

TEST(CandidatesRecord, IsReadAsItWasWritten) {
  const CandidatesRecord record{
      {{"row-wise", {"S(0)", "R"}, {"P(sum)"}, 0, 0, true}, {"all", {}, {"R"}, 7.25, 96, false}}};
  EXPECT_EQ(
      candidatesDetail(record),
      R"j([{"name":"row-wise","inputs":["S(0)","R"],"outputs":["P(sum)"],"cost":0.0,"bytes":0,)j"
      R"j("chosen":true},{"name":"all","inputs":[],"outputs":["R"],"cost":7.25,"bytes":96,)j"
      R"j("chosen":false}])j");
  EXPECT_EQ(readCandidates(candidatesDetail(record)), record);
}

TEST(CandidatesRecord, KeepsPlacementsOfAnotherNotationAsText) {
  const CandidatesRecord record{{{.name = "dump", .inputs = {"S(0)R"}, .outputs = {"S(0)"}}}};
  EXPECT_EQ(record.candidates[0].inputs[0].text, "S(0)R");
  EXPECT_EQ(record.candidates[0].outputs[0].placements, Placements{Shard{0}});
  EXPECT_EQ(readCandidates(candidatesDetail(record)), record);
}

TEST(CandidatesRecord, OmitsInvalidFields) {
  expectNothing(readCandidates);
  EXPECT_EQ(readCandidates(R"j([{"name": 3, "inputs": "S(0)", "outputs": [1, "R"], "cost": "dear",
                                "bytes": 1e300, "chosen": 1}])j"),
            (CandidatesRecord{{{.name = "", .inputs = {"S(0)"}, .outputs = {"R"}}}}));
}

TEST(HolderRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(holderDetail("x'"), R"({"holder":"x'"})");
  EXPECT_EQ(readHolder(holderDetail("x'")), "x'");
}

TEST(HolderRecord, OmitsInvalidFields) {
  expectNothing(readHolder);
  EXPECT_EQ(readHolder(R"({"holder": ["y"]})"), "");
}

TEST(SiteRecord, IsReadAsItWasWritten) {
  const SiteRecord site{"train.py", 12, "layers.3", "forward", "train_step"};
  EXPECT_EQ(siteText(site), R"({"file":"train.py","line":12,"module":"layers.3","pass":"forward",)"
                            R"("caller":"train_step"})");
  EXPECT_EQ(readSite(siteText(site)), site);
  EXPECT_EQ(siteText({.module = "m"}), R"({"module":"m"})");
  EXPECT_EQ(siteText({}), "");
}

TEST(SiteRecord, OmitsInvalidFields) {
  expectNothing(readSite);
  EXPECT_EQ(readSite(R"({"file": 3, "line": 1e99, "module": ["m"]})"), SiteRecord());
}

TEST(CollectiveRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(collectiveDetail({}), "");
  EXPECT_EQ(collectiveDetail({.axis = "dp_tp"}), R"({"axis":"dp_tp"})");
  const CollectiveRecord merged{"tp", "0,2"};
  EXPECT_EQ(collectiveDetail(merged), R"({"axis":"tp","only":"0,2"})");
  EXPECT_EQ(readCollective(collectiveDetail(merged)), merged);
  const CollectiveRecord halo{.axis = "sp", .why = "windows of 3"};
  EXPECT_EQ(collectiveDetail(halo), R"({"axis":"sp","why":"windows of 3"})");
  EXPECT_EQ(readCollective(collectiveDetail(halo)), halo);
  const CollectiveRecord sent{.axis = "tp", .root = 0};
  EXPECT_EQ(collectiveDetail(sent), R"({"axis":"tp","root":0})");
  EXPECT_EQ(readCollective(collectiveDetail(sent)), sent);
  expectNothing(readCollective);
}

TEST(ClockRecord, IsReadAsItWasWritten) {
  const ClockRecord clock{"boot", {{5, 6, 7, 8}, {50, 60, 70}}};
  EXPECT_EQ(clockText(clock), R"({"id":"boot","anchors":[)"
                              R"({"at":5,"monotonic":6,"wall":7,"error":8},)"
                              R"({"at":50,"monotonic":60,"wall":70}]})");
  EXPECT_EQ(readClock(clockText(clock)), clock);
}

TEST(ClockRecord, IsRefusedWithATimeThatCannotBe) {
  for (const char* text : kHostile) EXPECT_EQ(readClock(text), std::nullopt) << text;
  EXPECT_EQ(readClock(deeplyNested()), std::nullopt);
  for (const char* time : {"-1", "1e30", "\"1\"", "1152921504606846976"}) {
    const auto text =
        std::string(R"({"id":"a","anchors":[{"at":0,"wall":0,"monotonic":)") + time + "}]}";
    EXPECT_EQ(readClock(text), std::nullopt) << time;
  }
  EXPECT_EQ(readClock(R"({"id":"a","anchors":[]})"), std::nullopt);
}

TEST(CheckRecord, IsReadAsItWasWritten) {
  const CheckRecord far{.largest = "0.0312",
                        .relative = "inf",
                        .bound = "2.3e-06",
                        .at = {4, 1},
                        .rank = 2,
                        .got = "-1.5",
                        .expected = "9007199254740993"};
  EXPECT_EQ(checkDetail(far),
            R"({"largest":0.0312,"relative":"inf","bound":2.3e-06,"at":[4,1],"rank":2,"got":-1.5,)"
            R"("expected":9007199254740993})");
  EXPECT_EQ(readCheck(checkDetail(far)), far);
  const CheckRecord large{
      .largest = "106000", .relative = "1e-06", .got = "7.3720578e+10", .expected = "1"};
  EXPECT_EQ(readCheck(checkDetail(large)), large);
  const CheckRecord flag{.largest = "1", .relative = "1", .got = "true", .expected = "false"};
  EXPECT_EQ(readCheck(checkDetail(flag)), flag);
  const CheckRecord other{.why = "got float32, expected \"float64\""};
  EXPECT_EQ(checkDetail(other), R"({"why":"got float32, expected \"float64\""})");
  EXPECT_EQ(readCheck(checkDetail(other)), other);
  EXPECT_EQ(checkDetail({}), "{}");
}

TEST(CheckRecord, OmitsInvalidFields) {
  expectNothing(readCheck);
  EXPECT_EQ(readCheck(R"({"why": 7, "largest": [], "relative": null, "at": [1, "2", 1e300],
                          "rank": 1e99, "got": {}, "expected": "nan"})"),
            (CheckRecord{.at = {1}, .expected = "nan"}));
}

// Texts of other programs and names of files may not be UTF-8.
TEST(Records, HoldTextOfAnyBytes) {
  const std::string bytes = "a\xff\"\n\x01";
  EXPECT_EQ(lookupDetail({.fields = {{"op", bytes}}}),
            "{\"fields\":[[\"op\",\"a\xef\xbf\xbd\\\"\\n\\u0001\"]]}");
  EXPECT_EQ(readHolder(holderDetail("\"\n\\")), "\"\n\\");
}

TEST(EventMakers, OmitUnknownReasons) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.note(makeLookup(recorder, CacheTable::Plan,
                           {.verdict = Verdict::Hit, .uses = 2, .age = std::uint64_t{1} << 40},
                           std::nullopt));
  recorder.note(makeLookup(recorder, CacheTable::Plan, {.entry = 1, .kept = true}, miss()));
  recorder.note(makeCollective(recorder, CollectiveKind::AllGather, "0,1|2,3", 1, 96, {}));
  EXPECT_EQ(journal.at(1).detail, 0U);
  EXPECT_EQ(journal.at(1).count, 2);
  EXPECT_EQ(journal.at(1).related, 0xffffffffU);  // saturates
  EXPECT_EQ(journal.at(2).count, 1);
  EXPECT_EQ(journal.at(2).subject, 1U);
  EXPECT_EQ(readLookup(journal.detail(journal.at(2))), miss());
  EXPECT_EQ(journal.at(3).detail, 0U);
  EXPECT_EQ(journal.text(journal.at(3).ranks), "0,1|2,3");
}

}  // namespace
}  // namespace shardlens
