#pragma once

#include "core/model/rank_ranges.h"

#include <QDialog>
#include <cstdint>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace shardlens {

// A run of which some steps can be opened. Numbers are 0 if they are unknown.
struct RunOfSteps {
  QString name;
  std::int64_t ranks = 0, events = 0;  // events of all ranks
  std::int64_t steps = 0;              // recorded ones
  std::int64_t last = 0;               // number of the last step, above `steps` if some are missing
  std::vector<RankRange> opened = {};  // indexes of the steps that are open; empty: all or none
};

// Returns the steps by number: "step 8" or "steps 3-5,8".
QString namedSteps(const std::vector<RankRange>& steps);

// A dialog that opens a range of steps of a run, or all of them. It shows how many events these
// steps have, and why a text is no range of steps of this run.
class OpenStepsDialog final : public QDialog {
  Q_OBJECT

 public:
  OpenStepsDialog(RunOfSteps run, QWidget* parent);

 Q_SIGNALS:
  // Emitted once, before the dialog closes. Indexes, ascending and disjoint; empty: all steps.
  void chosen(const std::vector<shardlens::RankRange>& steps);

 private:
  void check();
  void choose(const std::vector<RankRange>& steps);

  RunOfSteps run_;
  QLineEdit* steps_;
  QLabel* status_;
  QPushButton* open_;
};

}  // namespace shardlens
