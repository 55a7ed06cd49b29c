#pragma once

#include <QWidget>

namespace shardlens {

// Something to read beside the window, whose keys go on working meanwhile. Escape closes it, and so
// does what showed it.
class Sheet : public QWidget {
  Q_OBJECT

 public:
  Sheet(const QString& name, const QString& title, QWidget* window);
  void toggle();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace shardlens
