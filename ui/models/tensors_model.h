#pragma once

#include "core/inference/inference.h"
#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/words/placement_words.h"
#include "ui/models/choice_model.h"

#include <memory>
#include <vector>

namespace shardlens {

// A list of the tensors that exist at a position, without masks, to choose one from. The plain
// tensors of a job are listed with their inferred placements.
class TensorsModel final : public ChoiceModel {
  Q_OBJECT

 public:
  using ChoiceModel::ChoiceModel;

  // Lists the snapshot's tensors. Retains a pointer to `journal`, which must live until the next
  // call. If anything but the position changed, removes all rows but row 0 first. `inferred`: of
  // the plain tensors; null: tensors without placements are masks, and are not listed.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot,
                   view::Notation notation = view::Notation::DTensor,
                   std::shared_ptr<const InferredPlacements> inferred = nullptr);

 private:
  std::uint32_t idAt(std::size_t choice) const override;
  EventId bornAt(std::uint32_t id) const override;
  QString textOf(std::uint32_t id) const override;
  QString currentText() const override { return tr("current tensor"); }
  std::size_t masksBefore(std::size_t place) const;

  const Journal* journal_ = nullptr;
  view::Notation notation_ = view::Notation::DTensor;
  std::shared_ptr<const InferredPlacements> inferred_;
  EventId position_ = 0;
  std::shared_ptr<const Histories> histories_;
  std::size_t known_ = 0;           // tensors examined so far
  std::vector<std::size_t> masks_;  // places of the masks among them
};

}  // namespace shardlens
