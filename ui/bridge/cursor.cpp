#include "ui/bridge/cursor.h"

#include "ui/bridge/document.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr qint64 kFrame = 16;
constexpr EventId kSlice = 200'000;  // events that are looked at without a break: some 5 ms

}  // namespace

Cursor::Cursor(QObject* parent) : QObject(parent), journal_(&emptyJournal()) {
  states_ = std::make_unique<StateIndex>(*journal_);
  redraw_.setSingleShot(true);
  redraw_.setTimerType(Qt::PreciseTimer);
  since_.start();
  look_.setSingleShot(true);
  look_.setInterval(0);
  connect(&look_, &QTimer::timeout, this, [this] {
    pursue();
    announce();  // perhaps that it waits no more
  });
  connect(&redraw_, &QTimer::timeout, this, [this] {
    since_.restart();
    Q_EMIT moved();
  });
}

void Cursor::setJournal(const Journal& journal, std::function<void(EventId)> run,
                        std::unique_ptr<StateIndex> states) {
  journal_ = &journal;
  states_ = states ? std::move(states) : std::make_unique<StateIndex>(journal);
  run_ = std::move(run);
  goal_.reset();
  next_.clear();
  position_ = 0;
  announce();
}

void Cursor::adoptJournal(const Journal& journal, std::unique_ptr<StateIndex> states) {
  journal_ = &journal;
  states_ = states ? std::move(states) : std::make_unique<StateIndex>(journal);
  position_ = std::min(position_, journal.size());
  if (goal_) {
    goal_->seen = 0;
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

// Whether the newest event is of this step, whose span is over.
bool Cursor::hasEnded(int step) const {
  EventId id = size();
  while (id != 0 && journal_->at(id).parent != 0) {
    id = journal_->at(id).parent;
  }
  return id != 0 && journal_->at(id).kind == EventKind::Step && journal_->at(id).step == step &&
         journal_->at(id).duration != Event::kRunning;
}

// No event is looked at twice for a goal, however often the journal grows, and not too many at
// once.
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
    case Goal::Over:
      break;
  }
  // All that come after it are inside until one has a parent from before it.
  goal.seen = std::max(goal.seen, goal.which);
  for (const EventId last = end(); goal.seen < last; ++goal.seen) {
    if (goal.which == 0 || journal_->at(goal.seen + 1).parent < goal.which) {
      return goal.seen + 1;
    }
  }
  return std::nullopt;
}

bool Cursor::mayBeThere(const Goal& goal) const {
  return (goal.kind == Goal::Over || goal.kind == Goal::EndOfStep) && goal.seen < size();
}

// Shows each goal, or as much of the way as there is, and asks for the rest.
void Cursor::pursue() {
  look_.stop();
  while (goal_) {
    const auto target = reached(*goal_);
    const Goal goal = *goal_;
    if (!target && mayBeThere(goal)) {
      announce();  // that it waits
      return look_.start();
    }
    if (!target && mayGrow()) {
      announce();  // that it waits
      if (goal.kind == Goal::End) {
        show(size());
        return run_(~EventId{0});
      }
      return run_(goal.kind == Goal::Position ? goal.which : size() + 1);
    }
    goal_.reset();
    show(target.value_or(size()));
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
