#include "ui/models/caches_model.h"

#include "ui/models/event_words.h"
#include "ui/models/format.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace shardlens {
namespace {

QString plain(const QJsonValue& value) {
  return value.isString() ? value.toString() : value.toVariant().toString();
}

}  // namespace

std::optional<LookupWords> newestLookup(const Journal& journal, const Snapshot& snapshot) {
  for (EventId id = snapshot.position; id > 0; --id) {
    const Event& event = journal.at(id);
    if (event.kind != EventKind::CacheLookup) {
      continue;
    }
    const auto detail = journal.detail(event);
    const QJsonObject json =
        QJsonDocument::fromJson(QByteArray(detail.data(), static_cast<qsizetype>(detail.size())))
            .object();
    LookupWords words;
    words.event = id;
    words.table = toQString(journal.name(event));
    words.key = plain(json[QStringLiteral("key")]);
    words.hit = event.verdict == Verdict::Hit;
    words.off = event.verdict == Verdict::Off;
    words.earlierUses = event.count;
    words.age = json[QStringLiteral("age")].toInt();
    words.nearest = plain(json[QStringLiteral("nearest")]);
    for (const QJsonValue& value : json[QStringLiteral("differs")].toArray()) {
      const QJsonArray fields = value.toArray();
      words.differs.push_back({plain(fields[0]), plain(fields[1]), plain(fields[2])});
    }
    return words;
  }
  return std::nullopt;
}

void CachesModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  std::vector<Row> rows;
  const auto take = [&](const CacheState& cache, const QString& table) {
    for (const CacheEntry& entry : cache.entries) {
      rows.push_back({table, toQString(entry.key), entry.hits,
                      journal.at(entry.lastUse).verdict == shardlens::Verdict::Hit,
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
  if (role == ToneRole) {
    return static_cast<int>(index.column() != Verdict ? Tone::Plain
                            : row.lastHit             ? Tone::Good
                                                      : Tone::Warn);
  }
  if (role == Qt::TextAlignmentRole && index.column() >= Hits) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {
    return QStringLiteral("%1\nfirst used at step %2, last at %3")
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
      return QStringLiteral("verdict");
  }
}

}  // namespace shardlens
