#pragma once

#include "core/trace/snapshot/snapshot.h"

#include <QAbstractTableModel>
#include <vector>

namespace shardlens {

// The entries of the strategy cache and the plan cache, in the order they came, each with what
// its last look-up came to.
class CachesModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Table, Key, Hits, Last, kColumns };
  enum Role {
    ToneRole = Qt::UserRole,
    CurrentRole,
    SharedRole,  // how many characters the key begins with like another one
    EventRole,   // the entry's last look-up
  };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  qsizetype sharedWithAnother(std::size_t row) const;

  struct Row {
    QString table, key;
    int hits = 0;
    bool lastHit = false;
    bool current = false;  // the current event looked it up
    EventId firstUse = 0, lastUse = 0;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows_;
};

}  // namespace shardlens
