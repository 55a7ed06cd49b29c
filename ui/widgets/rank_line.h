#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace shardlens {

class MeshCanvas;

// A line edit for a rank number. The mesh goes to the rank while it is typed. The line is visible
// from open() until Return, Escape or a loss of focus. The mesh must outlive it.
class RankLine final : public QWidget {
  Q_OBJECT

 public:
  explicit RankLine(MeshCanvas& mesh);
  // Shows and focuses the line, with the digits typed so far in place of its text. Goes to that
  // rank if it exists, and otherwise shows the valid range.
  void open(const QString& digits);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void close();
  void go();

  MeshCanvas& mesh_;
  QLineEdit* number_;
  QLabel* mistake_;
};

}  // namespace shardlens
