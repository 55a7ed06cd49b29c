#include "ui/models/matches_model.h"

#include "core/query/language/event_around.h"
#include "ui/text/format.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr EventId kSearchSlice = 50'000;  // events per slice
constexpr int kDeepest = 12;

}  // namespace

MatchesModel::MatchesModel(const StepsModel& steps, QObject* parent)
    : QAbstractTableModel(parent), steps_(steps) {
  search_.setSingleShot(true);
  search_.setInterval(0);
  connect(&search_, &QTimer::timeout, this, &MatchesModel::searchSlice);
}

void MatchesModel::setQuery(const Query& query) {
  if (query != query_) {
    query_ = query;
    restart();
  }
}

void MatchesModel::setJournal(const Journal& journal) {
  if (journal_ != &journal || journal.size() < searchedTo_) {
    journal_ = &journal;
    restart();
  } else if (filter_ && searchedTo_ < journal.size()) {
    search_.start();
  }
}

void MatchesModel::restart() {
  beginResetModel();
  filter_.reset();
  rows_.clear();
  matches_ = 0;
  byKind_.clear();
  searchedTo_ = 0;
  search_.stop();
  if (journal_ != nullptr && !query_.empty()) {
    filter_.emplace(*journal_, query_);
    search_.start();
  }
  endResetModel();
  Q_EMIT searched();
}

void MatchesModel::searchSlice() {
  const EventId last = std::min(journal_->size(), searchedTo_ + kSearchSlice);
  std::vector<Row> found;
  while (const EventId match = filter_->next(searchedTo_, last)) {
    searchedTo_ = match;
    ++matches_;
    ++byKind_[journal_->at(match).kind];
    if (rows_.size() + found.size() < kMost) {
      add(match, found);
    }
  }
  searchedTo_ = last;
  if (!found.empty()) {
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(found.size()) - 1);
    rows_.insert(rows_.end(), found.begin(), found.end());
    endInsertRows();
  }
  if (searchedTo_ < journal_->size()) {
    search_.start();
  }
  Q_EMIT searched();
}

// Appends the match, preceded by its enclosing spans that are not listed yet.
void MatchesModel::add(EventId match, std::vector<Row>& rows) const {
  const EventId before = !rows.empty()    ? rows.back().event
                         : !rows_.empty() ? rows_.back().event
                                          : 0;
  std::vector<EventId> around;
  for (EventId id = journal_->at(match).parent; id != 0; id = journal_->at(id).parent) {
    around.push_back(id);
  }
  const int deepest = std::min<int>(static_cast<int>(around.size()), kDeepest);
  for (int depth = 0; depth < deepest; ++depth) {
    const EventId id = around[around.size() - 1 - static_cast<std::size_t>(depth)];
    if (id > before) {  // rows are in the order of events
      rows.push_back({id, depth, false});
    }
  }
  rows.push_back({match, deepest, true});
}

std::vector<EventId> MatchesModel::listed() const {
  std::vector<EventId> matches;
  for (const Row& row : rows_) {
    if (row.isMatch) matches.push_back(row.event);
  }
  return matches;
}

EventId MatchesModel::eventOf(const QModelIndex& index) const {
  return index.isValid() ? rows_[static_cast<std::size_t>(index.row())].event : 0;
}

QModelIndex MatchesModel::indexAt(EventId id) const {
  const auto after =
      std::upper_bound(rows_.begin(), rows_.end(), id,
                       [](EventId event, const Row& row) { return event < row.event; });
  return index(static_cast<int>(after - rows_.begin()) - 1, 0);
}

int MatchesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int MatchesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : StepsModel::kColumns;
}

// Shows a span without a match as dimmed, like an event that has not happened. Rows have
// one line. A redistribution has the bytes that it sends, because its collectives may not be
// listed.
QVariant MatchesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case StepsModel::DepthRole:
      return row.depth;
    case StepsModel::StrongRole:
      return row.isMatch;
    case StepsModel::WholeRole:
      return false;
    case StepsModel::HappenedRole:
      return row.isMatch && steps_.eventData(row.event, index.column(), role).toBool();
    case Qt::DisplayRole:
      if (index.column() == StepsModel::Note && row.isMatch) return noteOf(row.event);
      [[fallthrough]];
    default:
      return steps_.eventData(row.event, index.column(), role);
  }
}

// Returns "implicit · 1.5 KiB", and the note of the tree for events other than redistributions.
QString MatchesModel::noteOf(EventId id) const {
  const QString note = steps_.eventData(id, StepsModel::Note, Qt::DisplayRole).toString();
  const bool isMove = journal_->at(id).kind == EventKind::Redistribute;
  const std::int64_t bytes = isMove ? bytesInside(*journal_, id) : 0;
  return bytes == 0 ? note : tr("%1 · %2").arg(note, bytesText(bytes));
}

}  // namespace shardlens
