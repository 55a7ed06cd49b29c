#include "ui/models/steps_model.h"

#include "core/view/event_words.h"
#include "ui/models/shared_length.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {

void StepsModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  constexpr EventId kManyRows = 4096;
  const bool other = journal_ != &journal || journal.size() < known_;
  journal_ = &journal;
  const auto before = std::exchange(program_, programOf(journal));
  const bool renamed = before != program_;
  if (other || journal.size() - known_ > kManyRows) {
    beginResetModel();
    if (other) {
      children_.assign(1, {});
      row_.assign(1, 0);
      known_ = 0;
    }
    append(journal.size());
    position_ = snapshot.position;
    endResetModel();
    return;
  }
  while (known_ < journal.size()) {
    const EventId first = known_ + 1;
    const EventId parent = journal.at(first).parent;
    EventId end = first;
    while (end < journal.size() && journal.at(end + 1).parent == parent) {
      ++end;
    }
    const int row = static_cast<int>(children_[parent].size());
    beginInsertRows(indexOf(parent), row, row + static_cast<int>(end - first));
    append(end);
    endInsertRows();
  }
  const auto [low, high] = std::minmax(position_, snapshot.position);
  position_ = snapshot.position;
  constexpr EventId kFewRows = 256;
  if (!renamed && high - low <= kFewRows) {
    for (EventId id = std::max<EventId>(low, 1); id <= high; ++id) {
      Q_EMIT dataChanged(indexOf(id), indexOf(id, Time));
    }
  } else if (rowCount() > 0) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Time));
  }
}

// A step of the program is called what the program's panel calls it.
QString StepsModel::title(EventId id) const {
  const Event& event = journal_->at(id);
  const bool step = event.kind == EventKind::Step && event.step >= 0 &&
                    static_cast<std::size_t>(event.step) < program_->lines.size();
  return step ? program_->lines[static_cast<std::size_t>(event.step)].text
              : toQString(view::eventWords(*journal_, id).title);
}

qsizetype StepsModel::shared(const QModelIndex& index) const {
  const QString own = title(eventOf(index));
  qsizetype most = 0;
  for (const int beside : {-1, 1}) {
    const QModelIndex other = index.sibling(index.row() + beside, Title);
    most =
        std::max<qsizetype>(most, other.isValid() ? sharedLength(own, title(eventOf(other))) : 0);
  }
  return most;
}

void StepsModel::append(EventId end) {
  children_.resize(end + 1);
  row_.resize(end + 1);
  while (known_ < end) {
    const EventId id = ++known_;
    auto& siblings = children_[journal_->at(id).parent];
    row_[id] = static_cast<int>(siblings.size());
    siblings.push_back(id);
  }
}

QModelIndex StepsModel::indexOf(EventId id, int column) const {
  return id == 0 || id > known_ ? QModelIndex() : createIndex(row_[id], column, quintptr{id});
}

EventId StepsModel::eventOf(const QModelIndex& index) const {
  return index.isValid() ? static_cast<EventId>(index.internalId()) : 0;
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) {
    return {};
  }
  return createIndex(row, column, quintptr{children_[eventOf(parent)][static_cast<size_t>(row)]});
}

QModelIndex StepsModel::parent(const QModelIndex& child) const {
  return child.isValid() ? indexOf(parentOf(eventOf(child))) : QModelIndex();
}

int StepsModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(children_[eventOf(parent)].size());
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const EventId id = eventOf(index);
  const Event& event = journal_->at(id);
  switch (role) {
    case Qt::DisplayRole:
      return index.column() == Title  ? title(id)
             : index.column() == Note ? toQString(view::eventWords(*journal_, id).note)
             : event.duration == 0    ? QString()
                                      : durationText(event.duration);
    case Qt::ToolTipRole: {
      QStringList lines{QStringLiteral("event %1: %2").arg(id).arg(title(id)),
                        toQString(journal_->name(event)),
                        toQString(view::eventWords(*journal_, id).note)};
      lines.removeAll(QString());
      if (event.kind == EventKind::Error) {
        lines.resize(1);  // its title is its name
      }
      return lines.join(u'\n');
    }
    case Qt::TextAlignmentRole:
      return index.column() == Title ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case EventRole:
      return id;
    case HappenedRole:
      return id <= position_;
    case WholeRole:
      return event.kind == EventKind::Error;
    case SharedRole:
      return shared(index);
    case CurrentRole:
      return id == position_;
    case ToneRole:
      return static_cast<int>(view::eventWords(*journal_, id).tone);
    case IconRole:
      return toQString(view::eventIcon(event));
    default:
      return {};
  }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
    return {};
  }
  return section == Title  ? QStringLiteral("event")
         : section == Note ? QStringLiteral("note")
                           : QStringLiteral("time");
}

}  // namespace shardlens
