// Tests recordings of several processes in one window, while they grow and if some are missing.
#include "core/trace/file/trace_writer.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/ui/support/on_recording.h"
#include "ui/pages/comparison_page.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/widgets/mesh_canvas.h"

#include <gmock/gmock.h>

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QMainWindow>
#include <QSignalSpy>
#include <QTimer>
#include <chrono>

namespace shardlens {
namespace {

// Two processes record in turns; the window shows the events that both have.
struct OnProcesses : Window {
  OnProcesses() {
    for (const int rank : {0, 1}) {
      const QString name = path(rank == 0 ? "rank-0.shardlens" : "rank-1.shardlens");
      writers.push_back(TraceWriter::create(name.toStdString()).value());
      recorders.push_back(std::make_unique<Recorder>());
      recorders.back()->addSink(*writers.back());
      recorders.back()->meta("mesh", "2:tp");
      recorders.back()->meta("hosted", std::to_string(rank));
      note(rank);
    }
  }
  void note(std::size_t process) {
    Event event;
    event.name = recorders[process]->intern("a step");
    recorders[process]->note(event);
    EXPECT_TRUE(writers[process]->flush());
  }
  std::vector<std::unique_ptr<TraceWriter>> writers;
  std::vector<std::unique_ptr<Recorder>> recorders;
};

TEST(Window, FollowsTheRecordingsOfProcesses) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 1, live …"))) << qPrintable(on.position());
  on.note(0);
  on.note(1);
  EXPECT_TRUE(on.shows(QStringLiteral("event 2, live …"))) << qPrintable(on.position());
  on.note(1);  // shown without process 0 after a while
  EXPECT_TRUE(on.shows(QStringLiteral("event 3, live …"))) << qPrintable(on.position());
  EXPECT_THAT(absentRanks(on.window.cursor().journal(), 3), testing::ElementsAre(0));
  on.note(0);
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return absentRanks(on.window.cursor().journal(), 3).empty(); }, 10000));
  for (const auto& writer : on.writers) {
    EXPECT_TRUE(writer->close());
  }
  EXPECT_TRUE(on.shows(QStringLiteral("event 3 of 3"))) << qPrintable(on.position());
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

// The panels of a job are arranged for a job while it runs, and for a hang once it hangs.
TEST(Window, ArrangesThePanelsForAJobThatBeginsToHang) {
  OnProcesses on;
  on.window.resize(1680, 1050);
  const auto areaOf = [&](const char* dock) {
    return on.find<QMainWindow>("")->dockWidgetArea(on.find<QDockWidget>(dock));
  };
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_EQ(areaOf("overviewPanelDock"), Qt::LeftDockWidgetArea);
  EXPECT_EQ(areaOf("meshPanelDock"), Qt::RightDockWidgetArea);
  Recorder& first = *on.recorders[0];
  first.begin(makeCollective(first, CollectiveKind::AllReduce, "0,1", 0, 8, {}));
  ASSERT_TRUE(on.writers[0]->flush());
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return areaOf("meshPanelDock") == Qt::LeftDockWidgetArea; }, 60000));
}

TEST(Window, ShowsTheTotalsOfARunWhileItOpens) {
  OnProcesses on;
  auto* delay = on.find<QTimer>("waitDelay");
  delay->setInterval(std::chrono::hours(1));
  const auto totals = [&] {
    QString text;
    const auto* page = on.window.findChild<QLabel*>(QStringLiteral("openingTotals"));
    const auto connection =
        QObject::connect(&on.window.host(), &DocumentHost::openingSummarized, [&] {
          EXPECT_TRUE(on.window.isOpening());
          EXPECT_FALSE(page->isVisible()) << "before the wait is long";
          QMetaObject::invokeMethod(delay, "timeout");
          EXPECT_TRUE(page->isVisible());
          text = page->text();
        });
    EXPECT_TRUE(on.open(on.folder.path()));
    EXPECT_FALSE(page->isVisible());
    on.window.closeDocument();
    QObject::disconnect(connection);
    return text;
  };
  EXPECT_EQ(totals(), QString());  // nothing is sealed
  EXPECT_TRUE(on.writers[0]->close());
  EXPECT_THAT(totals().toStdString(), testing::HasSubstr("<td>1&nbsp;or more</td>"));
  EXPECT_TRUE(on.writers[1]->close());
  EXPECT_THAT(totals().toStdString(), testing::HasSubstr("all ranks</td><td>2</td>"));
  EXPECT_FALSE(QFile::exists(on.path("shardlens-manifest.json")));
}

// Counts the refreshes of a growing recording.
struct Changes : QSignalSpy {
  explicit Changes(Window& on)
      : QSignalSpy(on.window.document()->findChild<QTimer*>(QString(), Qt::FindDirectChildrenOnly),
                   &QTimer::timeout) {}
  bool reach(int changes) {
    return QTest::qWaitFor([&] { return count() >= changes; }, 60000);
  }
};

