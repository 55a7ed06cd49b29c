// Tests following a remote run in the window.
#include "core/trace/journal/tensor_ranks.h"
#include "tests/ui/support/on_recording.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QProcess>

namespace shardlens {
namespace {

// A window, and a server process for the recording of a run.
struct OnServer : Window {
  OnServer() {
    qputenv("SHARDLENS_ENGINE", SHARDLENS_ENGINE);
    EXPECT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("far")));
    writeLookup(path("far/run.shardlens"));
    server.start(QStringLiteral(SHARDLENS_ENGINE), {QStringLiteral("serve"), path("far")});
    while (!server.canReadLine() && server.waitForReadyRead(30000)) {
    }
    where = QString::fromUtf8(server.readLine().trimmed()).section(u' ', -1);
    while (!server.canReadLine() && server.waitForReadyRead(30000)) {
    }
    token = QString::fromUtf8(server.readLine().trimmed()).section(u' ', -1);
  }
  ~OnServer() {
    server.kill();
    server.waitForFinished();
  }
  void follow(const QString& at, const QString& with) {
    if (find<QDialog>("followDialog") == nullptr) {
      find<QAction>("follow")->trigger();
    }
    find<QLineEdit>("followWhere")->setText(at);
    find<QLineEdit>("followToken")->setText(with);
    click("followStart");
  }
  // Waits until the whole recording has arrived; the window opens it earlier.
  bool arrives() {
    return QTest::qWaitFor([&] { return position().endsWith(QStringLiteral(" of 25")); }, 30000);
  }
  bool showsMessage(const QString& text) {
    return QTest::qWaitFor([&] { return find<QLabel>("followStatus")->text() == text; }, 30000);
  }
  QProcess server;
  QString where, token;
};

TEST(Follow, ShowsAServedRun) {
  OnServer on;
  on.follow(on.where, on.token);
  EXPECT_TRUE(on.arrives()) << qPrintable(on.position());
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return on.message() == QStringLiteral("The run has ended."); }, 30000));
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.find<QDialog>("followDialog") == nullptr; }));
  EXPECT_FALSE(on.find<QAction>("openSteps")->isEnabled());
  const QString copy = on.window.document()->path();
  on.open(on.path("far/run.shardlens"));
  EXPECT_TRUE(on.find<QAction>("openSteps")->isEnabled());
  EXPECT_FALSE(QFile::exists(copy));
}

TEST(Follow, ShowsErrorsInTheDialog) {
  OnServer on;
  on.follow(on.where, QStringLiteral("nonsense"));
  EXPECT_TRUE(on.showsMessage(QStringLiteral("refused: wrong token")));
  on.follow(QStringLiteral("nowhere"), on.token);
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        return on.find<QLabel>("followStatus")
            ->text()
            .contains(QStringLiteral("expected HOST:PORT"));
      },
      30000));
  on.follow(on.where, on.token);
  EXPECT_TRUE(on.arrives()) << qPrintable(on.position());
}

TEST(Follow, WaitsForTheLastProcess) {
  Window on;
  writeProcess(on.path("rank-0.shardlens"), "0");
  ASSERT_TRUE(on.open(on.folder.path()));
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 1"))) << qPrintable(on.position());
  writeProcess(on.path("rank-1.shardlens"), "1");
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        return hostedRanks(on.window.cursor().journal()) == std::vector{0, 1};
      },
      30000));
  EXPECT_TRUE(on.shows(QStringLiteral("event 1 of 1"))) << qPrintable(on.position());
}

}  // namespace
}  // namespace shardlens
