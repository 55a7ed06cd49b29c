#pragma once

#include "core/view/tone.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace shardlens {

class ElidedLabel;

// A line above the panels of a window that is linked with another one: with which, and what it
// means for the position. It is there as long as the link is.
class LinkBar final : public QWidget {
  Q_OBJECT

 public:
  struct Words {
    QString link = {};   // "A, linked with b.shardlens (B)"
    QString place = {};  // what there is to say of the position
    view::Tone tone = view::Tone::Quiet;
    int percent = 100;  // of the comparison that is awaited
    bool hasDifferences = false;
  };

  explicit LinkBar(QWidget* parent = nullptr);
  void say(const Words& words);
  QString text() const;  // all of it

 Q_SIGNALS:
  void differenceWanted();
  void unlinkWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ElidedLabel* link_;
  ElidedLabel* place_;
  QProgressBar* progress_;
  QPushButton* difference_;
  bool isNotable_ = false;
};

}  // namespace shardlens
