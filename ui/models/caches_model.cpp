#include "ui/models/caches_model.h"

#include "ui/models/shared_length.h"
#include "ui/text/event_words.h"
#include "ui/text/format.h"

#include <algorithm>

namespace shardlens {
void CachesModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  std::vector<Row> rows;
  const auto take = [&](const CacheState& cache, const QString& table) {
    for (const CacheEntry& entry : cache.entries) {
      rows.push_back({table, toQString(entry.key), entry.hits,
                      journal.at(entry.lastUse).verdict == Verdict::Hit,
                      entry.lastUse == snapshot.position, entry.firstUse, entry.lastUse});
    }
  };
  take(snapshot.strategyCache, QStringLiteral("strategy"));
  take(snapshot.planCache, QStringLiteral("plan"));
  if (rows == rows_) {
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

qsizetype CachesModel::sharedWithAnother(std::size_t row) const {
  qsizetype most = 0;
  for (std::size_t other = 0; other < rows_.size(); ++other) {
    if (other != row) {
      most = std::max(most, sharedLength(rows_[row].key, rows_[other].key));
    }
  }
  return most;
}

int CachesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CachesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant CachesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == CurrentRole) {
    return row.current;
  }
  if (role == EventRole) {
    return row.lastUse;
  }
  if (role == SharedRole) {
    return index.column() == Key ? sharedWithAnother(static_cast<std::size_t>(index.row())) : 0;
  }
  if (role == ToneRole) {
    return static_cast<int>(index.column() != Last ? Tone::Plain
                            : row.lastHit          ? Tone::Good
                                                   : Tone::Warn);
  }
  if (role == Qt::TextAlignmentRole && index.column() >= Hits) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    return QStringLiteral("%1\nmade at event %2, last used at event %3")
        .arg(row.key)
        .arg(row.firstUse)
        .arg(row.lastUse);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  switch (index.column()) {
    case Table:
      return row.table;
    case Key:
      return row.key;
    case Hits:
      return row.hits;
    default:
      return row.lastHit ? QStringLiteral("hit") : QStringLiteral("miss");
  }
}

QVariant CachesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) {
    return {};
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section >= Hits ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) {
    return {};
  }
  switch (section) {
    case Table:
      return QStringLiteral("table");
    case Key:
      return QStringLiteral("key");
    case Hits:
      return QStringLiteral("hits");
    default:
      return QStringLiteral("last");
  }
}

}  // namespace shardlens
