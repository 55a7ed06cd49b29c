#include "ui/models/steps_model.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/view/tables/bookmarks_table.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/event_words.h"
#include "ui/models/shared_length.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

// Flag in the internal id of a group row; the low bits are its first event.
constexpr quintptr kGroup = quintptr{1} << 32;

bool isGroup(const QModelIndex& index) {
  return index.isValid() && (index.internalId() & kGroup) != 0;
}

QString differenceText(StepsModel::Difference difference) {
  switch (difference) {
    case StepsModel::Difference::None:
      return {};
    case StepsModel::Difference::One:
      return QObject::tr("differs in the linked window");
    case StepsModel::Difference::First:
      break;
  }
  return QObject::tr("first difference from the linked window");
}

// Returns the note of an event, or in a collective that some ranks did not call, which they are.
QString noteInFull(const Journal& journal, EventId id, view::Notation notation) {
  const auto wait = view::collectiveWait(journal, id);
  return toQString(wait ? view::waitText(journal, *wait)
                        : view::eventWords(journal, id, notation).note);
}

std::size_t rowsOf(std::size_t events) {
  const std::size_t each = StepsModel::kTogether;
  return events <= each ? events : each + (events - 1) / each;
}

std::size_t placeOf(EventId id, const std::vector<EventId>& level) {
  return static_cast<std::size_t>(std::lower_bound(level.begin(), level.end(), id) - level.begin());
}

}  // namespace

void StepsModel::setSnapshot(const Journal& journal, const Snapshot& snapshot,
                             view::Notation notation) {
  const bool other = journal_ != &journal || journal.size() < known_;
  journal_ = &journal;
  histories_ = snapshot.histories;
  const auto before = std::exchange(program_, programOf(journal, notation));
  const bool isOtherNotation = std::exchange(notation_, notation) != notation;
  const bool renamed = before != program_ || isOtherNotation;
  if (other) {
    beginResetModel();
    children_.clear();
    takesTurns_ = isImported(journal);
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
      if (const QModelIndex row = indexOf(id); row.isValid()) {
        Q_EMIT dataChanged(row, row.siblingAtColumn(Time));
      }
    }
  } else if (rowCount() > 0) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Time));
  }
}

void StepsModel::setDifferences(std::shared_ptr<const std::vector<EventId>> events, EventId first) {
  differences_ = std::move(events);
  firstDifference_ = first;
  if (rowCount() > 0) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Time), {DiffersRole});
  }
}

StepsModel::Difference StepsModel::differenceAmong(EventId first, EventId last) const {
  if (differences_ == nullptr) {
    return Difference::None;
  }
  const auto nearest = std::lower_bound(differences_->begin(), differences_->end(), first);
  const bool isThere = nearest != differences_->end() && *nearest <= last;
  const bool isFirst = isThere && first <= firstDifference_ && firstDifference_ <= last;
  return isFirst ? Difference::First : isThere ? Difference::One : Difference::None;
}

