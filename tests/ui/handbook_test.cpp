// Tests the window of the handbook: opening, searching, links, and the help for a panel.
#include "tests/ui/support/on_recording.h"
#include "ui/pages/handbook_text.h"
#include "ui/pages/handbook_window.h"
#include "ui/panels/panel_catalogue.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTextBlock>
#include <QTextCursor>

namespace shardlens {
namespace {

bool becomesActive(const QWidget& window) {
  return QTest::qWaitFor([&] { return QApplication::activeWindow() == &window; });
}

// The window of the handbook, opened by F1 in a main window.
struct Opened : OnRecording {
  Opened() {
    window.activateWindow();
    EXPECT_TRUE(becomesActive(window));
    press(Qt::Key_F1);
    handbook = window.findChild<HandbookWindow*>();
    EXPECT_TRUE(becomesActive(*handbook));
    words = handbook->findChild<QLineEdit*>(QStringLiteral("handbookWords"));
    found = handbook->findChild<QListWidget*>(QStringLiteral("handbookFound"));
    text = handbook->findChild<HandbookText*>();
  }
  QString page() const { return text->source().fileName(); }
  QStringList rows() const {
    QStringList rows;
    for (int row = 0; row < found->count(); ++row) {
      rows << found->item(row)->text();
    }
    return rows;
  }

