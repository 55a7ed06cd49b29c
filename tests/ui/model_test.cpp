#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/model_text.h"
#include "ui/models/buffers_model.h"
#include "ui/models/caches_model.h"
#include "ui/models/candidates_model.h"
#include "ui/models/lookup_words.h"
#include "ui/models/plan_model.h"
#include "ui/models/program_model.h"
#include "ui/models/tensors_model.h"
#include "ui/models/ways_model.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>

namespace shardlens {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

// One model under the model tester, walked forward and back over the whole recording before each
// test looks at it.
template <class Model>
class Walked {
 public:
  explicit Walked(void (*record)(Journal&) = recordLookup) {
    record(journal);
    for (EventId k = 0; k <= journal.size(); ++k) {
      at(k);
    }
    for (EventId k = journal.size(); k-- > 0;) {
      at(k);
    }
  }
  const Model& at(EventId position) {
    model.setSnapshot(journal, replay.at(position));
    return model;
  }
  EventId find(EventKind kind, int nth = 0) const { return LookupRun::find(journal, kind, nth); }

  Journal journal;
  Replay replay{journal};
  Model model;
  QAbstractItemModelTester tester{&model, Mode::Fatal};
};

TEST(ProgramModel, ReadsAsOneWouldWriteItAndMarksTheLine) {
  Walked<ProgramModel> walked;
  EXPECT_EQ(modelText(walked.at(0)),
            "w = randn([10, 3], S(0))\n"
            "x = tensor([0, 9, 4, 4, 2, 7], R)\n"
            "y = embedding(w, x)\n"
            "z = redistribute(y, R)\n");
  EXPECT_EQ(walked.model.currentRow(), -1);
  EXPECT_EQ(walked.at(walked.find(EventKind::Operator)).currentRow(), 2);
}

TEST(ProgramModel, MarksWhatWasRefusedAndWhatWasNotRunTherefore) {
  Walked<ProgramModel> walked([](Journal& journal) {
    Recorder recorder;
    recorder.addSink(journal);
    recordLookup(recorder);
    recorder.setStep(2, 12);
    Event error;
    error.kind = EventKind::Error;
    error.name = recorder.intern("no");
    recorder.note(error);
  });
  const auto fates = [&] {
    std::vector<int> all;
    for (int row = 0; row < walked.model.rowCount(); ++row) {
      all.push_back(walked.model.index(row).data(ProgramModel::FateRole).toInt());
    }
    return all;
  };
  using testing::ElementsAre;
  using Fate = ProgramModel::Fate;
  walked.at(walked.journal.size() - 1);
  EXPECT_THAT(fates(), ElementsAre(Fate::Usual, Fate::Usual, Fate::Usual, Fate::Usual));
  walked.at(walked.journal.size());
  EXPECT_THAT(fates(), ElementsAre(Fate::Usual, Fate::Usual, Fate::Refused, Fate::NotRun));
  EXPECT_EQ(walked.model.refusedStep(), 2);
}

TEST(ProgramModel, MarksAllLinesOfAStepInTheSource) {
  Walked<ProgramModel> walked;
  walked.model.setForm(ProgramModel::Form::Source);
  walked.at(walked.find(EventKind::Result));  // of w, on lines 8 and 9
  EXPECT_EQ(walked.model.currentRow(), 7);
  EXPECT_EQ(walked.model.lastCurrentRow(), 8);
  EXPECT_EQ(walked.model.stepOf(walked.model.index(8)), 0);
  EXPECT_EQ(walked.model.stepOf(walked.model.index(9)), 1);
  EXPECT_EQ(walked.model.stepOf(walked.model.index(0)), -1);
  EXPECT_EQ(walked.model.steps(), 4);
}

TEST(ProgramModel, ShowsTheSourceWithTheLineOfTheFile) {
  Walked<ProgramModel> walked;
  walked.at(walked.find(EventKind::Operator));
  walked.model.setForm(ProgramModel::Form::Source);
  const int row = walked.model.currentRow();
  EXPECT_EQ(row + 1, walked.journal.at(walked.find(EventKind::Operator)).line);
  EXPECT_THAT(walked.model.index(row).data().toString().toStdString(),
              testing::HasSubstr("aten.embedding"));
}

TEST(CachesModel, HasAnEntryALookUpWithItsVerdict) {
  Walked<CachesModel> walked;
  EXPECT_EQ(modelText(walked.at(0)), "");
  EXPECT_EQ(modelText(walked.at(walked.journal.size())),
            "strategy | embedding [10, 3] S(0), [6] R | 0 | miss\n"
            "plan | i64[6] R -> MaskP([10, 3]) | 0 | miss\n"
            "plan | f32[6, 3] MaskP([10, 3]) -> R | 1 | hit\n");
}

TEST(CachesModel, KnowsHowFarAKeyIsLikeAnother) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  for (const char* key : {"f32[4](R), S(0)", "f32[4](R), S(0), materialized", "i64"}) {
    Event lookup;
    lookup.kind = EventKind::CacheLookup;
    lookup.verdict = Verdict::Miss;
    lookup.name = recorder.intern("plan");
    lookup.detail = recorder.intern("{\"key\": \"" + std::string(key) + "\"}");
    recorder.note(lookup);
  }
  Replay replay(journal);
  CachesModel model;
  model.setSnapshot(journal, replay.at(3));
  const auto shared = [&](int row, int column = CachesModel::Key) {
    return model.index(row, column).data(CachesModel::SharedRole).toInt();
  };
  EXPECT_EQ(shared(0), 15);
  EXPECT_EQ(shared(1), 15);
  EXPECT_EQ(shared(1, CachesModel::Table), 0);
  EXPECT_EQ(shared(2), 0);
}