// Steps of the program have the same titles as in the program panel.
QString StepsModel::title(EventId id) const {
  const Event& event = journal_->at(id);
  const bool step = event.kind == EventKind::Step && event.step >= 0 &&
                    static_cast<std::size_t>(event.step) < program_->lines.size();
  return step ? program_->lines[static_cast<std::size_t>(event.step)].text
              : toQString(view::eventWords(*journal_, id, notation_).title);
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

SpanChildren StepsModel::within(EventId span, EventId after, EventId last) const {
  if (span != 0 || histories_ == nullptr) {
    return shardlens::childrenOf(*journal_, span, after, last);
  }
  const auto& roots = histories_->roots;
  const auto first = std::upper_bound(roots.begin(), roots.end(), after);
  return {{first, std::upper_bound(first, roots.end(), last)}, last};
}

// Appends the new events that share the parent of the next one. Their own children are looked up on
// demand.
void StepsModel::grow() {
  const EventId span = parentOf(known_ + 1);
  childrenOf(span);
  auto& level = children_[span];
  const SpanChildren more = within(span, known_, journal_->size());
  if (span != 0 && !indexOf(span).isValid()) {  // a hidden span has no rows to insert
    level.insert(level.end(), more.events.begin(), more.events.end());
    known_ = more.end;
    return;
  }
  for (auto next = more.events.begin(); next != more.events.end();) {
    const auto left = static_cast<std::size_t>(more.events.end() - next);
    const std::size_t had = level.size();
    const std::size_t together = had % kTogether;
    const bool isOfGroup = had > kTogether && together != 0;
    const std::size_t taken =
        isOfGroup || had < kTogether ? std::min(left, kTogether - together) : left;
    const QModelIndex parent = isOfGroup ? groupOf(level, had, Title) : indexOf(span);
    const std::size_t first = isOfGroup ? together : rowsOf(had);
    const std::size_t end = isOfGroup ? together + taken : rowsOf(had + taken);
    beginInsertRows(parent, static_cast<int>(first), static_cast<int>(end) - 1);
    level.insert(level.end(), next, next + static_cast<std::ptrdiff_t>(taken));
    next += static_cast<std::ptrdiff_t>(taken);
    known_ = next == more.events.end() ? more.end : *next - 1;
    endInsertRows();
    if (isOfGroup) {
      Q_EMIT dataChanged(parent, parent);  // the group's title contains its last event
    }
  }
}

const std::vector<EventId>& StepsModel::levelOf(const QModelIndex& parent) const {
  const EventId id = eventOf(parent);
  return childrenOf(isGroup(parent) ? spanOf(id) : id);
}

QModelIndex StepsModel::groupOf(const std::vector<EventId>& level, std::size_t place,
                                int column) const {
  const std::size_t group = place / kTogether;
  return createIndex(static_cast<int>(kTogether + group - 1), column,
                     kGroup | level[group * kTogether]);
}

QModelIndex StepsModel::indexOf(EventId id, int column) const {
  if (id == 0 || id > known_) {
    return {};
  }
  const auto& level = childrenOf(spanOf(id));
  const std::size_t place = placeOf(id, level);
  return place == level.size() || level[place] != id
             ? QModelIndex()
             : createIndex(static_cast<int>(place % kTogether), column, quintptr{id});
}

EventId StepsModel::eventOf(const QModelIndex& index) const {
  return index.isValid() ? static_cast<EventId>(index.internalId()) : 0;
}

QModelIndex StepsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) {
    return {};
  }
  const auto& level = levelOf(parent);
  const auto place = static_cast<std::size_t>(row);
  if (isGroup(parent)) {
    return createIndex(row, column, quintptr{level[placeOf(eventOf(parent), level) + place]});
  }
  return place < kTogether ? createIndex(row, column, quintptr{level[place]})
                           : groupOf(level, (place - kTogether + 1) * kTogether, column);
}

bool StepsModel::isRoot(EventId id) const {
  const auto& roots = childrenOf(0);
  return std::binary_search(roots.begin(), roots.end(), id);
}

QModelIndex StepsModel::parent(const QModelIndex& child) const {
  if (!child.isValid()) {
    return {};
  }
  const EventId span = spanOf(eventOf(child));
  if (isGroup(child)) {
    return indexOf(span);
  }
  const auto& level = childrenOf(span);
  const std::size_t place = placeOf(eventOf(child), level);
  return place < kTogether ? indexOf(span) : groupOf(level, place, Title);
}

int StepsModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) {
    return 0;
  }
  const auto& level = levelOf(parent);
  return static_cast<int>(isGroup(parent)
                              ? std::min(level.size() - placeOf(eventOf(parent), level), kTogether)
                              : rowsOf(level.size()));
}

bool StepsModel::hasChildren(const QModelIndex& parent) const {
  const EventId id = eventOf(parent);
  if (parent.column() > 0 || isGroup(parent)) {
    return isGroup(parent) && parent.column() == 0;
  }
  if (id >= known_ || id == 0) {
    return id < known_;
  }
  return takesTurns_ || !isRoot(id) ? shardlens::hasChildren(*journal_, id, known_)
                                    : !isRoot(id + 1);
}

bool StepsModel::isHit(EventId id) const {
  const Event& event = journal_->at(id);
  return event.kind == EventKind::CacheLookup && event.verdict == Verdict::Hit;
}