TEST(Window, WaitsForAProcessThatIsBehind) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.folder.path()));
  const Journal& journal = on.window.cursor().journal();
  ASSERT_EQ(journal.size(), 1U);
  Changes changes(on);
  ASSERT_TRUE(changes.reach(10));  // no process has recorded anything
  on.note(1);
  ASSERT_TRUE(changes.reach(15));
  EXPECT_EQ(journal.size(), 1U);
  on.note(0);
  EXPECT_TRUE(QTest::qWaitFor([&] { return journal.size() == 2; }, 10000));
  EXPECT_TRUE(absentRanks(journal, 2).empty());
  EXPECT_EQ(&on.window.cursor().journal(), &journal);  // the folder was not reopened
}

TEST(Window, WaitsLongerAfterAProcessResumed) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.folder.path()));
  const auto shows = [&](EventId size, std::vector<int> absent) {
    const auto& journal = on.window.cursor().journal();
    return journal.size() == size && absentRanks(journal, size) == absent;
  };
  on.note(1);
  ASSERT_TRUE(QTest::qWaitFor([&] { return shows(2, {0}); }, 10000));
  on.note(0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return shows(2, {}); }, 10000));
  Changes changes(on);
  on.note(1);
  ASSERT_TRUE(changes.reach(12));
  EXPECT_TRUE(shows(2, {}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return shows(3, {0}); }, 10000));
}

// The window reopens the folder when a process joins.
TEST(Window, KeepsThePositionWhenAProcessJoins) {
  Window on;
  writeProcess(on.path("rank-0.shardlens"), "0", 3);
  ASSERT_TRUE(on.open(on.folder.path()));
  on.window.cursor().moveTo(2);
  ASSERT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
  const auto ranks = [&] { return hostedRanks(on.window.cursor().journal()); };
  EXPECT_THAT(ranks(), testing::ElementsAre(0));
  writeProcess(on.path("rank-1.shardlens"), "1", 3);
  EXPECT_TRUE(QTest::qWaitFor([&] { return ranks() == std::vector{0, 1}; }, 10000));
  EXPECT_EQ(&on.window.cursor().journal(), &on.window.document()->journal());
  EXPECT_TRUE(on.shows(QStringLiteral("event 2 of 3"))) << qPrintable(on.position());
  on.window.grab();
}

TEST(Window, ReadsAllEventsBeforeReportingTheEnd) {
  constexpr EventId kMany = 300'000;
  Window on;
  const auto writer = TraceWriter::create(on.path("run.shardlens").toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.note(Event{});
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  const Document* document = on.window.document();
  const QSignalSpy grew(document, &Document::grew);
  const auto* steps = &on.find<StepsPanel>("eventsPanel")->model();
  const QSignalSpy made(steps, &QAbstractItemModel::modelReset);
  std::vector<EventId> over;
  QObject::connect(document, &Document::stateChanged, &on.window,
                   [&] { over.push_back(document->journal().size()); });
  while (recorder.note(Event{}) < kMany) {
  }
  ASSERT_TRUE(writer->close());
  on.click("endButton");
  EXPECT_TRUE(on.shows(QStringLiteral("event 300000 of 300000"))) << qPrintable(on.position());
  EXPECT_GT(grew.count(), 4);
  EXPECT_EQ(made.count(), 0);
  EXPECT_THAT(over, testing::ElementsAre(kMany));
}

TEST(Window, OffersTheOtherProcessesOfARecording) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.path("rank-1.shardlens")));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(1));
  on.click("messageAction");
  EXPECT_TRUE(on.window.isOpening());
  EXPECT_EQ(on.window.document()->path(), on.path("rank-1.shardlens"));
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.window.document()->path() == on.folder.path(); }, 10000));
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
  EXPECT_TRUE(on.message().isEmpty()) << qPrintable(on.message());
}

TEST(Window, ComparesAFolderWithTheWholeRunOfTheChosenRecording) {
  OnProcesses on;
  on.note(1);  // so that the two recordings differ
  for (auto& writer : on.writers) {
    EXPECT_TRUE(writer->close());
  }
  QDir(on.folder.path()).mkdir(QStringLiteral("other"));
  for (const char* name : {"/rank-0.shardlens", "/rank-1.shardlens"}) {
    const QString file = QLatin1String(name);
    ASSERT_TRUE(QFile::copy(on.folder.path() + file, on.path("other") + file));
  }
  auto& comparison = on.window.comparison();
  ASSERT_TRUE(on.open(on.folder.path()));
  on.window.compareWith(on.path("other/rank-1.shardlens"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !comparison.isBusy(); }));
  EXPECT_THAT(comparison.summary().toStdString(), testing::EndsWith("no differences"));
  ASSERT_TRUE(on.open(on.path("rank-1.shardlens")));
  on.window.compareWith(on.path("other/rank-0.shardlens"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !comparison.isBusy(); }));
  EXPECT_THAT(comparison.summary().toStdString(),
              testing::Not(testing::EndsWith("no differences")));
}

