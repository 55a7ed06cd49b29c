#include "ui/bridge/cursor.h"

#include "ui/text/empty_journal.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr qint64 kFrame = 16;
constexpr EventId kSlice = 200'000;    // events examined per slice: some 5 ms
constexpr EventId kFiltered = 50'000;  // events examined per slice if a query filters them
constexpr EventId kBatch = 256;        // events requested from the engine at a time during a search

}  // namespace

Cursor::Cursor(QObject* parent) : QObject(parent), journal_(&emptyJournal()) {
  states_ = std::make_shared<StateIndex>(*journal_);
  redraw_.setSingleShot(true);
  redraw_.setTimerType(Qt::PreciseTimer);
  since_.start();
  search_.setSingleShot(true);
  search_.setInterval(0);
  connect(&search_, &QTimer::timeout, this, [this] {
    pursue();
    announce();  // waits() may have changed
  });
  connect(&redraw_, &QTimer::timeout, this, [this] {
    since_.restart();
    Q_EMIT moved();
  });
}

void Cursor::setJournal(const Journal& journal, std::function<void(EventId)> run,
                        std::shared_ptr<StateIndex> states) {
  journal_ = &journal;
  states_ = states ? std::move(states) : std::make_shared<StateIndex>(journal);
  run_ = std::move(run);
  goal_.reset();
  next_.clear();
  filters_.clear();
  position_ = 0;
  announce();
}

void Cursor::adoptJournal(const Journal& journal, std::shared_ptr<StateIndex> states) {
  journal_ = &journal;
  states_ = states ? std::move(states) : std::make_shared<StateIndex>(journal);
  position_ = std::min(position_, journal.size());
  makeFilters();
  if (goal_) {
    goal_->seen = goal_->kind == Goal::Next || goal_->kind == Goal::Previous ? position_ : 0;
  }
}

void Cursor::clear() { setJournal(emptyJournal()); }

void Cursor::journalGrew() {
  pursue();
  announce();
}

void Cursor::journalEnded() {
  run_ = nullptr;
  pursue();
  announce();
}

Snapshot Cursor::snapshot() { return states_->at(position_); }

void Cursor::back() { seek({Goal::Position, std::max<EventId>(position_, 1) - 1}); }

void Cursor::backOver() {
  if (position_ < 2) {
    return back();
  }
  const EventId parent = journal_->at(position_).parent;
  EventId target = position_ - 1;
  while (target > parent && journal_->at(target).parent > parent) {
    target = journal_->at(target).parent;
  }
  seek({Goal::Position, target});
}

void Cursor::seek(Goal goal) {
  const bool waited = waits();
  next_.clear();
  goal_ = goal;
  pursue();
  if (waited && !waits()) {
    announce();
  }
}

void Cursor::search(Goal::Kind kind, std::vector<Query> any, IfNone ifNone) {
  sought_ = std::move(any);
  ifNone_ = ifNone;
  makeFilters();
  seek({kind, 0, position_});
}

void Cursor::makeFilters() {
  filters_.clear();
  for (const Query& query : sought_) {
    filters_.emplace_back(*journal_, query);
  }
}

void Cursor::stay() {
  goal_.reset();
  next_.clear();
  search_.stop();
  announce();
}

void Cursor::add(Step step) {
  if (goal_) {
    return next_.push_back(step);
  }
  goal_ = goalOf(step);
  pursue();
}

Cursor::Goal Cursor::goalOf(Step step) const {
  if (step == Step::Into) {
    return {Goal::Position, position_ + 1};
  }
  const EventId parent =
      step == Step::Out && position_ > 0 ? journal_->at(position_).parent : EventId{0};
  return {Goal::Over, parent != 0 ? parent : position_};
}

// Returns true if the newest event belongs to this step and the step's span has ended.
bool Cursor::hasEnded(int step) const {
  EventId id = size();
  while (id != 0 && journal_->at(id).parent != 0) {
    id = journal_->at(id).parent;
  }
  return id != 0 && journal_->at(id).kind == EventKind::Step && journal_->at(id).step == step &&
         journal_->at(id).duration != Event::kRunning;
}