std::vector<EventId> StepsModel::hitsOf(EventId span) const {
  std::vector<EventId> hits;
  if (span == 0) {
    return hits;
  }
  const auto& level = childrenOf(span);
  for (std::size_t place = 0; place < std::min(level.size(), kTogether); ++place) {
    if (isHit(level[place])) {
      hits.push_back(level[place]);
    }
  }
  return hits;
}

// Adds the number of cache hits inside an operator or a redistribution, unless the note is a
// warning.
QString StepsModel::note(EventId id) const {
  const view::EventWords words = view::eventWords(*journal_, id, notation_);
  QStringList notes{toQString(words.note)};
  const EventKind kind = journal_->at(id).kind;
  const bool mayHaveHits = kind == EventKind::Operator || kind == EventKind::Redistribute;
  if (mayHaveHits && words.tone != view::Tone::Bad) {
    const auto hits = static_cast<std::int64_t>(hitsOf(id).size());
    notes << (hits == 0 ? QString()
                        : countText(hits, QObject::tr("cache hit"), QObject::tr("cache hits")));
  }
  notes.removeAll(QString());
  return notes.join(QStringLiteral(" · "));
}

QVariant StepsModel::groupData(const QModelIndex& group, int role) const {
  const EventId first = eventOf(group);
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return group.column() != Title ? QString()
                                     : QStringLiteral("events %1 to %2")
                                           .arg(first)
                                           .arg(eventOf(index(rowCount(group) - 1, Title, group)));
    case EventRole:
      return first;
    case HappenedRole:
      return first <= position_;
    case IconRole:
      return toQString(view::eventIcon(journal_->at(first)));
    case DiffersRole:
      return static_cast<int>(
          differenceAmong(first, eventOf(index(rowCount(group) - 1, Title, group))));
    default:
      return {};
  }
}

QVariant StepsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  if (isGroup(index)) {
    return groupData(index, role);
  }
  return role == SharedRole   ? QVariant(shared(index))
         : role == StrongRole ? QVariant(!index.parent().isValid())
                              : eventData(eventOf(index), index.column(), role);
}

QVariant StepsModel::eventData(EventId id, int column, int role) const {
  // Views query WholeRole for every row, so this must not read the journal.
  const EventId firstError = journal_->firstError();
  if (role == WholeRole && (firstError == 0 || id < firstError)) {
    return false;
  }
  const Event& event = journal_->at(id);
  switch (role) {
    case Qt::DisplayRole:
      return column == Title       ? title(id)
             : column == Note      ? note(id)
             : event.duration == 0 ? QString()
                                   : durationText(event.duration);
    case Qt::ToolTipRole: {
      QStringList lines{
          QStringLiteral("event %1: %2").arg(toQString(journal_->numberOf(id)), title(id)),
          toQString(
              view::PlacementWords(*journal_, event.subject, notation_).route(*journal_, event)),
          noteInFull(*journal_, id, notation_)};
      lines << differenceText(differenceAmong(id, id));
      lines.removeAll(QString());
      if (event.kind == EventKind::Error) {
        lines.resize(1);  // the title of an error is its name
      }
      if (const auto note = view::bookmarkText(*journal_, id)) {
        lines << toQString(*note);
      }
      return lines.join(u'\n');
    }
    case Qt::AccessibleTextRole: {
      const QString text = eventData(id, column, Qt::DisplayRole).toString();
      const QString differs = column == Title ? differenceText(differenceAmong(id, id)) : QString();
      return differs.isEmpty() ? text : QStringLiteral("%1, %2").arg(text, differs);
    }
    case DiffersRole:
      return static_cast<int>(differenceAmong(id, id));
    case Qt::TextAlignmentRole:
      return column == Title ? QVariant() : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case EventRole:
      return id;
    case BookmarkRole:
      return journal_->bookmarks().contains(id);
    case HappenedRole:
      return id <= position_;
    case WholeRole:
      return event.kind == EventKind::Error;
    case CurrentRole:
      return id == position_;
    case ToneRole:
      return static_cast<int>(view::eventWords(*journal_, id, notation_).tone);
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