TEST(Window, NamesACrashedProcess) {
  OnProcesses on;
  // The copy is as a killed process leaves it: not closed, without a writer.
  ASSERT_TRUE(QDir(on.folder.path()).mkdir(QStringLiteral("dead")));
  for (const char* name : {"/rank-1.shardlens", "/rank-1.shardlens-wal"}) {
    const QString file = QLatin1String(name);
    ASSERT_TRUE(QFile::copy(on.folder.path() + file, on.path("dead") + file));
  }
  EXPECT_TRUE(on.writers[0]->close());
  ASSERT_TRUE(QFile::copy(on.path("rank-0.shardlens"), on.path("dead/rank-0.shardlens")));
  ASSERT_TRUE(on.open(on.path("dead")));
  EXPECT_EQ(on.message(),
            QStringLiteral(
                "Rank 1 died without closing its recording, of which the last event is a step."));
  EXPECT_EQ(on.window.problems().errors(), 1);
  EXPECT_EQ(on.window.problems().problems()->front().sentence,
            "rank 1 died without closing its recording, of which the last event is a step");
}

// The error of rank 0 follows from the end of rank 1.
TEST(Window, NamesTheRankThatEndedBeforeACollective) {
  OnProcesses on;
  Recorder& first = *on.recorders[0];
  first.note(makeCollective(first, CollectiveKind::AllReduce, "0,1", 0, 8, {}, "0,1"));
  first.note(makeError(first, "RuntimeError: Connection closed by peer"));
  for (const auto& writer : on.writers) EXPECT_TRUE(writer->close());
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        return on.message().contains(
            QStringLiteral("rank 1 did not call all_reduce over tp, which rank 0 called"));
      },
      10000))
      << qPrintable(on.message());
}

TEST(Window, NotesWhatTheRecorderCouldNotObserve) {
  OnProcesses on;
  on.recorders[0]->meta("limits", "plans: not recorded\nvalues are missing");
  on.note(0);
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_EQ(
      on.message(),
      QStringLiteral("Not recorded: plans: not recorded (rank 0); values are missing (rank 0)"));
}

TEST(Window, OpensAFolderWithoutItsDamagedFile) {
  OnProcesses on;
  QFile file(on.path("rank-2.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("this is no recording");
  file.close();
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_TRUE(on.message().startsWith(QStringLiteral("Opened without damaged parts: ")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("rank-2.shardlens")))
      << qPrintable(on.message());
  EXPECT_THAT(hostedRanks(on.window.cursor().journal()), testing::ElementsAre(0, 1));
}

TEST(Window, WithdrawsTheMessageWhenTheFileIsComplete) {
  Window on;
  writeProcess(on.path("rank-0.shardlens"), "0", 3);
  QFile file(on.path("rank-1.shardlens"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("the beginning of a copy");
  file.close();
  ASSERT_TRUE(on.open(on.folder.path()));
  ASSERT_TRUE(on.message().contains(QStringLiteral("rank-1.shardlens")));
  ASSERT_TRUE(file.remove());
  writeProcess(on.path("rank-1.shardlens"), "1", 3);
  const auto isWhole = [&] {
    return hostedRanks(on.window.cursor().journal()) == std::vector{0, 1};
  };
  EXPECT_TRUE(QTest::qWaitFor(isWhole, 10000));
  EXPECT_EQ(on.message(), QString()) << qPrintable(on.message());
}

TEST(Window, NewMessageKeepsAnEarlierOffer) {
  OnProcesses on;
  ASSERT_TRUE(on.open(on.path("rank-1.shardlens")));
  EXPECT_TRUE(on.find<QPushButton>("messageAction")->isVisible());
  EXPECT_FALSE(on.window.openPath(on.path("none.shardlens")));
  EXPECT_TRUE(on.message().contains(QStringLiteral("file not found")));
  EXPECT_FALSE(on.find<QPushButton>("messageAction")->isVisible());
  on.click("messageClose");
  on.click("messageAction");
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.window.document()->path() == on.folder.path(); }, 10000));
}

TEST(Window, TheMeshNamesTheRolesOfTheRanks) {
  OnProcesses on;
  for (const std::size_t rank : {0, 1}) {
    Recorder& recorder = *on.recorders[rank];
    recorder.setStep(0, 1);
    recorder.note(makeOperator(recorder, rank == 0 ? "aten.mm" : "aten.add"));
    EXPECT_TRUE(on.writers[rank]->close());
  }
  ASSERT_TRUE(on.open(on.folder.path()));
  on.click("endButton");
  auto* canvas = on.find<MeshCanvas>("meshCanvas");
  EXPECT_TRUE(QTest::qWaitFor([&] { return canvas->programs().size() == 2; }, 10000));
  EXPECT_THAT(canvas->words(1).toStdString(),
              testing::HasSubstr("role 2: program of rank 1 (tp=1)"));
  const auto* mesh = on.window.findChild<MeshPanel*>();
  ASSERT_NE(mesh, nullptr);
  EXPECT_THAT(mesh->header()->note().toStdString(), testing::HasSubstr("2 ranks in 2 roles"));
  EXPECT_EQ(mesh->header()->toolTip().toStdString(),
            "role 1: rank 0 (tp=0)\nrole 2: rank 1 (tp=1)");
}

}  // namespace
}  // namespace shardlens
