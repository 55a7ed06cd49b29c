#pragma once

#include "ui/pages/sheet.h"

#include <QList>

class QAction;

namespace shardlens {

// All keys on one sheet, taken from the actions themselves.
class ShortcutSheet final : public Sheet {
  Q_OBJECT

 public:
  ShortcutSheet(const QList<QAction*>& actions, QWidget* window);
};

}  // namespace shardlens
