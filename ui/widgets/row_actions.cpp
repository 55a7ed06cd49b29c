#include "ui/widgets/row_actions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>

namespace shardlens {

void offerCopying(QAbstractItemView& view) {
  auto* copy = new QAction(QObject::tr("Copy row"), &view);
  copy->setObjectName(QStringLiteral("copyRow"));
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  view.addAction(copy);
  QObject::connect(copy, &QAction::triggered, &view, [&view] {
    const QModelIndex row = view.currentIndex();
    if (!row.isValid()) {
      return;
    }
    QStringList cells;
    for (int column = 0; column < view.model()->columnCount(row.parent()); ++column) {
      cells << row.siblingAtColumn(column).data().toString();
    }
    while (!cells.isEmpty() && cells.back().isEmpty()) {
      cells.removeLast();
    }
    QGuiApplication::clipboard()->setText(cells.join(u'\t'));
  });
}

QAction* offerOnRow(QAbstractItemView& view, const char* name, const QString& text,
                    const std::function<void(const QModelIndex&)>& act) {
  auto* action = new QAction(text, &view);
  action->setObjectName(QLatin1String(name));
  view.addAction(action);
  QObject::connect(action, &QAction::triggered, &view, [&view, act] {
    if (view.currentIndex().isValid()) {
      act(view.currentIndex());
    }
  });
  return action;
}

void onRowChosen(QAbstractItemView& view, const QString& text,
                 const std::function<void(const QModelIndex&)>& go) {
  QObject::connect(&view, &QAbstractItemView::clicked, &view, go);
  QObject::connect(&view, &QAbstractItemView::activated, &view, go);
  QAction* there = offerOnRow(view, "goThere", text, go);
  view.insertAction(view.actions().constFirst(), there);
}

void leadToEvents(QAbstractItemView& view,
                  const std::function<EventId(const QModelIndex&)>& eventOf,
                  const std::function<void(WithEvent, EventId)>& act) {
  const auto with = [eventOf, act](WithEvent action) {
    return [eventOf, act, action](const QModelIndex& row) {
      if (const EventId event = eventOf(row); event != 0) {
        act(action, event);
      }
    };
  };
  onRowChosen(view, QObject::tr("Go to event"), with(WithEvent::Go));
  QAction* next = view.actions().value(1);
  view.insertActions(
      next,
      {offerOnRow(view, "filterByThis", QObject::tr("Filter by this"), with(WithEvent::Filter)),
       offerOnRow(view, "breakOnThis", QObject::tr("Break on this"), with(WithEvent::Break))});
}

}  // namespace shardlens
