#include "ui/models/steps_model.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/model_text.h"
#include "ui/models/program_model.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <optional>
#include <tuple>
#include <vector>

namespace shardlens {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;
using testing::ElementsAre;

std::vector<int> rowsOf(const QSignalSpy& inserts) {
  std::vector<int> rows;
  for (const auto& insert : inserts) {
    rows.push_back(insert[2].toInt() - insert[1].toInt() + 1);
  }
  return rows;
}

// Returns the tree as text without durations, which differ from run to run.
std::string treeText(const StepsModel& model, const QModelIndex& parent = {}, int depth = 0) {
  std::string text;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const auto title = model.index(row, StepsModel::Title, parent);
    const auto note = model.index(row, StepsModel::Note, parent).data().toString();
    text += std::string(static_cast<std::size_t>(2 * depth), ' ') +
            title.data().toString().toStdString() +
            (note.isEmpty() ? std::string() : " | " + note.toStdString()) + '\n';
    text += treeText(model, title, depth + 1);
  }
  return text;
}

TEST(StepsModel, IsTheTreeOfEvents) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  StepsModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(journal, states.at(0));
  EXPECT_EQ(treeText(model),
            "w = randn([10, 3], S(0))\n"
            "  result w: S(0) | f32[10, 3]\n"
            "x = tensor([0, 9, 4, 4, 2, 7], R)\n"
            "  result x: R | i64[6]\n"
            "y = embedding(w, x)\n"
            "  aten.embedding\n"
            "    strategy cache | miss\n"
            "    chose row-wise\n"
            "    redistribute x: R → MaskP | implicit\n"
            "      plan cache | miss\n"
            "      plan R → MaskP\n"
            "      mask #1 materialized | refcount 1\n"
            "      result x': MaskP | i64[6]\n"
            "    look up local rows | 4 ranks\n"
            "    mask #1 materialized | refcount 2\n"
            "    result y: MaskP | f32[6, 3]\n"
            "    mask #1 released | refcount 1\n"
            "z = redistribute(y, R)\n"
            "  redistribute y: MaskP → R | explicit · 1 cache hit\n"
            "    plan cache | hit\n"
            "    plan MaskP → R\n"
            "    mask #1 applied to y\n"
            "    all_reduce over tp | 288 B sent\n"
            "    mask #1 released | refcount 0\n"
            "    result z: R | f32[6, 3]\n");
}

TEST(StepsModel, NamesStepsAsTheProgramDoes) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  StepsModel steps;
  steps.setSnapshot(journal, states.at(0));
  ProgramModel program;
  program.setSnapshot(journal, states.at(0));
  ASSERT_EQ(steps.rowCount(), program.rowCount());
  for (int row = 0; row < steps.rowCount(); ++row) {
    EXPECT_EQ(steps.index(row, 0).data(), program.index(row).data());
  }
}

TEST(StepsModel, MarksUnfinishedEvents) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.begin(Event{});
  StateIndex states(journal);
  StepsModel model;
  model.setSnapshot(journal, states.at(1));
  EXPECT_EQ(model.index(0, StepsModel::Time).data(), QStringLiteral("not finished"));
}

TEST(StepsModel, ShowsTheWholeError) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  Event error;
  error.kind = EventKind::Error;
  error.name = recorder.intern("MaskBuffer has been materialized with conflicting data");
  recorder.note(error);
  recorder.note(Event{});
  StateIndex states(journal);
  StepsModel model;
  model.setSnapshot(journal, states.at(2));
  EXPECT_TRUE(model.index(0, 0).data(StepsModel::WholeRole).toBool());
  EXPECT_FALSE(model.index(1, 0).data(StepsModel::WholeRole).toBool());
  EXPECT_EQ(model.index(0, StepsModel::Note).data(), QString());
}

// While a run is followed, its first events may arrive before its scenario.
TEST(StepsModel, NamesStepsWhenTheProgramArrivesLate) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.setStep(0, 2);
  Event step;
  step.kind = EventKind::Step;
  step.name = recorder.intern("aten.exp");
  recorder.note(step);
  StateIndex states(journal);
  StepsModel model;
  model.setSnapshot(journal, states.at(0));
  EXPECT_EQ(model.index(0, 0).data(), QStringLiteral("aten.exp"));
  QSignalSpy changed(&model, &StepsModel::dataChanged);
  recorder.meta("scenario", R"({"steps": [{"id": "y", "call": "aten.exp", "args": ["$x"]}]})");
  model.setSnapshot(journal, states.at(0));
  EXPECT_EQ(model.index(0, 0).data(), QStringLiteral("y = exp(x)"));
  EXPECT_EQ(changed.count(), 1);
}

