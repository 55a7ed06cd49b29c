#pragma once

#include "core/model/event.h"

#include <QAbstractListModel>
#include <cstdint>

namespace shardlens {

// A list model to choose one item from, possibly of millions: the text of a row is built on demand.
// Row 0 stands for the item that the position selects. Items are added and removed at the end
// only, so a selection stays valid.
class ChoiceModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { IdRole = Qt::UserRole };  // the item's id; 0 for row 0

  using QAbstractListModel::QAbstractListModel;

  int rowOf(std::uint32_t id) const;  // 0 if the id is 0 or not listed; O(log n)
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  // In a list of more than 20,000 rows, a search for one row by its beginning looks at 20,000 rows
  // only, so that typing does not block.
  QModelIndexList match(const QModelIndex& start, int role, const QVariant& value, int hits,
                        Qt::MatchFlags flags) const override;

 protected:
  // Sets the number of items that are listed, by adding or removing rows at the end.
  void showChoices(std::size_t choices);
  // Items are numbered from 0 in ascending order of bornAt().
  virtual std::uint32_t idAt(std::size_t choice) const = 0;
  // Returns the event that creates the item; 0 if there is no such item.
  virtual EventId bornAt(std::uint32_t id) const = 0;
  virtual QString textOf(std::uint32_t id) const = 0;
  virtual QString currentText() const = 0;  // text of row 0

 private:
  int choices_ = 0;
};

}  // namespace shardlens