  HandbookWindow* handbook;
  QLineEdit* words;
  QListWidget* found;
  HandbookText* text;
};

TEST(Handbook, F1OpensItAndF1AndEscapeCloseIt) {
  for (const Qt::Key key : {Qt::Key_F1, Qt::Key_Escape}) {
    Opened on;
    EXPECT_TRUE(on.handbook->isVisible());
    EXPECT_GT(on.rows().size(), 10);
    EXPECT_THAT(on.rows(), testing::Contains(QStringLiteral("Concepts")));
    QTest::keyClick(on.handbook, key);
    EXPECT_FALSE(on.handbook->isVisible()) << key;
    on.find<QAction>("handbook")->trigger();
    EXPECT_TRUE(on.handbook->isVisible());
  }
}

TEST(Handbook, OpensWithoutADocumentAtTheContents) {
  Window on;
  on.find<QAction>("handbook")->trigger();
  const auto* text = on.find<HandbookText>("handbookText");
  EXPECT_EQ(text->source().fileName(), QStringLiteral("index.md"));
  EXPECT_TRUE(text->toPlainText().contains(QStringLiteral("Handbook")));
}

TEST(Handbook, F1InAPanelOpensItsSection) {
  Opened on;
  on.handbook->hide();
  auto* steps = on.find<QWidget>("stepsView");
  on.window.activateWindow();
  ASSERT_TRUE(becomesActive(on.window));
  steps->setFocus();
  QTest::keyClick(steps, Qt::Key_F1);
  EXPECT_EQ(on.page(), QStringLiteral("window.md"));
  EXPECT_EQ(on.text->source().fragment(), QStringLiteral("events"));
  const QTextCursor top = on.text->cursorForPosition(QPoint(20, 4));
  EXPECT_EQ(top.block().text(), QStringLiteral("Events"));
}

TEST(Handbook, HasASectionForEachPanel) {
  const auto pages = readHandbook(handbookRoot().toStdString()).value();
  QStringList sections;
  for (const auto& page : pages) {
    for (const auto& section : page.sections) {
      if (page.name == "window") {
        sections << QString::fromStdString(section.title);
      }
    }
  }
  for (const PanelEntry& entry : panelCatalogue()) {
    EXPECT_TRUE(sections.contains(entry.title)) << qPrintable(entry.title);
  }
}

TEST(Handbook, FindsSectionsAndOpensThemByKeyboard) {
  Opened on;
  QTest::keySequence(on.handbook, QKeySequence::Find);
  ASSERT_TRUE(on.words->hasFocus());
  QTest::keyClicks(on.words, QStringLiteral("mask refcount"));
  EXPECT_THAT(on.rows(), testing::Contains(QStringLiteral("Concepts › Masks")));
  EXPECT_THAT(on.rows(), testing::Contains(QStringLiteral("The window › Mask buffers")));
  QTest::keyClick(on.words, Qt::Key_Down);
  ASSERT_TRUE(on.found->hasFocus());
  const qsizetype row = on.rows().indexOf(QStringLiteral("The window › Mask buffers"));
  for (qsizetype down = 0; down < row; ++down) {
    QTest::keyClick(on.found, Qt::Key_Down);
  }
  QTest::keyClick(on.found, Qt::Key_Return);
  EXPECT_EQ(on.page(), QStringLiteral("window.md"));
  EXPECT_EQ(on.text->source().fragment(), QStringLiteral("mask-buffers"));
}

TEST(Handbook, ReportsThatNothingWasFound) {
  Opened on;
  QTest::keyClicks(on.words, QStringLiteral("zebra"));
  auto* empty = on.handbook->findChild<QLabel*>(QStringLiteral("handbookEmpty"));
  EXPECT_TRUE(empty->isVisible());
  EXPECT_EQ(empty->text(), QStringLiteral("No section contains \"zebra\"."));
  EXPECT_FALSE(on.found->isVisible());
  const QUrl before = on.text->source();
  QTest::keyClick(on.words, Qt::Key_Return);
  EXPECT_EQ(on.text->source(), before);
  on.words->clear();
  EXPECT_FALSE(empty->isVisible());
  EXPECT_TRUE(on.found->isVisible());
}

TEST(Handbook, GoesBackAndForward) {
  Opened on;
  on.handbook->openPage(QStringLiteral("index"));
  on.handbook->openPage(QStringLiteral("concepts"));
  QTest::keyClick(on.handbook, Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(on.page(), QStringLiteral("index.md"));
  QTest::keyClick(on.handbook, Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(on.page(), QStringLiteral("concepts.md"));
}

TEST(Handbook, LinksLeadToPagesCommandsAndScenarios) {
  Opened on;
  on.handbook->openPage(QStringLiteral("index"));
  QSignalSpy scenarios(on.handbook, &HandbookWindow::scenarioRequested);
  const auto follow = [&](const char* link) {
    Q_EMIT on.text->anchorClicked(QUrl(QLatin1String(link)));
  };
  follow("concepts.md#masks");
  EXPECT_EQ(on.page(), QStringLiteral("concepts.md"));
  EXPECT_EQ(on.text->source().fragment(), QStringLiteral("masks"));
  follow("#placements");
  EXPECT_EQ(on.page(), QStringLiteral("concepts.md"));
  EXPECT_EQ(on.text->source().fragment(), QStringLiteral("placements"));

  follow("command:start");
  EXPECT_TRUE(on.shows(QStringLiteral("event 0 of 25")));
  follow("command:none");
  EXPECT_TRUE(scenarios.isEmpty());

  on.handbook->disconnect(&on.window);
  follow("gallery:02-row-wise-on-2x2");
  ASSERT_EQ(scenarios.size(), 1);
  EXPECT_TRUE(scenarios[0][0].toString().endsWith(QStringLiteral("/02-row-wise-on-2x2.json")));
  follow("gallery:none");
  EXPECT_EQ(scenarios.size(), 1);
}

TEST(Handbook, HasPicturesAndTheColoursOfTheLook) {
  Opened on;
  on.handbook->openPage(QStringLiteral("concepts"));
  EXPECT_TRUE(on.text->toHtml().contains(QStringLiteral("concepts-placements.png")));
  const auto picture = on.text->document()->resource(
      QTextDocument::ImageResource, QUrl(QStringLiteral("../pictures/concepts-placements.png")));
  EXPECT_FALSE(picture.value<QImage>().isNull());
  const QString light = on.text->toHtml();
  on.window.setDark(true);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.text->toHtml() != light; }));
  on.window.setDark(false);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.text->toHtml() == light; }));
}

TEST(Handbook, NamesAMissingHandbookAndAMissingFile) {
  QTemporaryDir folder;
  HandbookWindow missing(folder.path(), nullptr);
  auto* text = missing.findChild<HandbookText*>();
  EXPECT_TRUE(text->toPlainText().contains(QStringLiteral("index.md: cannot be read")));
  missing.show();
  EXPECT_TRUE(missing.findChild<QLabel*>(QStringLiteral("handbookEmpty"))->isVisible());
  text->showFile(QUrl::fromLocalFile(folder.filePath(QStringLiteral("none.md"))));
  EXPECT_TRUE(text->toPlainText().contains(QStringLiteral("none.md cannot be read")));
}

}  // namespace
}  // namespace shardlens
