#pragma once

#include "ui/scenes/element_scan.h"

#include <QTimer>
#include <QWidget>
#include <memory>

class QBoxLayout;
class QComboBox;
class QLabel;

namespace shardlens {

class ShardsScroll;
class SliceBar;
class SliceCanvas;

// A tensor of two recordings: the shards of A, those of B, and the difference A − B of the whole
// tensor or of one rank's shard, as a heat map or a table.
class ComparedTensors final : public QWidget {
  Q_OBJECT

 public:
  // A tensor at the position of a snapshot; 0: no tensor.
  struct Side {
    const Journal* journal = nullptr;
    Snapshot snapshot = {};
    TensorId tensor = 0;
  };

  // The text about the difference, and the rank with the largest one; -1: none or unknown.
  struct Verdict {
    QString text = {};
    int rank = -1;
  };

  explicit ComparedTensors(QWidget* parent = nullptr);

  // Shows the tensors. The journals must live until the next call. Selects the rank of the verdict
  // if the whole, which has each element from one of its copies, does not differ.
  void setSides(const Side& left, const Side& right, const Verdict& verdict);
  void clear();  // drops the references to the journals

 private:
  struct Part {
    QLabel* heading = nullptr;
    ShardsScroll* shards = nullptr;
    std::shared_ptr<const TensorView> view;  // null: no tensor
  };

  Part addPart(const char* name, const QString& accessibleName, QBoxLayout& into);
  void showPart(Part& part, const QString& letter, const Side& side);
  void fillRanks();
  void showDifference();
  void readMore();
  void selectRank(int rank);

  Side left_, right_;
  Part leftPart_, rightPart_;
  QLabel* verdict_;
  QComboBox* rank_;
  QComboBox* display_;
  SliceBar* slice_;
  SliceCanvas* difference_;
  ElementScan scan_;
  int odd_ = -1;                  // rank to select if the whole does not differ; -1: none
  bool isRankOfVerdict_ = false;  // the selected rank was not chosen by the user
  QTimer reading_;
};

}  // namespace shardlens
