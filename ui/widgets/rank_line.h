#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace shardlens {

class MeshCanvas;

// The line in which the number of a rank is typed: the mesh goes there as it is. It is seen from
// when somebody asks for it until Return, Escape or until it is left.
class RankLine final : public QWidget {
  Q_OBJECT

 public:
  explicit RankLine(MeshCanvas& mesh);
  // With the digits that were typed so far.
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
