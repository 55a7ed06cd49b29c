#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/models/choice_model.h"

#include <memory>
#include <vector>

namespace shardlens {

// The tensors that there are at a position, masks left out, to choose one from.
class TensorsModel final : public ChoiceModel {
  Q_OBJECT

 public:
  using ChoiceModel::ChoiceModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);

 private:
  std::uint32_t idAt(std::size_t choice) const override;
  EventId bornAt(std::uint32_t id) const override;
  QString textOf(std::uint32_t id) const override;
  std::size_t masksBefore(std::size_t place) const;

  const Journal* journal_ = nullptr;
  std::shared_ptr<const Histories> histories_;
  std::size_t known_ = 0;           // so many tensors have been looked at
  std::vector<std::size_t> masks_;  // the places of the masks among them
};

}  // namespace shardlens
