#pragma once

#include "ui/panels/panel.h"

#include <cstdint>
#include <string>

class QLabel;
class QScrollArea;
class QVBoxLayout;

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

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  // The state of a journal on which the totals depend. An event that is added or ends changes
  // `events` or `running`.
  struct State {
    const Journal* journal = nullptr;
    std::int64_t events = 0, running = 0;
    TensorId tensors = 0;
    std::string mesh, hosted;
    bool operator==(const State&) const = default;
  };

  void showTotals();
  void showProblems();
  void putFirst();

  QVBoxLayout* column_;  // of totals_ and problems_
  QScrollArea* scroll_;  // around it
  QLabel* totals_;
  QLabel* problems_;
  const Journal* journal_ = nullptr;
  const ProblemWatch* watch_ = nullptr;
  State shown_;  // that of the text of totals_
};

}  // namespace shardlens
