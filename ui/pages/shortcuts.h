#pragma once

#include "ui/pages/sheet.h"

#include <QList>
#include <QString>
#include <vector>

class QAction;
class QGridLayout;

namespace shardlens {

// A sheet of all keyboard shortcuts, read from the actions and grouped by menu.
class ShortcutSheet final : public Sheet {
  Q_OBJECT

 public:
  struct Group {
    QString title;
    QList<QAction*> actions;
  };

  // Reads tooltips and keys of the actions once. Leaves out actions without keys.
  ShortcutSheet(const std::vector<Group>& groups, QWidget* window);

 private:
  void add(const Group& group);

  QGridLayout* grid_;
};

}  // namespace shardlens
