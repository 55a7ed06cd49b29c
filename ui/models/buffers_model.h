#pragma once

#include "core/trace/snapshot/snapshot.h"
#include "ui/models/choice_model.h"

#include <memory>

namespace shardlens {

// A list of the mask buffers that exist at a position, to choose one from.
class BuffersModel final : public ChoiceModel {
  Q_OBJECT

 public:
  using ChoiceModel::ChoiceModel;

  // Lists the snapshot's buffers. Shares ownership of its histories. If they are not those of the
  // previous call, removes all rows but row 0 first.
  void setSnapshot(const Snapshot& snapshot);

 private:
  std::uint32_t idAt(std::size_t choice) const override;
  EventId bornAt(std::uint32_t id) const override;
  QString textOf(std::uint32_t id) const override;
  QString currentText() const override { return tr("newest"); }

  std::shared_ptr<const Histories> histories_;
};

}  // namespace shardlens
