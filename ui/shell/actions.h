#pragma once

#include <QAction>
#include <QObject>

class QWidget;

namespace shardlens {

// Everything a person can do, once: menus, buttons and keys are made of these.
struct Actions {
  explicit Actions(QWidget* window);

  QAction* open;
  QAction* openFolder;
  QAction* follow;
  QAction* save;
  QAction* runAgain;
  QAction* close;
  QAction* quit;
  QAction* start;
  QAction* back;
  QAction* step;
  QAction* over;
  QAction* out;
  QAction* backOver;
  QAction* end;
  QAction* stopEngine;
  QAction* dark;
  QAction* resetLayout;
  QAction* legend;
  QAction* shortcuts;

  QList<QAction*> all() const;
  // What only makes sense while something is open.
  void setOpen(bool open);
};

}  // namespace shardlens
