#pragma once

#include "core/trace/snapshot.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

namespace shardlens {

// What the newest cache look-up of a position found out.
struct LookupWords {
  EventId event = 0;
  QString table;
  QString key;
  bool hit = false;
  bool off = false;
  int earlierUses = 0;
  int age = 0;      // of a hit: lookups since it was remembered
  QString nearest;  // of a miss: the entry most like it
  struct Difference {
    QString field, here, there;
  };
  std::vector<Difference> differs;
};

std::optional<LookupWords> newestLookup(const Journal& journal, const Snapshot& snapshot);

// The entries of the strategy cache and the plan cache, in the order they came, each with the
// verdict of its last look-up.
class CachesModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Table, Key, Hits, Verdict, kColumns };
  enum Role { ToneRole = Qt::UserRole, CurrentRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
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
