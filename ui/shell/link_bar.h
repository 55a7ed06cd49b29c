#pragma once

#include "core/view/words/tone.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace shardlens {

class ElidedLabel;

// The bar above the panels of a window that is linked with another one: the name of the other
// document, and what differs at the position. Visible while the link exists.
class LinkBar final : public QWidget {
  Q_OBJECT

 public:
  struct Words {
    QString link = {};   // "A, linked with b.shardlens (B)"
    QString place = {};  // what differs at the position
    view::Tone tone = view::Tone::Quiet;
    int percent = 100;            // progress of the comparison; 100: none is running
    bool hasDifferences = false;  // enables the button "first difference"
  };

  explicit LinkBar(QWidget* parent = nullptr);
  void showTexts(const Words& words);  // shows the bar with these texts
  QString text() const;                // the two texts of the bar, joined by " · "

 Q_SIGNALS:
  // Requests to go to the first difference, or to end the link.
  void differenceRequested();
  void unlinkRequested();

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
