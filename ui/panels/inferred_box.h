#pragma once

#include "core/inference/inference.h"
#include "core/trace/snapshot/snapshot.h"

#include <QWidget>
#include <vector>

namespace shardlens {

class ElidedLabel;
class QuietTable;
class TableModel;

// The placements that are inferred for the plain tensor of an event, with their evidence. For a
// parameter or its gradient also the reduction ledger of the gradient. Hidden for other tensors.
class InferredBox final : public QWidget {
  Q_OBJECT

 public:
  explicit InferredBox(QWidget* parent = nullptr);

  // Shows the tensor of the event; `inferred` may be null. Keeps no reference.
  void setTensor(const Journal& journal, const Snapshot& snapshot,
                 const InferredPlacements* inferred);
  // The tables, which belong to the box.
  std::vector<QuietTable*> tables() const { return {evidence_, ledger_}; }

 private:
  void showLedger(const Journal& journal, const Snapshot& snapshot,
                  const InferredPlacements& inferred);

  TableModel* evidenceModel_;
  TableModel* ledgerModel_;
  QuietTable* evidence_;
  QuietTable* ledger_;
  ElidedLabel* title_;
  ElidedLabel* ledgerTitle_;
  ElidedLabel* summary_;
};

}  // namespace shardlens
