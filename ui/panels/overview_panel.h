#pragma once

#include "ui/panels/panel.h"

class QLabel;

namespace shardlens {

class ProblemWatch;

// The panel that summarises a recording: its totals, and the three worst problems, each a link to
// its first event.
class OverviewPanel final : public Panel {
  Q_OBJECT

 public:
  explicit OverviewPanel(QWidget* parent = nullptr);
  void setSnapshot(const Journal& journal, const Snapshot& snapshot) override;
  // Shows the problems of `watch` and follows its changes. It must outlive this panel. Call once.
  void setWatch(const ProblemWatch& watch);

 private:
  void showTotals();
  void showProblems();

  QLabel* totals_;
  QLabel* problems_;
  const Journal* journal_ = nullptr;
  const ProblemWatch* watch_ = nullptr;
};

}  // namespace shardlens
