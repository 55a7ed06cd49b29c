#include "ui/models/tensors_model.h"

#include "core/inference/words.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {

void TensorsModel::setSnapshot(const Journal& journal, const Snapshot& snapshot,
                               view::Notation notation,
                               std::shared_ptr<const InferredPlacements> inferred) {
  const bool isOtherText = notation_ != notation || inferred_ != inferred;
  notation_ = notation;
  inferred_ = std::move(inferred);
  position_ = snapshot.position;
  if (journal_ != &journal || histories_ != snapshot.histories || isOtherText) {
    showChoices(0);
    journal_ = &journal;
    histories_ = snapshot.histories;
    known_ = 0;
    masks_.clear();
  }
  const std::size_t tensors = snapshot.tensors.size();
  for (; known_ < tensors; ++known_) {
    if (!inferred_ && journal.tensor(histories_->tensors.idOf(known_)).placements.empty()) {
      masks_.push_back(known_);
    }
  }
  showChoices(tensors - masksBefore(tensors));
}

std::size_t TensorsModel::masksBefore(std::size_t place) const {
  const auto end = std::lower_bound(masks_.begin(), masks_.end(), place);
  return static_cast<std::size_t>(end - masks_.begin());
}

// Skips the masks before the choice: finds by bisection how many there are.
std::uint32_t TensorsModel::idAt(std::size_t choice) const {
  std::size_t masks = 0;
  for (std::size_t all = masks_.size(); masks < all;) {
    const std::size_t middle = (masks + all) / 2;
    masks_[middle] - middle <= choice ? masks = middle + 1 : all = middle;
  }
  return histories_->tensors.idOf(choice + masks);
}

EventId TensorsModel::bornAt(std::uint32_t id) const {
  const auto tensor = histories_->tensors.newest(id);
  return tensor ? tensor->born : 0;
}

QString TensorsModel::textOf(std::uint32_t id) const {
  const TensorRecord tensor = journal_->tensor(id);
  if (inferred_ && tensor.placements.empty()) {
    const auto placed = placementsText(inferred_->axes, inferred_->contents.at(id, position_));
    QStringList parts{toQString(tensor.name), tensorText(tensor)};
    if (!placed.empty()) parts << tr("inferred: %1").arg(toQString(placed));
    return parts.join(QStringLiteral("   "));
  }
  return QStringLiteral("%1   %2   %3")
      .arg(toQString(tensor.name), tensorText(tensor), placedText(*journal_, tensor, notation_));
}

}  // namespace shardlens
