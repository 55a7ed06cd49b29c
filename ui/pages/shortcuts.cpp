#include "ui/pages/shortcuts.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace shardlens {

ShortcutSheet::ShortcutSheet(const std::vector<Group>& groups, QWidget* window)
    : Sheet(QStringLiteral("shortcutSheet"), tr("Shortcuts"), window), grid_(new QGridLayout) {
  setAccessibleName(tr("Keyboard shortcuts"));
  grid_->setContentsMargins(26, 22, 26, 22);
  grid_->setHorizontalSpacing(36);
  grid_->setVerticalSpacing(9);
  for (const Group& group : groups) {
    add(group);
  }
  content().setContentsMargins(0, 0, 0, 0);
  content().addLayout(grid_);
  content().addStretch(1);
  setFocusProxy(&scrolling());
  scrolling().setFocusPolicy(Qt::StrongFocus);
  scrolling().setFocus();  // so that the arrow keys scroll it
}

void ShortcutSheet::add(const Group& group) {
  auto* title = new QLabel(group.title);
  atEachZoom(title, [title] { title->setFont(zoomed(textFont(12, Weight::Bold))); });
  int row = grid_->rowCount();
  grid_->addWidget(title, row, 0);
  for (const QAction* action : group.actions) {
    QStringList keys;
    for (const QKeySequence& key : action->shortcuts()) {
      keys << key.toString(QKeySequence::NativeText);
    }
    if (keys.isEmpty()) {
      continue;
    }
    auto* label = new QLabel(action->toolTip());
    auto* shortcut = new QLabel(keys.join(tr("  or  ")));
    atEachZoom(shortcut, [shortcut] { shortcut->setFont(zoomed(codeFont(12, Weight::Bold))); });
    grid_->addWidget(label, ++row, 0);
    grid_->addWidget(shortcut, row, 1, Qt::AlignRight);
  }
}

}  // namespace shardlens
