#include "app/cli/account.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/trace/named_event.h"

#include <gmock/gmock.h>

#include <array>

namespace shardlens::cli {
namespace {

// A journal with hand-written events, as an engine records them.
Route route(const char* text) { return parseRoute(text).value(); }

class AccountTest : public testing::Test {
 protected:
  AccountTest() {
    recorder_.addSink(journal_);
    recorder_.meta("path", "a.json");
    recorder_.meta("mesh", "2x2:dp,tp");
    recorder_.meta("masking", "fused");
    recorder_.meta("backend", "simulated");
  }

  Event event(EventKind kind, std::string_view name, std::string_view detail = "") {
    Event event = namedEvent(recorder_, kind, name);
    event.detail = recorder_.intern(detail);
    return event;
  }

  TensorId tensor(const std::string& name, Placements placements) {
    return recorder_.addTensor(name, {DType::Float32, {5, 2}, std::move(placements)});
  }

  // Returns the account of the recorded events without its first line.
  std::string printed() {
    Account account(journal_, Ink(Ink::Kind::Plain));
    const std::string text = account.newText();
    return text.substr(text.find('\n') + 1);
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(AccountTest, IsEmptyBeforeTheFirstEvent) {
  EXPECT_EQ(Account(journal_, Ink(Ink::Kind::Plain)).newText(), "");
}

TEST_F(AccountTest, BeginsWithTheEmulation) {
  recorder_.meta("masking", "stepwise");
  recorder_.meta("emulate", "torch-2.15");
  recorder_.note(event(EventKind::Result, "y"));
  const std::string text = Account(journal_, Ink(Ink::Kind::Plain)).newText();
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "a.json, mesh dp:2 x tp:2, 4 ranks (simulated), masking stepwise, emulates torch-2.15");
}

TEST_F(AccountTest, BeginsWithTheProgramsArguments) {
  recorder_.meta("arguments", "--steps 3");
  recorder_.meta("masking", "");
  recorder_.note(event(EventKind::Result, "y"));
  const std::string text = Account(journal_, Ink(Ink::Kind::Plain)).newText();
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "a.json --steps 3, mesh dp:2 x tp:2, 4 ranks (simulated)");
}

TEST_F(AccountTest, BeginsWithTitleMeshAndNotesOfTheSteps) {
  recorder_.meta("title", "Two by two");
  recorder_.meta("scenario", R"({"steps": [{"note": "Look here."}] /* the end */})");
  recorder_.setStep(0, 12);
  recorder_.note(event(EventKind::Step, "y = aten.sum(x)"));
  Account account(journal_, Ink(Ink::Kind::Plain));
  EXPECT_EQ(account.newText(),
            "Two by two\n"
            "a.json, mesh dp:2 x tp:2, 4 ranks (simulated), masking fused\n"
            "\n"
            "1  y = aten.sum(x)" +
                std::string(75, ' ') +
                "line 12\n"
                "  Look here.\n");
  EXPECT_EQ(account.newText(), "");
}

TEST_F(AccountTest, NamesThePlaceInAPythonProgram) {
  recorder_.meta("path", "/a/train.py");
  recorder_.setStep(0, 3);
  recorder_.setSite({.file = "/a/train.py", .line = 3});
  const EventId step = recorder_.begin(event(EventKind::Step, "step 1"));
  const auto allReduce = [this] {
    return makeCollective(recorder_, CollectiveKind::AllReduce, "0-3", -1, 8, {});
  };
  recorder_.note(allReduce());
  recorder_.setSite({.file = "/a/model.py", .line = 14});
  const EventId outer = recorder_.begin(event(EventKind::Operator, "aten.add"));
  recorder_.note(allReduce());
  recorder_.end(outer);
  recorder_.end(step);
  EXPECT_EQ(printed(), "\n1  step 1" + std::string(81, ' ') +
                           "train.py:3\n"
                           "  collective        all_reduce, ranks {0-3}, 8 B sent  train.py:3\n"
                           "  operator          aten.add()  model.py:14\n"
                           "    collective      all_reduce, ranks {0-3}, 8 B sent\n");
}

TEST_F(AccountTest, DescribesLookupsByVerdictAndReason) {
  Event hit = event(EventKind::CacheLookup, "strategy");
  hit.verdict = Verdict::Hit;
  hit.count = 1;
  recorder_.note(hit);
  hit.count = 3;
  recorder_.note(hit);
  hit.count = 0;  // unknown, as in a job
  recorder_.note(hit);
  const auto miss = [&](std::size_t entries, EventId nearest, std::vector<LookupField> fields) {
    return recorder_.note(makeLookup(recorder_, CacheTable::Plan,
                                     {.entries = entries, .entry = nearest},
                                     LookupRecord{.fields = std::move(fields)}));
  };
  const EventId first = miss(0, 0, {{"from", "f32[4](R)"}, {"to", "b"}});
  miss(2, 0, {});
  miss(2, first, {{"from", "f32[8](R)"}, {"to", "a"}});
  recorder_.note(makeEviction(CacheTable::Plan, first));
  hit.verdict = Verdict::Off;
  recorder_.note(hit);
  EXPECT_EQ(
      printed(),
      "  cache             strategy hit, its entry served once before\n"
      "  cache             strategy hit, its entry served 3 times before\n"
      "  cache             strategy hit\n"
      "  cache             plan miss, the cache is empty\n"
      "  cache             plan miss, no similar entry among 2 entries\n"
      "  cache             plan miss, the nearest entry has from f32[4](R), not f32[8](R), to b, "
      "not a\n"
      "  cache             plan cache is full, evicts the least recently used entry: f32[4](R), b\n"
      "  cache             strategy cache is off\n");
}

// The recorder of a job cannot compare keys.
TEST_F(AccountTest, GivesNoReasonForTheMissOfAJob) {
  recorder_.meta("backend", "DTensor of torch 2.11.0");
  for (const std::size_t entries : {0, 2}) {
    recorder_.note(makeLookup(recorder_, CacheTable::Plan, {.entries = entries},
                              LookupRecord{.fields = {{"from", "f32[4](R)"}}}));
  }
  EXPECT_EQ(printed(),
            "  cache             plan miss, the cache is empty\n"
            "  cache             plan miss\n");
}

TEST_F(AccountTest, DescribesTheStrategyAndItsAlternatives) {
  recorder_.note(event(EventKind::Candidates, "row-wise",
                       R"json([{"name": "row-wise", "inputs": ["S(0)", "R"], "outputs": ["P(sum)"],
                            "bytes": 0},
                           {"name": "replicate", "bytes": 1536},
                           {"name": "replicate", "bytes": 1536},
                           {"name": "batch", "bytes": 4096}])json"));
  EXPECT_EQ(
      printed(),
      "  strategy          row-wise: S(0), R -> P(sum), sends nothing; "
      "rather than replicate (each rank receives 1.5 KiB), batch (each rank receives 4.0 KiB)\n");
}

TEST_F(AccountTest, MarksImplicitRedistributions) {
  Event move = event(EventKind::Redistribute, "(S(0), R) -> (R, R)");
  move.subject = recorder_.addTensor("x", Spec());
  move.verdict = Verdict::Implicit;
  {
    const std::array inputs = {tensor("x", {Shard{0}, Replicate{}}),
                               tensor("", {Replicate{}, Replicate{}}), TensorId{0}};
    const Span outer(recorder_, event(EventKind::Operator, "aten.add"), inputs);
    {
      const Span inner(recorder_, move);
      Event collective = event(EventKind::Collective, "all_gather");
      collective.ranks = recorder_.intern("0,2|1,3");
      collective.meshDim = 0;
      collective.bytes = 96;
      recorder_.note(collective);
    }
    recorder_.note(move);
  }
  EXPECT_EQ(printed(),
            "  operator          aten.add(x: f32[5, 2](S(0), R), _: f32[5, 2](R, R), ?)\n"
            "    redistribute    x: (S(0), R) -> (R, R), IMPLICIT: required by the strategy, not "
            "requested by the program\n"
            "      collective    all_gather over dp, ranks {0,2} {1,3}, 96 B sent\n"
            "    redistribute    x: (S(0), R) -> (R, R), implicit: required by the strategy\n");
}

TEST_F(AccountTest, NamesTheAxisThatTheCollectiveNames) {
  Event gather = event(EventKind::Collective, "all_gather", R"({"axis": "dp_tp"})");
  gather.ranks = recorder_.intern("0-3");
  gather.bytes = 96;
  recorder_.note(gather);
  gather.detail = 0;
  recorder_.note(gather);
  recorder_.meta("hosted", "0,1");
  EXPECT_EQ(printed(),
            "  collective        all_gather over dp_tp, ranks {0-3}, 96 B sent by ranks 0,1\n"
            "  collective        all_gather, ranks {0-3}, 96 B sent by ranks 0,1\n");
}

TEST_F(AccountTest, DescribesThePlanStepByStepAndTheAlternatives) {
  const auto note = [&](const std::string& name, const PlanRecord& plan, std::int64_t bytes) {
    Event made = event(EventKind::Plan, name, planDetail(plan));
    made.count = 1;
    made.bytes = bytes;
    recorder_.note(made);
  };
  note("(R, R) -> (R, S(0))", {.steps = {{"tp", {1}, "R", "S(0)", "slice", "(R, S(0))", 0, 0}}}, 0);
  note("(R, R) -> (R, S(0))", {.steps = {{"tp", {1}, "R", "S(0)", "", "", 0, 0}}},
       0);  // from a job
  note("(S(0), S(0)) -> (R, R)",
       {.steps = {{"dp_tp", {0, 1}, "S(0), S(0)", "R, R", "all_gather", "(R, R)", 1536, 7.25}}},
       1536);
  note("(S(0), S(0)) -> (R, R) -> (R, S(0))",
       {.steps = {{"dp_tp", {0, 1}, "S(0), S(0)", "R, R", "all_gather", "(R, R)", 96, 7.25},
                  {"tp", {1}, "R", "S(0)", "slice", "(R, S(0))", 0, 0}},
        .planner = "min-cost",
        .explored = 5,
        .alternatives =
            {{"min-cost", {}, route("(S(0), S(0)) -> (R, R) -> (R, S(0))"), 1, 96, 7.25, 256, true},
             {"greedy",
              {},
              route("(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))"),
              2,
              96,
              1450,
              192,
              false},
             {"via (R, SS(0, 2))",
              {Replicate{}, StridedShard{0, 2}},
              route("(S(0), S(0)) -> (R, SS(0, 2)) -> (R, S(0))"),
              1,
              2048,
              2,
              1,
              false},
             {"third", {}, {}, 1, 1, 1, 1, false}}},
       96);
  EXPECT_EQ(
      printed(),
      "  plan              (R, R) -> (R, S(0)) by slice over tp, nothing is sent\n"
      "  plan              (R, R) -> (R, S(0))\n"
      "  plan              (S(0), S(0)) -> (R, R) by all_gather over dp_tp, each rank receives 1.5 "
      "KiB, about 7.2 us\n"
      "  plan              (S(0), S(0)) -> (R, R) -> (R, S(0)), each rank receives 96 B, about 7.2 "
      "us, holds 256 B\n"
      "                      all_gather over dp_tp: S(0), S(0) -> R, R, receives 96 B, 7.2 us\n"
      "                      slice over tp: R -> S(0), now (R, S(0))\n"
      "                      rather than greedy's (S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, "
      "S(0)): 2 collectives, receives 96 B, 1.4 ms, holds 192 B\n"
      "                      rather than (S(0), S(0)) -> (R, SS(0, 2)) -> (R, S(0)): 1 collective, "
      "receives 2.0 KiB, 2.0 us, holds 1 B\n");
}

TEST_F(AccountTest, WarnsOfACheaperPlanAndOfMovedRows) {
  Event made = event(
      EventKind::Plan, "MaskP(sum, [10, 3], 0) -> R",
      planDetail(
          {.steps =
               {{"tp", {0}, "MaskP(sum, [10, 3], 0)", "R", "all_gather_rows", "(R)", 768, 3.5}},
           .planner = "min-cost",
           .caveat = "the search stopped after 4096 states",
           .alternatives = {
               {"min-cost", {}, route("MaskP(sum, [10, 3], 0) -> R"), 1, 768, 3.5, 2048, true},
               {"adding partials",
                {},
                route("MaskP(sum, [10, 3], 0) -> R"),
                1,
                1536,
                7,
                2048,
                false}}}));
  made.count = 1;
  made.bytes = 768;
  recorder_.note(made);
  EXPECT_EQ(printed(),
            "  plan              MaskP(sum, [10, 3], 0) -> R by all_gather_rows over tp, each rank "
            "receives 768 B, "
            "about 3.5 us, holds 2.0 KiB\n"
            "                      a cheaper plan may exist: the search stopped after 4096 states\n"
            "                      rather than adding partials along MaskP(sum, [10, 3], 0) -> R: "
            "1 collective, "
            "receives 1.5 KiB, 7.0 us, holds 2.0 KiB\n");
}

TEST_F(AccountTest, DescribesThePlanOfAJob) {
  Event made = event(EventKind::Plan, "(S(0), R) -> (R, R)",
                     R"_([{"mesh_dim": 0, "axis": "dp", "from": "S(0)", "to": "R"}])_");
  made.count = 1;
  made.bytes = 96;
  recorder_.note(made);
  EXPECT_EQ(printed(), "  plan              (S(0), R) -> (R, R), each rank receives 96 B\n");
}

TEST_F(AccountTest, DescribesMaskBuffersWithTheirHolders) {
  Event mask = event(EventKind::MaskMaterialized, "MaskP(sum, [5, 2], 0)", R"({"holder": "y"})");
  mask.subject = 1;
  mask.count = 1;
  const EventId hold = recorder_.note(mask);
  mask.kind = EventKind::MaskApplied;
  mask.detail = 0;
  mask.related = tensor("y", {Replicate{}, Partial{}});
  recorder_.note(mask);
  mask.kind = EventKind::MaskReleased;
  mask.related = hold;
  mask.count = 0;
  recorder_.note(mask);
  EXPECT_EQ(printed(),
            "  mask              buffer 1 materialized for y, refcount 1\n"
            "  mask              buffer 1 applied: masked rows of y are set to zero, refcount 1\n"
            "  mask              buffer 1 released, refcount 0: its bits are dropped\n");
}

TEST_F(AccountTest, ShowsLocalShapesWithoutCapturedValues) {
  Event result = event(EventKind::Result, "y");
  result.subject = tensor("y", {Shard{0}, Replicate{}});
  recorder_.note(result);
  EXPECT_EQ(printed(), "  result            y: f32[5, 2](S(0), R), [3, 2] on 0,1, [2, 2] on 2,3\n");
}

TEST_F(AccountTest, ShowsTheMeshOfATensorOnAnotherMesh) {
  Event result = event(EventKind::Result, "u");
  result.subject =
      recorder_.addTensor("u", {DType::Float32,
                                {4, 2},
                                {Shard{0}},
                                shared(DeviceMesh::make({3}, {"pp"}, {3, 0, 1}).value())});
  recorder_.note(result);
  EXPECT_EQ(printed(),
            "  result            u: f32[4, 2](S(0)) on a mesh pp:3 of ranks 3,0,1, "
            "[2, 2] on 0,3, [0, 2] on 1\n");
}

TEST_F(AccountTest, ShowsTheShapesOfRanksInOtherProcesses) {
  recorder_.meta("hosted", "0,1");
  Event result = event(EventKind::Result, "y");
  result.subject = tensor("y", {Shard{0}, Replicate{}});
  recorder_.note(result);
  for (const int rank : {0, 1}) {
    ValueRecord value;
    value.event = 1;
    value.tensor = result.subject;
    value.rank = rank;
    value.shape = {3, 2};
    journal_.onValue(value);
  }
  Account account(journal_, Ink(Ink::Kind::Plain));
  EXPECT_EQ(account.newText(),
            "a.json, mesh dp:2 x tp:2, 4 ranks (simulated, ranks 0,1 in this process), masking "
            "fused\n"
            "  result            y: f32[5, 2](S(0), R), [3, 2] on 0,1, [2, 2] on 2,3\n");
}

TEST_F(AccountTest, EndsWithTheTotals) {
  recorder_.note(event(EventKind::Step, "a"));
  Event collective = event(EventKind::Collective, "all_reduce");
  collective.bytes = 1;
  recorder_.note(collective);
  const Account account(journal_, Ink(Ink::Kind::Plain));
  EXPECT_EQ(account.summary(),
            "\n"
            "1 step ran; 1 all_reduce, 1 B sent; plan cache 0 hits, 0 misses; strategy cache 0 "
            "hits, 0 misses\n");
  recorder_.note(event(EventKind::Error, "no such tensor"));
  EXPECT_EQ(account.summary(),
            "\n"
            "refused: no such tensor; 1 all_reduce, 1 B sent; plan cache 0 hits, 0 misses; "
            "strategy cache 0 hits, 0 misses\n");
}

// The recording has the bytes of its hosted ranks only, not the sum over all processes.
TEST_F(AccountTest, NamesTheRanksOfTheTotals) {
  recorder_.meta("mesh", "2x2:dp,tp");
  recorder_.meta("hosted", "0,1");
  Event collective = event(EventKind::Collective, "all_reduce");
  collective.bytes = 704;
  recorder_.note(collective);
  Account account(journal_, Ink(Ink::Kind::Plain));
  account.newText();
  EXPECT_THAT(account.summary(), testing::HasSubstr("1 all_reduce, 704 B sent by ranks 0,1;"));
}

TEST(Ink, ColoursOnlyWhereItIsShown) {
  EXPECT_EQ(Ink(Ink::Kind::Plain).alarm("no"), "no");
  EXPECT_EQ(Ink(Ink::Kind::Colour).alarm("no"), "\033[1;31mno\033[0m");
}

}  // namespace
}  // namespace shardlens::cli
