#include "ui/models/choice_model.h"

#include <algorithm>
#include <ranges>

namespace shardlens {

int ChoiceModel::rowOf(std::uint32_t id) const {
  const EventId born = id == 0 || choices_ == 0 ? 0 : bornAt(id);
  if (born == 0) {
    return 0;
  }
  const auto rows = std::views::iota(1, rowCount());
  const auto idOf = [this](int row) { return idAt(static_cast<std::size_t>(row) - 1); };
  const auto row = std::ranges::lower_bound(rows, born, {}, [&](int r) { return bornAt(idOf(r)); });
  return row != rows.end() && idOf(*row) == id ? *row : 0;
}

int ChoiceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + choices_;
}

QVariant ChoiceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != Qt::DisplayRole && role != IdRole)) {
    return {};
  }
  const std::uint32_t id = index.row() == 0 ? 0 : idAt(static_cast<std::size_t>(index.row()) - 1);
  if (role == IdRole) {
    return id;
  }
  return index.row() == 0 ? currentText() : textOf(id);
}

QModelIndexList ChoiceModel::match(const QModelIndex& start, int role, const QVariant& value,
                                   int hits, Qt::MatchFlags flags) const {
  constexpr int kFarthest = 20000;
  if (rowCount() <= kFarthest || hits != 1 || !flags.testFlag(Qt::MatchStartsWith)) {
    return QAbstractListModel::match(start, role, value, hits, flags);
  }
  for (int ahead = 0; ahead < kFarthest; ++ahead) {
    const QModelIndex row = index((start.row() + ahead) % rowCount());
    if (row.data(role).toString().startsWith(value.toString(), Qt::CaseInsensitive)) {
      return {row};
    }
  }
  return {};
}

void ChoiceModel::showChoices(std::size_t choices) {
  const auto target = static_cast<int>(choices);
  if (target < choices_) {
    beginRemoveRows({}, 1 + target, choices_);
    choices_ = target;
    endRemoveRows();
  } else if (target > choices_) {
    beginInsertRows({}, 1 + choices_, target);
    choices_ = target;
    endInsertRows();
  }
}

}  // namespace shardlens