// Continues the search for the goal by one slice. Returns the position to show, or nullopt if it is
// not known yet. Goal::seen ensures that no event is examined twice.
std::optional<EventId> Cursor::reached(Goal& goal) const {
  const auto end = [&] { return std::min(size(), goal.seen + kSlice); };
  switch (goal.kind) {
    case Goal::Position:
      return goal.which <= size() ? std::optional(goal.which) : std::nullopt;
    case Goal::End:
      return mayGrow() ? std::nullopt : std::optional(size());
    case Goal::EndOfStep:
      for (const EventId last = end(); goal.seen < last; ++goal.seen) {
        if (journal_->at(goal.seen + 1).step > static_cast<int>(goal.which)) {
          return goal.seen;
        }
      }
      return !mayBeThere(goal) && hasEnded(static_cast<int>(goal.which)) ? std::optional(size())
                                                                         : std::nullopt;
    case Goal::Next:
      goal.which = foundAhead(goal);
      if (goal.which != 0 || goal.seen < size() || mayGrow()) {
        return goal.which != 0 ? std::optional(goal.which) : std::nullopt;
      }
      return ifNone_ == IfNone::ToTheEnd ? size() : position_;
    case Goal::Previous:
      goal.which = foundBehind(goal);
      if (goal.which != 0 || goal.seen > 1) {
        return goal.which != 0 ? std::optional(goal.which) : std::nullopt;
      }
      return ifNone_ == IfNone::ToTheEnd ? 0 : position_;
    case Goal::Over:
      break;
  }
  // The events after `which` are inside it up to the first one whose parent precedes it.
  goal.seen = std::max(goal.seen, goal.which);
  for (const EventId last = end(); goal.seen < last; ++goal.seen) {
    if (goal.which == 0 || journal_->at(goal.seen + 1).parent < goal.which) {
      return goal.seen + 1;
    }
  }
  return std::nullopt;
}

// Search the next slice of unexamined events. Return 0 if no event in it matches.
EventId Cursor::foundAhead(Goal& goal) const {
  const EventId last = std::min(size(), goal.seen + kFiltered);
  EventId nearest = 0;
  for (const EventFilter& filter : filters_) {
    const EventId next = filter.next(goal.seen, nearest == 0 ? last : nearest - 1);
    nearest = next == 0 ? nearest : next;
  }
  goal.seen = std::max(goal.seen, last);
  return nearest;
}

EventId Cursor::foundBehind(Goal& goal) const {
  const EventId first = goal.seen > kFiltered ? goal.seen - kFiltered : 1;
  EventId nearest = 0;
  for (const EventFilter& filter : filters_) {
    const EventId previous = filter.previous(goal.seen, nearest == 0 ? first : nearest + 1);
    nearest = previous == 0 ? nearest : previous;
  }
  goal.seen = std::min(goal.seen, first);
  return nearest;
}

bool Cursor::mayBeThere(const Goal& goal) const {
  switch (goal.kind) {
    case Goal::Over:
    case Goal::EndOfStep:
    case Goal::Next:
      return goal.seen < size();
    case Goal::Previous:
      return goal.seen > 1;
    default:
      return false;
  }
}

// Shows each goal that can be reached now, then the queued steps. Otherwise continues the search
// later, or requests more events from the engine.
void Cursor::pursue() {
  search_.stop();
  while (goal_) {
    const auto target = reached(*goal_);
    const Goal goal = *goal_;
    if (!target && mayBeThere(goal)) {
      announce();  // that it waits
      return search_.start();
    }
    if (!target && mayGrow()) {
      announce();  // that it waits
      if (goal.kind == Goal::End) {
        show(size());
        return run_(~EventId{0});
      }
      return run_(goal.kind == Goal::Position ? goal.which
                  : goal.kind == Goal::Next   ? size() + kBatch
                                              : size() + 1);
    }
    goal_.reset();
    show(target.value_or(size()));
    if (goal.kind == Goal::Next || goal.kind == Goal::Previous) {
      Q_EMIT found(goal.which);
    }
    if (!next_.empty()) {
      goal_ = goalOf(next_.front());
      next_.pop_front();
    }
  }
}

void Cursor::show(EventId position) {
  position = std::min(position, size());
  if (position != position_) {
    position_ = position;
    announce();
  }
}

void Cursor::announce() {
  if (!redraw_.isActive()) {
    redraw_.start(static_cast<int>(std::clamp<qint64>(kFrame - since_.elapsed(), 0, kFrame)));
  }
}

}  // namespace shardlens