TEST(StepsModel, ComparesTitlesWithTheirNeighbours) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  for (const char* name : {"layers.11.query", "layers.11.key", "other"}) {
    Event event;
    event.kind = EventKind::Operator;
    event.name = recorder.intern(name);
    recorder.note(event);
  }
  StateIndex states(journal);
  StepsModel model;
  model.setSnapshot(journal, states.at(0));
  EXPECT_EQ(model.index(0, 0).data(StepsModel::SharedRole), 10);
  EXPECT_EQ(model.index(2, 0).data(StepsModel::SharedRole), 0);
}

TEST(StepsModel, MarksPastAndCurrentEvents) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  StepsModel model;
  model.setSnapshot(journal, states.at(5));
  EXPECT_TRUE(model.indexOf(5).data(StepsModel::HappenedRole).toBool());
  EXPECT_TRUE(model.indexOf(5).data(StepsModel::CurrentRole).toBool());
  EXPECT_FALSE(model.indexOf(4).data(StepsModel::CurrentRole).toBool());
  EXPECT_FALSE(model.indexOf(6).data(StepsModel::HappenedRole).toBool());
}

// The journal grows by one event at a time.
TEST(StepsModel, GrowsWithoutMovingRows) {
  Journal whole;
  recordLookup(whole);
  Journal growing;
  StepsModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(growing, {});
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  for (StringId id = 1; id <= whole.strings(); ++id) {
    growing.onString(id, whole.text(id));
  }
  for (SpecId id = 1; id <= whole.specs(); ++id) {
    growing.onSpec(id, whole.spec(id));
  }
  for (RouteId id = 1; id <= whole.routes(); ++id) {
    growing.onRoute(id, whole.route(id));
  }
  for (TensorId id = 1; id <= whole.tensors(); ++id) {
    growing.onTensor(id, whole.nameOf(id), whole.specOf(id));
  }
  for (EventId id = 1; id <= whole.size(); ++id) {
    growing.onEvent(id, whole.at(id));
    StateIndex states(growing);
    model.setSnapshot(growing, states.at(id));
    EXPECT_EQ(model.eventOf(model.indexOf(id)), id);
    EXPECT_EQ(model.eventOf(model.indexOf(id).parent()), whole.at(id).parent);
  }
  EXPECT_EQ(resets.count(), 0);
}

// The model sees the run inside of a span, and again after many more events. Rows are added to the
// open spans; rows inside of new spans are not created yet.
TEST(StepsModel, GrowsByMuchWithoutAReset) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  Event event;
  event.kind = EventKind::Compute;
  StateIndex states(journal);
  StepsModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  recorder.note(event);
  std::optional<Span> step(std::in_place, recorder, event);       // 2
  std::optional<Span> operation(std::in_place, recorder, event);  // 3
  model.setSnapshot(journal, states.at(0));
  const QPersistentModelIndex kept = model.indexOf(3);
  EXPECT_FALSE(model.hasChildren(kept));
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);
  recorder.note(event);  // 4
  operation.reset();
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) {
    const Span inside(recorder, event);
    recorder.note(event);
  }
  step.reset();
  for (int i = 0; i < kMany; ++i) {
    const Span inside(recorder, event);
    recorder.note(event);
  }
  model.setSnapshot(journal, states.at(0));
  EXPECT_EQ(resets.count(), 0);
  EXPECT_THAT(rowsOf(inserts), ElementsAre(1, 999, 10, 998, 10));
  EXPECT_EQ(model.eventOf(kept), 3U);
  EXPECT_EQ(model.eventOf(kept.parent()), 2U);
  EXPECT_EQ(model.rowCount(kept), 1);
  EXPECT_EQ(model.rowCount(kept.parent()), 1000 + 10);
  EXPECT_EQ(model.rowCount(), 1000 + 10);
  const QModelIndex last = model.indexOf(journal.size());
  EXPECT_EQ(model.eventOf(last.parent()), journal.size() - 1);
}

