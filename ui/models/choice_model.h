#pragma once

#include "core/model/event.h"

#include <QAbstractListModel>
#include <cstdint>

namespace shardlens {

// A list to choose one thing from, of which there may be millions: what a row says is made when it
// is seen. The first row stands for the one that the current event is about. Rows come and go at
// the end, so that what is chosen stays chosen.
class ChoiceModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { IdRole = Qt::UserRole };  // 0 of the first row

  using QAbstractListModel::QAbstractListModel;

  int rowOf(std::uint32_t id) const;  // 0 when it is not there
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  // Looks for what is typed so many rows on that nobody waits.
  QModelIndexList match(const QModelIndex& start, int role, const QVariant& value, int hits,
                        Qt::MatchFlags flags) const override;

 protected:
  void showChoices(std::size_t choices);
  // Of the choices 0, 1, ..., in the order in which they came.
  virtual std::uint32_t idAt(std::size_t choice) const = 0;
  virtual EventId bornAt(std::uint32_t id) const = 0;  // 0 of one that never comes
  virtual QString textOf(std::uint32_t id) const = 0;

 private:
  int choices_ = 0;
};

}  // namespace shardlens