TEST(CandidatesModel, TellsApartWhatHasOneName) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  Event candidates;
  candidates.kind = EventKind::Candidates;
  candidates.count = 33;
  candidates.detail = recorder.intern(
      R"j([{"name":"sharded","inputs":["R","S(0)"],"outputs":["S(0)"],"chosen":true},)j"
      R"j({"name":"sharded","inputs":["S(1)","R"],"outputs":["S(1)"]}])j");
  recorder.note(candidates);
  Replay replay(journal);
  CandidatesModel model;
  model.setSnapshot(journal, replay.at(1));
  EXPECT_EQ(model.verdict(), QStringLiteral("sharded won: R, S(0) → S(0)"));
  EXPECT_EQ(model.leftOut(), 31);
}

TEST(CachesModel, ExplainsAMissByTheNearestEntry) {
  Walked<CachesModel> walked;
  const auto& snapshot = walked.replay.at(walked.find(EventKind::CacheLookup));
  const auto lookup = newestLookup(walked.journal, snapshot);
  ASSERT_TRUE(lookup);
  EXPECT_FALSE(lookup->hit);
  EXPECT_EQ(lookup->nearest, QStringLiteral("embedding [10, 5] S(0), [6] R"));
  ASSERT_EQ(lookup->differs.size(), 1U);
  EXPECT_EQ(lookup->differs[0].field, QStringLiteral("weight.shape[1]"));
  EXPECT_EQ(lookup->differs[0].here, QStringLiteral("3"));
  EXPECT_EQ(lookup->differs[0].there, QStringLiteral("5"));
}

TEST(BuffersModel, FollowsTheRefcountAndTheHolders) {
  Walked<BuffersModel> walked;
  EXPECT_EQ(modelText(walked.at(walked.find(EventKind::MaskMaterialized))),
            "follow the event |  |  | \n#1 | x' | 1 | live\n");
  EXPECT_EQ(modelText(walked.at(walked.find(EventKind::MaskMaterialized, 1))),
            "follow the event |  |  | \n#1 | x', y | 2 | live\n");
  EXPECT_EQ(modelText(walked.at(walked.find(EventKind::MaskReleased, 1))),
            "follow the event |  |  | \n#1 | nobody | 0 | released\n");
}

TEST(CandidatesModel, ShowsWhatCouldHaveBeenAndWhatWon) {
  Walked<CandidatesModel> walked;
  EXPECT_EQ(modelText(walked.at(walked.find(EventKind::Candidates))),
            "row-wise | S(0), MaskP | MaskP | 0 B | 0.0\n"
            "column-wise | S(1), R | S(1) | 90 B | 6.7\n"
            "batch | R, S(0) | S(0) | 90 B | 9.1\n"
            "replicate | R, R | R | 90 B | 9.1\n");
  EXPECT_EQ(walked.model.verdict(), QStringLiteral("row-wise won"));
  EXPECT_EQ(walked.model.operatorName(), QStringLiteral("aten.embedding"));
}

