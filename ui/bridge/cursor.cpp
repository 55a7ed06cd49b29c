#include "ui/bridge/cursor.h"

#include "ui/bridge/document.h"

#include <algorithm>

namespace shardlens {
namespace {

constexpr qint64 kFrame = 16;

}  // namespace

Cursor::Cursor(QObject* parent) : QObject(parent), journal_(&emptyJournal()) {
  replay_.emplace(*journal_);
  redraw_.setSingleShot(true);
  redraw_.setTimerType(Qt::PreciseTimer);
  since_.start();
  connect(&redraw_, &QTimer::timeout, this, [this] {
    since_.restart();
    Q_EMIT moved();
  });
}

void Cursor::setJournal(const Journal& journal, std::function<void(EventId)> run) {
  journal_ = &journal;
  replay_.emplace(journal);
  run_ = std::move(run);
  goal_.reset();
  position_ = 0;
  announce();
}

void Cursor::adoptJournal(const Journal& journal) {
  journal_ = &journal;
  replay_.emplace(journal);
  position_ = std::min(position_, journal.size());
}

void Cursor::clear() { setJournal(emptyJournal()); }

void Cursor::journalGrew() {
  if (goal_) {
    pursue();
  }
  announce();
}

void Cursor::journalEnded() {
  run_ = nullptr;
  if (goal_) {
    const Goal goal = *goal_;
    goal_.reset();
    show(reached(goal).value_or(size()));
  }
  announce();
}

const Snapshot& Cursor::snapshot() { return replay_->at(position_); }

void Cursor::back() {
  goal_.reset();
  if (position_ > 0) {
    show(position_ - 1);
  }
}

void Cursor::over() { seek({Goal::Over, position_}); }

void Cursor::toEnd() { seek({Goal::End, position_}); }

void Cursor::seek(Goal goal) {
  goal_ = goal;
  pursue();
}

std::optional<EventId> Cursor::reached(const Goal& goal) const {
  if (goal.kind == Goal::Position) {
    return goal.from <= size() ? std::optional(goal.from) : std::nullopt;
  }
  if (goal.kind == Goal::End) {
    return mayGrow() ? std::nullopt : std::optional(size());
  }
  // Inside means: the event stepped over is among the parents.
  for (EventId id = goal.from + 1; id <= size(); ++id) {
    EventId parent = journal_->at(id).parent;
    while (goal.from != 0 && parent > goal.from) {
      parent = journal_->at(parent).parent;
    }
    if (goal.from == 0 || parent != goal.from) {
      return id;
    }
  }
  return std::nullopt;
}

// Shows the goal, or as much of the way as there is, and asks for the rest.
void Cursor::pursue() {
  const Goal goal = *goal_;
  const auto target = reached(goal);
  if (target || !mayGrow()) {
    goal_.reset();
    return show(target.value_or(size()));
  }
  if (goal.kind == Goal::End) {
    show(size());
    return run_(~EventId{0});
  }
  run_(goal.kind == Goal::Position ? goal.from : size() + 1);
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
