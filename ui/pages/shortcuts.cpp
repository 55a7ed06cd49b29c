#include "ui/pages/shortcuts.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>

namespace shardlens {

ShortcutSheet::ShortcutSheet(const QList<QAction*>& actions, QWidget* window)
    : Sheet(QStringLiteral("shortcutSheet"), tr("Shortcuts"), window) {
  setAccessibleName(tr("Keyboard shortcuts"));
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(26, 22, 26, 22);
  grid->setHorizontalSpacing(36);
  grid->setVerticalSpacing(9);
  int row = 0;
  for (const QAction* action : actions) {
    QStringList keys;
    for (const QKeySequence& key : action->shortcuts()) {
      keys << key.toString(QKeySequence::NativeText);
    }
    if (keys.isEmpty()) {
      continue;
    }
    auto* what = new QLabel(action->toolTip());
    auto* how = new QLabel(keys.join(tr("  or  ")));
    atEachZoom(how, [how] { how->setFont(zoomed(codeFont(12, Weight::Bold))); });
    grid->addWidget(what, row, 0);
    grid->addWidget(how, row, 1, Qt::AlignRight);
    ++row;
  }
}

}  // namespace shardlens