// The time of a view depends on the number of rows.
TEST(StepsModel, GroupsMillionsOfEvents) {
  constexpr EventId kMany = 100'000;
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  Event event;
  event.kind = EventKind::Compute;
  const auto grow = [&](EventId to) {
    while (journal.size() < to) {
      recorder.note(event);
    }
  };
  StateIndex states(journal);
  StepsModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  grow(kMany - 500);
  model.setSnapshot(journal, states.at(kMany));
  ASSERT_EQ(model.rowCount(), 1000 + 99);
  EXPECT_EQ(model.eventOf(model.index(999, 0)), 1000U);
  const QModelIndex first = model.index(1000, 0);
  EXPECT_EQ(first.data(), QStringLiteral("events 1001 to 2000"));
  EXPECT_TRUE(model.hasChildren(first));
  EXPECT_EQ(model.rowCount(first), 1000);
  EXPECT_EQ(model.eventOf(model.index(7, 0, first)), 1008U);
  EXPECT_EQ(model.indexOf(1008), model.index(7, 0, first));
  EXPECT_EQ(model.indexOf(1008).parent(), first);
  const QPersistentModelIndex last = model.index(1098, 0);
  EXPECT_EQ(last.data(), QStringLiteral("events 99001 to 99500"));
  QSignalSpy inserts(&model, &QAbstractItemModel::rowsInserted);
  grow(kMany + 2500);
  model.setSnapshot(journal, states.at(kMany));
  EXPECT_THAT(rowsOf(inserts), ElementsAre(500, 3));
  EXPECT_EQ(last.data(), QStringLiteral("events 99001 to 100000"));
  EXPECT_EQ(model.index(1101, 0).data(), QStringLiteral("events 102001 to 102500"));
}

// A trace of two threads: events of the second are between events inside of the first one's span.
TEST(StepsModel, ShowsInterleavedThreads) {
  Journal all;
  all.onMeta("imported", "Kineto trace");
  all.onString(1, "op");
  const auto add = [](Journal& journal, EventId parent, std::int64_t time, std::int64_t duration) {
    Event event;
    event.kind = EventKind::Operator;
    event.name = 1;
    event.parent = parent;
    event.time = time;
    event.duration = duration;
    journal.onEvent(journal.size() + 1, event);
  };
  const std::tuple<EventId, int, int> spans[] = {{0, 0, 100}, {1, 10, 20}, {0, 12, 50},
                                                 {2, 15, 5},  {3, 20, 1},  {1, 40, 5},
                                                 {3, 45, 1},  {0, 120, 9}};
  Journal growing;
  growing.onMeta("imported", "Kineto trace");
  growing.onString(1, "op");
  StateIndex growingStates(growing);
  StepsModel grown;
  const QAbstractItemModelTester tester(&grown, Mode::Fatal);
  for (const auto& [parent, time, duration] : spans) {
    add(all, parent, time, duration);
    add(growing, parent, time, duration);
    grown.setSnapshot(growing, growingStates.at(growing.size()));
  }
  StateIndex states(all);
  StepsModel whole;
  whole.setSnapshot(all, states.at(all.size()));
  const auto tree = [](const StepsModel& model) {
    std::string text;
    for (EventId id = 1; id <= 8; ++id) {
      const QModelIndex row = model.indexOf(id);
      text += row.isValid() ? std::to_string(model.eventOf(row.parent())) : "-";
      text += model.hasChildren(row) ? "+ " : " ";
    }
    return text;
  };
  EXPECT_EQ(tree(whole), "0+ 1+ 0+ 2 3 1 3 0 ");
  EXPECT_EQ(tree(grown), tree(whole));
  EXPECT_EQ(whole.rowCount(whole.indexOf(1)), 2);
  EXPECT_EQ(whole.rowCount(whole.indexOf(3)), 2);
  EXPECT_EQ(whole.rowCount(), 3);
}

TEST(StepsModel, IgnoresEventsInsideAnEndedSpan) {
  Journal journal;
  const auto add = [&](EventId parent) {
    Event event;
    event.kind = EventKind::Compute;
    event.parent = parent;
    journal.onEvent(journal.size() + 1, event);
    return journal.size();
  };
  const EventId over = add(0);
  for (std::size_t i = 0; i < StepsModel::kTogether; ++i) {
    add(over);
  }
  StateIndex states(journal);
  StepsModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  model.setSnapshot(journal, states.at(1));
  add(0);
  const EventId lost = add(over);
  model.setSnapshot(journal, states.at(lost));
  EXPECT_FALSE(model.indexOf(lost).isValid());
  const EventId inside = add(lost);
  model.setSnapshot(journal, states.at(inside));
  EXPECT_FALSE(model.indexOf(inside).parent().isValid());
  EXPECT_EQ(model.rowCount(), 2);
  EXPECT_EQ(model.rowCount(model.indexOf(over)), 1000);
}

TEST(StepsModel, ForgetsAnotherRecording) {
  Journal journal;
  recordLookup(journal);
  const Journal nothing;
  StepsModel model;
  const QAbstractItemModelTester tester(&model, Mode::Fatal);
  StateIndex states(journal);
  model.setSnapshot(journal, states.at(3));
  model.setSnapshot(nothing, {});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace shardlens
