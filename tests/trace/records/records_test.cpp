#include "core/trace/journal/journal.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/check_record.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/holder_record.h"
#include "core/trace/records/lookup_record_format1.h"
#include "core/trace/records/operator_record_format1.h"

#include <gtest/gtest.h>

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

TEST(OperatorFormat1, HasTheNamesOfItsTensors) {
  expectNothing(readOperatorFormat1);
  EXPECT_EQ(readOperatorFormat1(R"j({"args": ["w: f32[10, 3](S(0))", 7, "_: i64[6](R)", "x"]})j"),
            (std::vector<std::string>{"w", "_", "x"}));
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

TEST(LookupRecordFormat1, IsReadIntoTheFieldsOfLaterFormats) {
  const auto whole = readLookupFormat1(
      R"({"key": "a, b", "fields": [["op", "a"], ["to", "b"]], "entries": 3, "nearest": "a, c",
          "differs": [["to", "b", "c"]], "kept": false, "evicts": "d"})");
  EXPECT_EQ(whole.key, "a, b");
  EXPECT_EQ(whole.record, (LookupRecord{.fields = {{"op", "a"}, {"to", "b"}}}));
  EXPECT_EQ(whole.entries, 3);
  EXPECT_EQ(whole.nearest, "a, c");
  EXPECT_FALSE(whole.kept);
  EXPECT_EQ(whole.evicts, "d");
  const auto hit = readLookupFormat1(R"({"key": "a", "age": 4, "verified": true})");
  EXPECT_EQ(hit.age, 4U);
  EXPECT_TRUE(hit.record.verified);
  EXPECT_EQ(hit.record.fields, (std::vector<LookupField>{{"key", "a"}}));
  EXPECT_TRUE(hit.kept);
  EXPECT_EQ(readLookupFormat1(R"({"key": {"op": "a"}})").key, R"({"op":"a"})");
  for (const char* text : kHostile) EXPECT_EQ(readLookupFormat1(text).key, "") << text;
  const auto wrong = readLookupFormat1(
      R"({"entries": -1e300, "age": -1, "nearest": 1, "kept": "no", "evicts": []})");
  EXPECT_EQ(wrong.entries, 0);
  EXPECT_EQ(wrong.age, 0U);
  EXPECT_EQ(wrong.nearest + wrong.evicts, "");
  EXPECT_TRUE(wrong.kept);
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

TEST(CheckRecord, IsReadAsItWasWritten) {
  const CheckRecord far{.largest = "0.0312",
                        .relative = "inf",
                        .at = {4, 1},
                        .rank = 2,
                        .got = "-1.5",
                        .expected = "9007199254740993"};
  EXPECT_EQ(checkDetail(far),
            R"({"largest":0.0312,"relative":"inf","at":[4,1],"rank":2,"got":-1.5,)"
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
  recorder.note(makeLookup(recorder, "plan",
                           {.verdict = Verdict::Hit, .uses = 2, .age = std::uint64_t{1} << 40},
                           std::nullopt));
  recorder.note(makeLookup(recorder, "plan", {.entry = 1, .kept = true}, miss()));
  recorder.note(makeCollective(recorder, "all_gather", "0,1|2,3", 1, 96, {}));
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
