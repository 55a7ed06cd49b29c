#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/model_text.h"
#include "ui/models/buffers_model.h"
#include "ui/models/program_model.h"
#include "ui/models/tensors_model.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>

namespace shardlens {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

// A model under the model tester. The constructor walks it forwards and backwards over the whole
// recording.
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
    model.setSnapshot(journal, states.at(position));
    return model;
  }
  EventId find(EventKind kind, int nth = 0) const { return LookupRun::find(journal, kind, nth); }

  Journal journal;
  StateIndex states{journal};
  Model model;
  QAbstractItemModelTester tester{&model, Mode::Fatal};
};

TEST(ProgramModel, FormatsTheProgramAndMarksTheLine) {
  Walked<ProgramModel> walked;
  EXPECT_EQ(modelText(walked.at(0)),
            "w = randn([10, 3], S(0))\n"
            "x = tensor([0, 9, 4, 4, 2, 7], R)\n"
            "y = embedding(w, x)\n"
            "z = redistribute(y, R)\n");
  EXPECT_EQ(walked.model.currentRow(), -1);
  EXPECT_EQ(walked.at(walked.find(EventKind::Operator)).currentRow(), 2);
}

TEST(ProgramModel, MarksRefusedAndSkippedSteps) {
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
  const auto isMarked = [&](int row) {
    return walked.model.index(row).data(ProgramModel::MarkRole).toBool();
  };
  EXPECT_TRUE(isMarked(7));
  EXPECT_FALSE(isMarked(8));
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

TEST(TensorsModel, ListsTensorsWithoutMasks) {
  Walked<TensorsModel> walked;
  EXPECT_EQ(modelText(walked.at(walked.journal.size())),
            "current tensor\n"
            "w   f32[10, 3]   S(0)\n"
            "x   i64[6]   R\n"
            "x'   i64[6]   MaskP(sum, [10, 3], 0)\n"
            "y   f32[6, 3]   MaskP(sum, [10, 3], 0)\n"
            "z   f32[6, 3]   R\n");
}

// Every third tensor is a mask.
TEST(TensorsModel, OmitsMasksAtAnyRow) {
  Journal journal;
  for (const char* name : {"mask", "a", "b", "mask", "c", "d", "mask"}) {
    const bool isMask = name[1] != '\0';
    journal.onString(journal.strings() + 1, name);
    journal.onSpec(journal.specs() + 1,
                   {DType::Float32, {4}, isMask ? Placements() : Placements{Replicate{}}});
    journal.onTensor(journal.tensors() + 1, journal.strings(), journal.specs());
    Event event;
    event.kind = EventKind::Result;
    event.subject = journal.tensors();
    journal.onEvent(journal.size() + 1, event);
  }
  StateIndex states(journal);
  TensorsModel model;
  const auto names = [&](EventId position) {
    model.setSnapshot(journal, states.at(position));
    QString all;
    for (int row = 1; row < model.rowCount(); ++row) {
      all += model.index(row).data().toString().first(1);
    }
    return all.toStdString();
  };
  EXPECT_EQ(names(7), "abcd");
  EXPECT_EQ(names(1), "");
  EXPECT_EQ(names(4), "ab");
  EXPECT_EQ(names(5), "abc");
  EXPECT_EQ(model.rowOf(5), 3);
  EXPECT_EQ(model.rowOf(4), 0);
  EXPECT_EQ(model.rowOf(6), 0);  // not recorded yet
}

// In a recording of several processes, tensors may appear in another order than their ids.
TEST(TensorsModel, FindsRowsInAnyOrderOfIds) {
  Journal journal;
  journal.onString(1, "t");
  journal.onSpec(1, {DType::Float32, {4}, {Replicate{}}});
  const std::vector<TensorId> ids{4, 2, 5, 1, 3};
  for (TensorId id = 1; id <= 6; ++id) {
    journal.onTensor(id, 1, 1);
  }
  for (const TensorId id : ids) {
    Event event;
    event.kind = EventKind::Result;
    event.subject = id;
    journal.onEvent(journal.size() + 1, event);
  }
  StateIndex states(journal);
  TensorsModel model;
  model.setSnapshot(journal, states.at(4));
  for (int row = 1; row <= 4; ++row) {
    const TensorId id = ids[static_cast<std::size_t>(row) - 1];
    EXPECT_EQ(model.index(row).data(ChoiceModel::IdRole).toUInt(), id);
    EXPECT_EQ(model.rowOf(id), row);
  }
  EXPECT_EQ(model.rowOf(3), 0);  // comes later
  EXPECT_EQ(model.rowOf(6), 0);  // never
  EXPECT_EQ(model.rowOf(0), 0);
}

TEST(BuffersModel, FindsARow) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  BuffersModel model;
  model.setSnapshot(states.at(journal.size()));
  EXPECT_EQ(modelText(model), "newest\n#1\n");
  EXPECT_EQ(model.rowOf(1), 1);
  EXPECT_EQ(model.rowOf(2), 0);
  model.setSnapshot(states.at(1));
  EXPECT_EQ(model.rowOf(1), 0);  // not recorded yet
}

TEST(TensorsModel, NamesTheRanksOfATensor) {
  Journal journal;
  recordTensor(journal, "4:tp", {4}, {Shard{0}}, {DeviceMesh::make({2}, {"pp"}, {0, 3}).value()});
  StateIndex states(journal);
  TensorsModel model;
  model.setSnapshot(journal, states.at(journal.size()));
  EXPECT_EQ(modelText(model), "current tensor\nt   f32[4]   S(0) on ranks 0, 3\n");
}

}  // namespace
}  // namespace shardlens
