// Compares the text of the panels over scenarios of the gallery. UPDATE_GOLDEN=1 rewrites it.
#include "core/trace/merge/trace_reader.h"
#include "core/view/words/placement_words.h"
#include "tests/ui/support/golden_picture.h"
#include "tests/ui/support/recorded_scenario.h"
#include "tests/ui/support/window.h"
#include "ui/models/steps_model.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_catalogue.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QTreeView>

namespace shardlens {
namespace {

constexpr int kMostRows = 60;  // of a table

QString lineOf(const QAbstractItemView& view, const QModelIndex& row, int depth) {
  QStringList cells;
  for (int column = 0; column < view.model()->columnCount(row.parent()); ++column) {
    cells << row.siblingAtColumn(column).data().toString().replace(u'\n', u' ');
  }
  return QString(2 * depth, u' ') + cells.join(QStringLiteral(" | ")).trimmed() + u'\n';
}

QString subtreeOf(const QAbstractItemView& view, const QModelIndex& row, int depth) {
  QString text = lineOf(view, row, depth);
  for (int child = 0; child < view.model()->rowCount(row); ++child) {
    text += subtreeOf(view, view.model()->index(child, 0, row), depth + 1);
  }
  return text;
}

// Returns the rows below the root of the current row of a tree, or the first rows of a table.
QString rowsOf(const QAbstractItemView& view) {
  if (qobject_cast<const QTreeView*>(&view) != nullptr) {
    QModelIndex root = view.currentIndex();
    while (root.parent().isValid()) root = root.parent();
    return root.isValid() ? subtreeOf(view, root.siblingAtColumn(0), 0) : QString();
  }
  QString text;
  for (int row = 0; row < std::min(view.model()->rowCount(), kMostRows); ++row) {
    text += lineOf(view, view.model()->index(row, 0), 0);
  }
  return text;
}

QString textOf(const Panel& panel) {
  QString text = QStringLiteral("== %1 · %2 · %3\n")
                     .arg(panel.title(), panel.header()->detail(), panel.header()->note());
  for (const QWidget* part : panel.findChildren<QWidget*>()) {
    if (!part->isVisibleTo(&panel)) continue;
    if (const auto* view = qobject_cast<const QAbstractItemView*>(part)) {
      if (view->model() != nullptr && !view->objectName().isEmpty()) {
        text += QStringLiteral("[%1]\n").arg(view->objectName()) + rowsOf(*view);
      }
    } else if (const auto* label = qobject_cast<const QLabel*>(part)) {
      if (!label->text().isEmpty()) text += label->text() + u'\n';
    } else if (const auto* line = qobject_cast<const ElidedLabel*>(part)) {
      if (!line->text().isEmpty()) text += line->text() + u'\n';
    } else if (!part->accessibleDescription().isEmpty()) {
      text += QStringLiteral("(%1)\n").arg(part->accessibleDescription());
    }
  }
  return text;
}

// Raises the panel, because panels in background tabs are not updated.
const Panel& inFront(const Panel& panel) {
  if (auto* dock = qobject_cast<QDockWidget*>(panel.parentWidget())) {
    dock->raise();
    QCoreApplication::processEvents();
  }
  return panel;
}

struct Rows {
  const char* scenario;
  view::Notation notation;
};

class PanelRows : public testing::TestWithParam<Rows> {};

TEST_P(PanelRows, MatchTheGoldens) {
  const Rows& rows = GetParam();
  Window on;
  on.window.resize(1700, 1100);
  const auto reader =
      TraceReader::open(recordingOf(galleryScenario(rows.scenario)).toStdString()).value();
  writeWithTimes(reader->journal(), on.path("run.shardlens"));
  ASSERT_TRUE(on.open(on.path("run.shardlens")));
  on.window.setNotation(rows.notation);
  for (QDockWidget* dock : on.window.findChildren<QDockWidget*>()) dock->show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return !on.window.problems().isSearching(); }, 30000));
  const EventId size = on.window.cursor().size();
  QString text;
  for (const EventId position : {size / 2, size}) {
    on.window.cursor().moveTo(position);
    ASSERT_TRUE(on.shows(QStringLiteral("event %1 of %2").arg(position).arg(size)));
    QCoreApplication::processEvents();
    text += QStringLiteral("event %1\n").arg(position);
    for (const PanelEntry& entry : panelCatalogue()) {
      text += textOf(inFront(*on.find<Panel>(entry.id)));
    }
  }
  const QString name = QFileInfo(QLatin1String(rows.scenario)).completeBaseName().left(2) + u'-' +
                       QString::fromUtf8(view::notationName(rows.notation)) +
                       QStringLiteral(".txt");
  QFile kept(QDir(QStringLiteral(SHARDLENS_SOURCE_DIR "/tests/ui/goldens")).filePath(name));
  if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
    ASSERT_TRUE(kept.open(QIODevice::WriteOnly));
    kept.write(text.toUtf8());
    kept.close();
  }
  ASSERT_TRUE(kept.open(QIODevice::ReadOnly)) << name.toStdString();
  const QStringList expected = QString::fromUtf8(kept.readAll()).split(u'\n');
  const QStringList got = text.split(u'\n');
  for (qsizetype line = 0; line < std::max(expected.size(), got.size()); ++line) {
    ASSERT_EQ(got.value(line).toStdString(), expected.value(line).toStdString())
        << name.toStdString() << ", line " << line + 1 << "; UPDATE_GOLDEN=1 rewrites it";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gallery, PanelRows,
    testing::Values(Rows{"01-vocabulary-parallel-embedding.json", view::Notation::DTensor},
                    Rows{"02-row-wise-on-2x2.json", view::Notation::DTensor},
                    Rows{"02-row-wise-on-2x2.json", view::Notation::NamedAxes},
                    Rows{"02-row-wise-on-2x2.json", view::Notation::PartitionSpec},
                    Rows{"09-uneven-nested-and-strided-shards.json", view::Notation::PartitionSpec},
                    Rows{"16-a-cache-that-never-hits.json", view::Notation::DTensor}),
    [](const auto& info) {
      return "Of" + std::string(info.param.scenario).substr(0, 2) + "In" +
             std::string(view::notationName(info.param.notation));
    });

}  // namespace
}  // namespace shardlens
