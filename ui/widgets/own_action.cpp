#include "ui/widgets/own_action.h"

#include <QAction>
#include <QWidget>

namespace shardlens {

QAction* addOwnAction(QWidget& widget, const QString& text, const QKeySequence& key,
                      const std::function<void()>& run) {
  auto* action = new QAction(text, &widget);
  action->setShortcut(key);
  action->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(action, &QAction::triggered, &widget, run);
  widget.addAction(action);
  return action;
}

}  // namespace shardlens
