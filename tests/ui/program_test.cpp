// Tests the program shardlens-gui: pictures and refusals.
#include "tests/ui/support/lookup_run.h"

#include <gmock/gmock.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

namespace shardlens {
namespace {

struct Ran {
  int code = -1;
  QString output;
};

Ran run(const QStringList& arguments) {
  QProcess process;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
  environment.remove(QStringLiteral("DISPLAY"));
  environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(SHARDLENS_GUI), arguments);
  process.waitForFinished(60000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardError())};
}

struct InFolder {
  InFolder() { writeLookup(path("run.shardlens")); }
  QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }
  QTemporaryDir folder;
};

TEST(Program, RendersAPictureWithoutADisplay) {
  const InFolder in;
  const auto ran = run({in.path("run.shardlens"), QStringLiteral("--event"), QStringLiteral("3"),
                        QStringLiteral("--size"), QStringLiteral("900x600"),
                        QStringLiteral("--screenshot"), in.path("out.png")});
  EXPECT_EQ(ran.code, 0) << qPrintable(ran.output);
  EXPECT_EQ(ran.output, QString());
  EXPECT_EQ(QImage(in.path("out.png")).size(), QSize(900, 600));
}

TEST(Program, RendersDarkAndTheWelcomePage) {
  const InFolder in;
  EXPECT_EQ(
      run({QStringLiteral("--dark"), QStringLiteral("--screenshot"), in.path("out.png")}).code, 0);
  const QImage picture(in.path("out.png"));
  EXPECT_LT(picture.pixelColor(2, picture.height() - 2).lightness(), 64);
}

TEST(Program, DrawsAPanelAloneInDotsOrInLines) {
  const InFolder in;
  const auto draw = [&](const char* panel, const char* file) {
    return run({in.path("run.shardlens"), QStringLiteral("--panel"), QLatin1String(panel),
                QStringLiteral("--screenshot"), in.path(file)});
  };
  EXPECT_EQ(draw("buffers", "out.png").code, 0);
  const QSize size = QImage(in.path("out.png")).size();
  EXPECT_TRUE(size.width() > 200 && size.width() < 1000) << size.width();
  EXPECT_EQ(draw("buffers", "out.svg").code, 0);
  QFile file(in.path("out.svg"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray drawing = file.readAll();
  EXPECT_TRUE(drawing.contains("<svg")) << drawing.left(100).constData();
  EXPECT_TRUE(drawing.contains(">Mask buffers<"));  // the title is text
}

TEST(Program, RefusesAnUnknownPanel) {
  const InFolder in;
  const auto ran = run({in.path("run.shardlens"), QStringLiteral("--panel=colours"),
                        QStringLiteral("--screenshot"), in.path("out.png")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(
      ran.output,
      QStringLiteral("shardlens-gui: panel colours: expected one of shards, program, events, "
                     "buffers, caches, inspector, tensors, timeline, mesh, why, notes, problems, "
                     "overview\n"));
  EXPECT_FALSE(QFile::exists(in.path("out.png")));
}

TEST(Program, RefusesAStepPastTheEnd) {
  const InFolder in;
  const auto ran = run({in.path("run.shardlens"), QStringLiteral("--event=26"),
                        QStringLiteral("--screenshot"), in.path("out.png")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(ran.output.contains(QStringLiteral("expected 0 to 25"))) << qPrintable(ran.output);
  EXPECT_FALSE(QFile::exists(in.path("out.png")));
}

TEST(Program, TakesTheEarlierNameOfAnOption) {
  const InFolder in;
  const auto ran = run({in.path("run.shardlens"), QStringLiteral("--step=26"),
                        QStringLiteral("--screenshot"), in.path("out.png")});
  EXPECT_TRUE(ran.output.contains(QStringLiteral("expected 0 to 25"))) << qPrintable(ran.output);
}

TEST(Program, RefusesAnUnreadableFile) {
  const InFolder in;
  const auto ran = run({in.path("none.json"), QStringLiteral("--screenshot"), in.path("out.png")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(ran.output.contains(QStringLiteral("none.json"))) << qPrintable(ran.output);
  EXPECT_EQ(QDir(in.folder.path()).entryList(QDir::Files),
            QStringList(QStringLiteral("run.shardlens")));
}

TEST(Program, RefusesAnUnwritableFile) {
  const InFolder in;
  const auto ran = run(
      {in.path("run.shardlens"), QStringLiteral("--screenshot"), in.path("no/such/folder.png")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(ran.output.contains(QStringLiteral("folder.png"))) << qPrintable(ran.output);
}

TEST(Program, RemovesTheFoldersOfRunsWhoseWindowWasKilled) {
  const InFolder in;
  const QDir folder(in.folder.path());
  const auto make = [&](const char* name, const QByteArray& owner) {
    EXPECT_TRUE(folder.mkdir(QLatin1String(name)));
    QFile file(folder.filePath(QLatin1String(name)) + QStringLiteral("/owner"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(owner);
  };
  QProcess gone;
  gone.start(QStringLiteral("true"), QStringList());
  ASSERT_TRUE(gone.waitForStarted());
  const QByteArray pid = QByteArray::number(gone.processId());
  ASSERT_TRUE(gone.waitForFinished());
  make("shardlens-run-dead", pid + "\nshardlens-gui\n\n");
  make("shardlens-run-live",
       QByteArray::number(QCoreApplication::applicationPid()) + "\n" +
           QFileInfo(QCoreApplication::applicationFilePath()).fileName().toUtf8() + "\n\n");
  make("another", pid + "\nshardlens-gui\n\n");
  qputenv("TMPDIR", in.folder.path().toUtf8());
  EXPECT_EQ(run({QStringLiteral("--screenshot"), in.path("out.png")}).code, 0);
  qunsetenv("TMPDIR");
  EXPECT_FALSE(folder.exists(QStringLiteral("shardlens-run-dead")));
  EXPECT_TRUE(folder.exists(QStringLiteral("shardlens-run-live")));
  EXPECT_TRUE(folder.exists(QStringLiteral("another")));
}

TEST(Program, NamesInvalidArguments) {
  for (const char* wrong :
       {"--eventt", "--size=12", "--size=639x600", "--event=-1", "--size", "--panel=why"}) {
    const auto ran = run({QStringLiteral("x.json"), QLatin1String(wrong)});
    EXPECT_EQ(ran.code, 2) << wrong;
    EXPECT_TRUE(ran.output.contains(QLatin1String(wrong).left(6))) << qPrintable(ran.output);
  }
}

TEST(Program, NamesTheAllowedSizes) {
  EXPECT_EQ(
      run({QStringLiteral("--size=639x600")}).output,
      QStringLiteral("shardlens-gui: --size 639x600: expected at least 640x480 for the window\n"));
}

TEST(Program, ExplainsAMissingDisplay) {
  const InFolder in;
  const auto ran = run({in.path("run.shardlens")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(ran.output.contains(QStringLiteral("--screenshot"))) << qPrintable(ran.output);
}

}  // namespace
}  // namespace shardlens
