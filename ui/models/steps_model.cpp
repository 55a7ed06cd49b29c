#include "ui/models/steps_model.h"

#include "core/view/event_words.h"
#include "ui/models/shared_length.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {

void StepsModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const bool other = journal_ != &journal || journal.size() < known_;
  journal_ = &journal;
  histories_ = snapshot.histories;
  const auto before = std::exchange(program_, programOf(journal));
  const bool renamed = before != program_;
  if (other) {
    beginResetModel();
    children_.clear();
    known_ = journal.size();
    position_ = snapshot.position;
    endResetModel();
    return;
  }
  while (known_ < journal.size()) {
    grow();
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

const std::vector<EventId>& StepsModel::childrenOf(EventId span) const {
  const auto [place, isNew] = children_.try_emplace(span);
  if (isNew) {
    place->second = within(span, span, known_).events;
  }
  return place->second;
}

// Up to the first that is inside another span of before. Of the roots there is an index.
StepsModel::Inside StepsModel::within(EventId span, EventId after, EventId last) const {
  Inside inside{{}, last};
  if (span == 0 && histories_ != nullptr) {
    const auto& roots = histories_->roots;
    const auto first = std::upper_bound(roots.begin(), roots.end(), after);
    inside.events.assign(first, std::upper_bound(first, roots.end(), last));
    return inside;
  }
  for (EventId id = after + 1; id <= last; ++id) {
    const EventId parent = journal_->at(id).parent;
    if (parent == span) {
      inside.events.push_back(id);
    } else if (parent <= after) {
      inside.end = id - 1;
      break;
    }
  }
  return inside;
}

// Takes in what comes next inside one of the spans that are known. What is inside those that come
// is theirs: it is looked up when somebody asks.
void StepsModel::grow() {
  const EventId span = parentOf(known_ + 1);
  const int row = static_cast<int>(childrenOf(span).size());
  const Inside more = within(span, known_, journal_->size());
  beginInsertRows(indexOf(span), row, row + static_cast<int>(more.events.size()) - 1);
  auto& children = children_[span];
  children.insert(children.end(), more.events.begin(), more.events.end());
  known_ = more.end;
  endInsertRows();
}

QModelIndex StepsModel::indexOf(EventId id, int column) const {
  if (id == 0 || id > known_) {
    return {};
  }
  const auto& siblings = childrenOf(parentOf(id));
  const auto place = std::lower_bound(siblings.begin(), siblings.end(), id);
  return createIndex(static_cast<int>(place - siblings.begin()), column, quintptr{id});
}

EventId StepsModel::eventOf(const QModelIndex& index) const {
  return index.isValid() ? static_cast<EventId>(index.internalId()) : 0;
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) {
    return {};
  }
  const auto& children = childrenOf(eventOf(parent));
  return createIndex(row, column, quintptr{children[static_cast<std::size_t>(row)]});
}

bool StepsModel::isRoot(const QModelIndex& index) const {
  const auto& roots = childrenOf(0);
  const auto row = static_cast<std::size_t>(index.row());
  return index.isValid() && row < roots.size() && roots[row] == eventOf(index);
}

QModelIndex StepsModel::parent(const QModelIndex& child) const {
  const bool isOutside = !child.isValid() || isRoot(child);
  return isOutside ? QModelIndex() : indexOf(parentOf(eventOf(child)));
}

int StepsModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(childrenOf(eventOf(parent)).size());
}

bool StepsModel::hasChildren(const QModelIndex& parent) const {
  const EventId id = eventOf(parent);
  if (parent.column() > 0 || id >= known_) {
    return false;
  }
  if (!isRoot(parent)) {
    return id == 0 || journal_->at(id + 1).parent == id;
  }
  const auto& roots = childrenOf(0);
  const auto next = static_cast<std::size_t>(parent.row()) + 1;
  return next == roots.size() || roots[next] != id + 1;
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const EventId id = eventOf(index);
  // A view asks this of all rows, so that must not cost a look at the journal.
  const EventId firstError = journal_->firstError();
  if (role == WholeRole && (firstError == 0 || id < firstError)) {
    return false;
  }
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
