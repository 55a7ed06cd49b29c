// Tests the panels with recordings that the engine makes of the gallery.
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/tables/candidates_table.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/models/steps_model.h"
#include "ui/panels/buffers_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/why_panel.h"
#include "ui/text/format.h"
#include "ui/widgets/bits_canvas.h"

#include <gmock/gmock.h>

#include <QAbstractItemView>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QProcess>
#include <QTemporaryDir>

namespace shardlens {
namespace {

using view::candidatesTable;
using view::currentCall;
using view::Decision;
using view::planDecision;
using view::strategyDecision;

struct Recording {
  explicit Recording(const QString& scenario) {
    const QString file = folder.filePath(QStringLiteral("run.shardlens"));
    QProcess engine;
    engine.start(QStringLiteral(SHARDLENS_ENGINE),
                 {QStringLiteral("run"), QStringLiteral("--record"), file,
                  QDir(QStringLiteral(SHARDLENS_GALLERY)).filePath(scenario)});
    EXPECT_TRUE(engine.waitForFinished(60000));
    reader = TraceReader::open(file.toStdString()).value();
    states.emplace(reader->journal());
  }
  const Journal& journal() const { return reader->journal(); }
  Snapshot at(EventId position) { return states->at(position); }
  // Returns the first operator of that name at or after `id`.
  EventId operatorFrom(EventId id, const char* name) const {
    while (journal().at(id).kind != EventKind::Operator ||
           journal().name(journal().at(id)) != name) {
      ++id;
    }
    return id;
  }
  QTemporaryDir folder;
  std::unique_ptr<TraceReader> reader;
  std::optional<StateIndex> states;
};

QStringList gallery() {
  return QDir(QStringLiteral(SHARDLENS_GALLERY)).entryList({QStringLiteral("*.json")});
}

// A decision is that of the operator around the event, or it is marked as old.
TEST(Recorded, DecisionsOfEarlierEventsAreMarkedOld) {
  for (const QString& name : gallery()) {
    Recording run(name);
    const Journal& journal = run.journal();
    for (EventId id = 1; id <= journal.size(); ++id) {
      EventId op = id;
      while (op != 0 && journal.at(op).kind != EventKind::Operator) {
        op = journal.at(op).parent;
      }
      const Decision choice = strategyDecision(journal, id);
      EXPECT_EQ(choice.isCurrent, choice.subject != 0 && choice.subject == op)
          << qPrintable(name) << " at " << id;
      const Decision plan = planDecision(journal, id);
      if (plan.isCurrent && op != 0) {
        EXPECT_EQ(currentCall(journal, plan.subject), op) << qPrintable(name) << " at " << id;
      }
    }
  }
}

TEST(Recorded, HitShowsTheCandidatesOfItsEntry) {
  Recording run(QStringLiteral("04-tensor-parallel-training.json"));
  const Journal& journal = run.journal();
  const auto shown = candidatesTable(journal, journal.size());
  const Decision& choice = shown.decision;
  EXPECT_TRUE(choice.isCurrent);
  EXPECT_EQ(journal.at(choice.lookup).verdict, Verdict::Hit);
  EXPECT_EQ(shown.operatorName, journal.name(journal.at(choice.subject)));
  // An earlier call of the same operator made the entry.
  const EventId maker = journal.at(choice.event).parent;
  EXPECT_EQ(journal.name(journal.at(maker)), journal.name(journal.at(choice.subject)));
  EXPECT_LT(maker, choice.subject);
  EXPECT_GT(shown.table.rows.size(), 1U);
}

// Each of several operators of one step shows its own decision.
TEST(Recorded, SeparatesOperatorsOfOneStep) {
  Recording run(QStringLiteral("04-tensor-parallel-training.json"));
  const Journal& journal = run.journal();
  const EventId op = run.operatorFrom(1, "aten.embedding_dense_backward");
  for (EventId id = op; id <= journal.size() && (id == op || journal.at(id).parent >= op); ++id) {
    const auto candidates = candidatesTable(journal, id);
    const Decision plan = planDecision(journal, id);
    const bool own = candidates.operatorName == "aten.embedding_dense_backward";
    EXPECT_EQ(candidates.decision.isCurrent, own) << id;
    if (plan.isCurrent) {
      EXPECT_EQ(currentCall(journal, plan.subject), op) << id;
    }
  }
}

TEST(Recorded, StartedStepHasNoDecision) {
  Recording run(QStringLiteral("01-vocabulary-parallel-embedding.json"));
  for (EventId id = 1; id <= run.journal().size(); ++id) {
    if (run.journal().at(id).kind == EventKind::Step) {
      EXPECT_FALSE(strategyDecision(run.journal(), id).isCurrent) << id;
      EXPECT_FALSE(planDecision(run.journal(), id).isCurrent) << id;
    }
  }
}

// The panel shows a tensor that the step read, and says so.
TEST(Recorded, ShardsSaysThatTheStepWasRefused) {
  Recording run(QStringLiteral("06-conflicting-masks-torch-2.15.json"));
  ShardsPanel panel;
  panel.setSnapshot(run.journal(), run.at(run.journal().size()));
  const QString note = panel.header()->note();
  delete panel.header();
  EXPECT_EQ(note, QStringLiteral("the step was refused: the tensor before it"));
}

TEST(Recorded, ConflictShowsTheMaskThatTheRefusedLookupNeeds) {
  Recording run(QStringLiteral("06-conflicting-masks-torch-2.15.json"));
  BuffersPanel panel;
  panel.setSnapshot(run.journal(), run.at(run.journal().size()));
  const std::vector<MaskBits> needed = panel.findChild<BitsCanvas*>()->refused();
  ASSERT_EQ(needed.size(), 4U);
  // The ids 0, 9 and 7; rank 0 has the rows 0 to 2, rank 2 has 6 to 8.
  EXPECT_THAT(needed[0].bits, testing::ElementsAre(false, true, true));
  EXPECT_THAT(needed[2].bits, testing::ElementsAre(true, true, false));
  panel.setSnapshot(run.journal(), run.at(run.journal().size() - 1));
  EXPECT_TRUE(panel.findChild<BitsCanvas*>()->refused().empty());
  delete panel.header();
}

TEST(Recorded, AlarmNamesTheBuffersEnd) {
  const auto alarmOf = [](const char* name) {
    Recording run((QLatin1String(name)));
    BuffersPanel panel;
    panel.setSnapshot(run.journal(), run.at(run.journal().size()));
    delete panel.header();
    return panel.findChild<QLabel*>(QStringLiteral("bufferAlarm"))->text().toStdString();
  };
  EXPECT_THAT(alarmOf("06-conflicting-masks-torch-2.15.json"),
              testing::StartsWith("<b>Conflict:</b> the ids of the refused lookup need another"));
  EXPECT_THAT(alarmOf("07-one-mask-for-two-lookups-before-131264.json"),
              testing::StartsWith(
                  "<b>Conflict:</b> the refused step materializes a buffer that is in use"));
  EXPECT_THAT(
      alarmOf("08-another-tables-plan-before-131264.json"),
      testing::StartsWith("<b>Drained:</b> the refused step needs a mask that was released"));
  EXPECT_EQ(alarmOf("01-vocabulary-parallel-embedding.json"), "");
}

// Returns the object names of the visible labels and rows that have the text, sorted.
std::vector<std::string> placesOf(const QString& text, const QWidget& window) {
  std::vector<std::string> places;
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    if (!label->visibleRegion().isEmpty() && label->text().contains(text)) {
      places.push_back(label->objectName().toStdString());
    }
  }
  for (const QAbstractItemView* view : window.findChildren<QAbstractItemView*>()) {
    if (view->model() == nullptr || view->visibleRegion().isEmpty()) continue;
    const auto rows = view->model()->match(view->model()->index(0, 0), Qt::DisplayRole, text, -1,
                                           Qt::MatchContains | Qt::MatchRecursive);
    places.insert(places.end(), static_cast<std::size_t>(rows.size()),
                  view->objectName().toStdString());
  }
  std::ranges::sort(places);
  return places;
}

// Overview may list it as a problem.
TEST(Recorded, PanelsDoNotRepeatTheErrorOfARefusedStep) {
  for (const char* name :
       {"06-conflicting-masks-torch-2.15.json", "07-one-mask-for-two-lookups-before-131264.json",
        "08-another-tables-plan-before-131264.json"}) {
    Recording run((QLatin1String(name)));
    Window on;
    on.window.openPath(run.folder.filePath(QStringLiteral("run.shardlens")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !on.window.isOpening(); }));
    on.find<QDockWidget>("buffersPanelDock")->raise();
    ASSERT_TRUE(on.find<BuffersPanel>("buffersPanel")->isVisible());
    const QString error = toQString(run.at(run.journal().size()).error).left(30);
    EXPECT_THAT(placesOf(error, on.window), testing::IsSupersetOf({"messageText", "stepsView"}));
    EXPECT_THAT(placesOf(error, on.window),
                testing::IsSubsetOf({"messageText", "overviewProblems", "stepsView"}));
  }
}

}  // namespace
}  // namespace shardlens
