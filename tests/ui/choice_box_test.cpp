#include "ui/widgets/choice_box.h"

#include "ui/models/choice_model.h"
#include "ui/shell/style.h"

#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QScrollBar>
#include <QTest>

namespace shardlens {
namespace {

constexpr int kVery = 2'000'000;

// A model that counts the requests for names of choices.
class Numbered final : public ChoiceModel {
 public:
  explicit Numbered(int choices) { show(choices); }
  void show(int choices) { showChoices(static_cast<std::size_t>(choices)); }
  mutable int count = 0;

 private:
  std::uint32_t idAt(std::size_t choice) const override {
    return static_cast<std::uint32_t>(choice) + 1;
  }
  EventId bornAt(std::uint32_t id) const override { return id; }
  QString textOf(std::uint32_t id) const override {
    ++count;
    return QStringLiteral("t%1").arg(id);
  }
  QString currentText() const override { return QStringLiteral("current"); }
};

struct OnChoices {
  explicit OnChoices(int choices)
      : model(choices), box(model, QStringLiteral("what"), /*letters=*/10) {
    applyColourScheme(*qApp, ColourScheme::Light);
    box.show();
  }
  void open() {
    box.showPopup();
    QCoreApplication::processEvents();
    box.view()->grab();
  }
  bool isSeen(int row) const {
    const auto* list = box.view();
    const QRect rect = list->visualRect(box.model()->index(row, 0));
    return !rect.isEmpty() && list->viewport()->rect().contains(rect);
  }
  int current() const { return box.view()->currentIndex().row(); }
  void press(Qt::Key key) { QTest::keyClick(box.view(), key); }

  Numbered model;
  ChoiceBox box;
};

TEST(ChoiceBox, ReadsVisibleRowsOnly) {
  OnChoices on(kVery);
  for (const int row : {0, kVery / 2, kVery}) {
    on.box.setCurrentIndex(row);
    on.open();
    EXPECT_EQ(on.current(), row);
    EXPECT_TRUE(on.isSeen(row)) << row;
    on.box.hidePopup();
  }
  on.open();
  on.model.show(2 * kVery);
  applyColourScheme(*qApp, ColourScheme::Dark);
  on.open();
  EXPECT_TRUE(on.isSeen(kVery));
  EXPECT_GT(on.model.count, 0);
  EXPECT_LT(on.model.count, 5000);
}

TEST(ChoiceBox, MovesByKeys) {
  OnChoices on(kVery);
  on.open();
  const int page = on.box.view()->verticalScrollBar()->pageStep();
  EXPECT_GT(page, 5);
  on.press(Qt::Key_Up);
  EXPECT_EQ(on.current(), 0);
  on.press(Qt::Key_PageDown);
  EXPECT_EQ(on.current(), page);
  EXPECT_TRUE(on.isSeen(page));
  on.press(Qt::Key_PageUp);
  EXPECT_EQ(on.current(), 0);
  on.press(Qt::Key_End);
  on.press(Qt::Key_Down);
  EXPECT_EQ(on.current(), kVery);
  EXPECT_TRUE(on.isSeen(kVery));
  on.press(Qt::Key_Up);
  on.press(Qt::Key_Return);
  EXPECT_EQ(on.box.currentIndex(), kVery - 1);
}

TEST(ChoiceBox, ChoosesByClick) {
  OnChoices on(100);
  on.box.setCurrentIndex(60);
  on.open();
  const auto* list = on.box.view();
  const QPoint place = list->visualRect(on.model.index(57)).center();
  EXPECT_EQ(list->indexAt(place).row(), 57);
  EXPECT_FALSE(list->indexAt({place.x(), -1000 * place.y()}).isValid());
  QTest::mouseMove(list->viewport(), place);
  QTest::qWait(0);
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, place);
  EXPECT_TRUE(QTest::qWaitFor([&] { return on.box.currentIndex() == 57; }));
}

TEST(ChoiceBox, ListsFewRowsFromTheTop) {
  OnChoices on(3);
  on.open();
  const auto* list = on.box.view();
  for (int row = 0; row <= 3; ++row) {
    EXPECT_TRUE(on.isSeen(row)) << row;
  }
  EXPECT_EQ(list->visualRect(on.model.index(0)).top(), 0);
  EXPECT_FALSE(list->verticalScrollBar()->isVisible());
}

TEST(ChoiceModel, LimitsTheSearchOfTypedText) {
  const auto typed = [](const ChoiceModel& model, int from, const char* text) {
    const auto found = model.match(model.index(from), Qt::DisplayRole, QLatin1String(text), 1,
                                   Qt::MatchStartsWith | Qt::MatchWrap);
    return found.empty() ? -1 : found.front().row();
  };
  const Numbered many(50000);
  EXPECT_EQ(typed(many, 0, "T19999"), 19999);
  EXPECT_EQ(typed(many, 0, "t20000"), -1);
  EXPECT_EQ(typed(many, 1, "t20000"), 20000);
  EXPECT_EQ(typed(many, 40000, "curr"), 0);
  const Numbered few(19999);
  EXPECT_EQ(typed(few, 0, "t19999"), 19999);
}

}  // namespace
}  // namespace shardlens