TEST(PlanModel, ShowsTheNewestPlan) {
  Walked<PlanModel> walked;
  EXPECT_EQ(modelText(walked.at(walked.journal.size())), " | tp | MaskP → R |  | \n");
  EXPECT_EQ(walked.model.title(), QStringLiteral("y: MaskP → R"));
}

// The second time there is no plan made, but the same one is followed.
TEST(PlanModel, ShowsEachStepAlsoOfARememberedPlan) {
  for (const int redistribution : {0, 1}) {
    Walked<PlanModel> walked(recordPlan);
    const EventId gather = walked.find(EventKind::Collective, redistribution);
    EXPECT_EQ(modelText(walked.at(gather)),
              "all_gather | dp_tp | R, R | 96 B | 7.2 µs\n"
              "cut | tp | R, S(0) | 0 B | \n");
    EXPECT_EQ(walked.model.title(), QStringLiteral("t: (S(0), S(0)) → (R, S(0))"));
    EXPECT_TRUE(walked.model.summary().startsWith(QStringLiteral("about 7.2 µs, took ")));
    walked.at(gather - 1);
    EXPECT_EQ(walked.model.summary(), QStringLiteral("about 7.2 µs"));
    const EventId asked = walked.find(EventKind::Redistribute, redistribution);
    EXPECT_FALSE(walked.at(asked).decision().isCurrent);  // it has not been planned yet
    const Decision plan = planDecision(walked.journal, walked.replay.at(gather));
    EXPECT_TRUE(plan.isCurrent);
    EXPECT_EQ(plan.subject, asked);
    EXPECT_EQ(plan.event, walked.find(EventKind::Plan));
    EXPECT_EQ(plan.lookup != 0, redistribution == 1);
  }
}

TEST(WaysModel, ShowsThePlansSideBySide) {
  Walked<WaysModel> walked(recordPlan);
  EXPECT_EQ(modelText(walked.at(walked.journal.size())),
            "min-cost | 1 | 96 B | 7.2 µs | 256 B\n"
            "greedy | 2 | 96 B | 14 µs | 192 B\n");
  EXPECT_TRUE(walked.model.index(0, 0).data(WaysModel::ChosenRole).toBool());
  EXPECT_FALSE(walked.model.index(1, 0).data(WaysModel::ChosenRole).toBool());
  EXPECT_EQ(walked.model.verdict(), QStringLiteral("min-cost explored 5 states"));
  EXPECT_EQ(modelText(walked.at(1)), "");
  Walked<WaysModel> unexplained;
  EXPECT_EQ(modelText(unexplained.at(unexplained.journal.size())), "");
  EXPECT_EQ(unexplained.model.verdict(), QString());
}

TEST(WaysModel, SaysThatTheSearchGaveUp) {
  Walked<WaysModel> walked([](Journal& journal) {
    Recorder recorder;
    recorder.addSink(journal);
    Event event;
    event.kind = EventKind::Plan;
    event.detail = recorder.intern(
        planDetail({.steps = {{"tp", 0, "S(0)", "R", "all_gather", "(R)", 96, 7.25}},
                    .planner = "min-cost",
                    .explored = 4096,
                    .caveat = "the search stopped after 4096 layouts"}));
    recorder.note(event);
  });
  walked.at(1);
  EXPECT_EQ(walked.model.verdict(),
            QStringLiteral("min-cost explored 4096 states; a cheaper way may exist: the search "
                           "stopped after 4096 layouts"));
}

TEST(TensorsModel, ListsTensorsButNoMasks) {
  Walked<TensorsModel> walked;
  EXPECT_EQ(modelText(walked.at(walked.journal.size())),
            "follow the event\n"
            "w   f32[10, 3]   S(0)\n"
            "x   i64[6]   R\n"
            "x'   i64[6]   MaskP(sum, [10, 3], 0)\n"
            "y   f32[6, 3]   MaskP(sum, [10, 3], 0)\n"
            "z   f32[6, 3]   R\n");
}

TEST(TensorsModel, SaysWhichRanksATensorLiesOn) {
  Journal journal;
  recordTensor(journal, "4:tp", {4}, {Shard{0}}, {DeviceMesh::make({2}, {"pp"}, {0, 3}).value()});
  Replay replay(journal);
  TensorsModel model;
  model.setSnapshot(journal, replay.at(journal.size()));
  EXPECT_EQ(modelText(model), "follow the event\nt   f32[4]   S(0) on ranks 0, 3\n");
}

}  // namespace
}  // namespace shardlens
