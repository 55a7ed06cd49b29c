// Tests the menus of panels, by the right button and by the Menu key.
#include "core/query/language/similar_events.h"
#include "core/view/tables/caches_table.h"
#include "core/view/tables/markdown.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"
#include "ui/models/table_model.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/widgets/shards_canvas.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>

namespace shardlens {
namespace {

struct OnMenus : Window {
  OnMenus() {
    writeLookup(path("run.shardlens"));
    EXPECT_TRUE(open(path("run.shardlens")));
  }
  ~OnMenus() {
    if (menu != nullptr) menu->close();
  }
  QStringList menuOf(QWidget& widget, QPoint place, QContextMenuEvent::Reason reason) {
    QContextMenuEvent event(reason, place, widget.mapToGlobal(place));
    QApplication::sendEvent(&widget, &event);
    menu = find<QMenu>("panelMenu");
    QStringList texts;
    for (const QAction* action : menu == nullptr ? QList<QAction*>() : menu->actions()) {
      if (!action->isSeparator()) texts << action->text();
    }
    return texts;
  }
  void choose(const QString& text) {
    for (QAction* action : menu->actions()) {
      if (action->text() == text) return action->trigger();
    }
    FAIL() << qPrintable(text);
  }
  QMenu* menu = nullptr;
};

const QStringList kOfPanel{QStringLiteral("Copy picture of panel"),
                           QStringLiteral("Export panel…")};

TEST(Menus, CacheRowLeadsToItsMiss) {
  OnMenus on;
  auto* table = on.find<QAbstractItemView>("cachesView");
  table->setFocus();
  table->setCurrentIndex(table->model()->index(0, 0));
  EXPECT_EQ(on.menuOf(*table, {5, 5}, QContextMenuEvent::Keyboard),
            (QStringList{QStringLiteral("Go to event"),
                         QStringLiteral("Go to the miss that added this entry"),
                         QStringLiteral("Filter by this"), QStringLiteral("Break on this"),
                         QStringLiteral("Copy row"), QStringLiteral("Copy table as Markdown"),
                         QStringLiteral("Filter rows")} +
             kOfPanel));
  const EventId made = on.window.cursor().snapshot().strategyCache.entries[0].made;
  on.choose(QStringLiteral("Copy table as Markdown"));
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(),
            view::tableMarkdown(
                view::cachesTable(on.window.cursor().journal(), on.window.cursor().snapshot())));
  on.choose(QStringLiteral("Go to the miss that added this entry"));
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 25").arg(made)));
}

// The tables whose rows lead to events, at the last event.
class RowsOfEvents : public testing::TestWithParam<const char*> {};

TEST_P(RowsOfEvents, FilterByAndBreakOnSimilarEvents) {
  OnMenus on;
  auto* table = on.find<QAbstractItemView>(GetParam());
  ASSERT_GT(table->model()->rowCount(), 0);
  const QModelIndex row = table->model()->index(0, 0);
  table->setCurrentIndex(row);
  const auto event = row.data(TableModel::EventRole).toUInt();
  ASSERT_NE(event, 0U);
  const QString query = QString::fromStdString(similarEvents(on.window.cursor().journal(), event));
  const auto choose = [table](const char* name) {
    for (QAction* action : table->actions()) {
      if (action->objectName() == QLatin1String(name)) return action->trigger();
    }
    FAIL() << name;
  };
  choose("filterByThis");
  EXPECT_EQ(on.find<QLineEdit>("stepsFilter")->text(), query);
  EXPECT_EQ(on.window.breakpoints().rowCount(), 0);
  choose("breakOnThis");
  ASSERT_EQ(on.window.breakpoints().rowCount(), 1);
  EXPECT_TRUE(on.window.breakpoints().stateOf(query));
  choose("goThere");
  EXPECT_EQ(on.window.cursor().position(), event);
}

INSTANTIATE_TEST_SUITE_P(Menus, RowsOfEvents,
                         testing::Values("cachesView", "candidatesView", "planView"));

TEST(Menus, ShardLeadsToTheEventThatMadeItsValue) {
  OnMenus on;
  auto* canvas = on.find<ShardsCanvas>("shardsCanvas");
  const auto* rank = canvas->view().part(0);
  ASSERT_NE(rank, nullptr);
  const Snapshot& now = on.window.cursor().snapshot();
  const auto value = on.window.cursor().journal().value(now.focus, 0, now.position);
  ASSERT_TRUE(value);
  const QPoint place = (canvas->scene().cards.front().rect.topLeft() + QPointF(16, 16)).toPoint();
  const QStringList offered = on.menuOf(*canvas, place, QContextMenuEvent::Mouse);
  EXPECT_TRUE(offered.contains(QStringLiteral("Copy")));
  on.choose(QStringLiteral("Copy"));
  EXPECT_EQ(QApplication::clipboard()->text(), canvas->words(place));
  on.choose(QStringLiteral("Go to the event that made this value"));
  EXPECT_TRUE(on.shows(QStringLiteral("event %1 of 25").arg(value->event)));
}

TEST(Menus, ShardFiltersByRankAndTensor) {
  OnMenus on;
  auto* canvas = on.find<ShardsCanvas>("shardsCanvas");
  const QString name = QString::fromStdString(canvas->view().record->name);
  const QPoint place = (canvas->scene().cards.front().rect.topLeft() + QPointF(16, 16)).toPoint();
  const QString rank = QStringLiteral("rank:0");
  const QString tensor = QStringLiteral("tensor:%1").arg(name);
  const auto choose = [&](const QString& text) {
    on.menuOf(*canvas, place, QContextMenuEvent::Mouse);
    on.choose(text);
    on.menu->close();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  };
  choose(QStringLiteral("Filter by this rank"));
  EXPECT_EQ(on.find<QLineEdit>("stepsFilter")->text(), rank);
  choose(QStringLiteral("Filter by this tensor"));
  EXPECT_EQ(on.find<QLineEdit>("stepsFilter")->text(), tensor);
  EXPECT_EQ(on.window.breakpoints().rowCount(), 0);
  choose(QStringLiteral("Break on this rank"));
  choose(QStringLiteral("Break on this tensor"));
  on.menu = nullptr;
  EXPECT_EQ(on.window.breakpoints().stateOf(rank), true);
  EXPECT_EQ(on.window.breakpoints().stateOf(tensor), true);
}

TEST(Menus, OutsideTheShardsOffersNoRankFilter) {
  OnMenus on;
  auto* canvas = on.find<ShardsCanvas>("shardsCanvas");
  const QPoint beside(canvas->width() - 2, canvas->height() - 2);
  ASSERT_EQ(canvas->cardAt(beside), nullptr);
  const QStringList offered = on.menuOf(*canvas, beside, QContextMenuEvent::Mouse);
  EXPECT_FALSE(offered.contains(QStringLiteral("Filter by this rank")));
  EXPECT_TRUE(offered.contains(QStringLiteral("Filter by this tensor")));
}

TEST(Menus, APanelIsExportedFromItsMenu) {
  OnMenus on;
  auto* panel = on.find<QWidget>("notesPanel");
  EXPECT_EQ(on.menuOf(*panel, {5, 5}, QContextMenuEvent::Mouse), kOfPanel);
  on.choose(kOfPanel.back());
  auto* path = on.find<QLineEdit>("exportPath");
  ASSERT_NE(path, nullptr);
  EXPECT_EQ(path->text(), on.path("run.png"));
}

}  // namespace
}  // namespace shardlens
