#include "ui/models/buffers_model.h"

namespace shardlens {

void BuffersModel::setSnapshot(const Snapshot& snapshot) {
  if (histories_ != snapshot.histories) {
    showChoices(0);
    histories_ = snapshot.histories;
  }
  showChoices(snapshot.buffers.size());
}

std::uint32_t BuffersModel::idAt(std::size_t choice) const {
  return histories_->buffers.idOf(choice);
}

EventId BuffersModel::bornAt(std::uint32_t id) const {
  const auto changes = histories_->buffers.changesOf(id);
  return changes.empty() ? 0 : changes.front().at;
}

QString BuffersModel::textOf(std::uint32_t id) const { return QStringLiteral("#%1").arg(id); }

}  // namespace shardlens
