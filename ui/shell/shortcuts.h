#pragma once

#include <QList>
#include <QWidget>

class QAction;

namespace shardlens {

// All keys on one sheet, taken from the actions themselves.
class ShortcutSheet final : public QWidget {
  Q_OBJECT

 public:
  explicit ShortcutSheet(const QList<QAction*>& actions, QWidget* parent = nullptr);
};

}  // namespace shardlens
