#include "core/compare/event_pairs.h"

#include "core/compare/event_keys.h"

#include <algorithm>

namespace shardlens {
namespace {

// The tree of a step's events: for each event, the last event inside it.
class StepTree {
 public:
  StepTree(const Journal& journal, const StepRange& step) : first_(step.first) {
    ends_.resize(step.last - step.first + 1, step.last);
    std::vector<EventId> open;  // the path to the current event, outermost first
    for (EventId id = step.first; id <= step.last; ++id) {
      const EventId parent = journal.at(id).parent;
      while (!open.empty() && open.back() > parent) {
        ends_[open.back() - first_] = id - 1;
        open.pop_back();
      }
      open.push_back(id);
    }
  }

  EventId endOf(EventId event) const { return ends_[event - first_]; }
  std::vector<EventId> inside(EventId event) const {
    std::vector<EventId> all;
    for (EventId id = event + 1; id <= endOf(event); id = endOf(id) + 1) all.push_back(id);
    return all;
  }

 private:
  EventId first_;
  std::vector<EventId> ends_;
};

class EventPairing {
 public:
  EventPairing(const Journal& left, const Journal& right)
      : left_(left), right_(right), leftKeys_(left), rightKeys_(right) {}

  void pair(const StepPair& steps) {
    if (areAlike(steps.left, steps.right)) {
      return pairs_.add(steps.left.first, steps.right.first, sizeOf(steps.left));
    }
    const StepTree ours(left_, steps.left);
    const StepTree theirs(right_, steps.right);
    open_.push_back({steps.left.first, steps.right.first});
    while (!open_.empty()) {
      const auto [left, right] = open_.back();
      open_.pop_back();
      const StepRange leftAll{left, ours.endOf(left)};
      const StepRange rightAll{right, theirs.endOf(right)};
      if (areAlike(leftAll, rightAll)) {
        pairs_.add(left, right, sizeOf(leftAll));
      } else {
        pairs_.add(left, right);
        openInside(ours.inside(left), theirs.inside(right));
      }
    }
  }

  EventPairs take() { return std::move(pairs_); }

 private:
  struct Same {
    EventId left;
    EventId right;
  };

  static EventId sizeOf(const StepRange& range) { return range.last - range.first + 1; }

  // Returns true if both ranges have the same texts and nesting; the first event of each is not
  // compared.
  bool areAlike(const StepRange& ours, const StepRange& theirs) {
    if (sizeOf(ours) != sizeOf(theirs)) return false;
    const auto within = [](const Event& event, const StepRange& range) {
      return event.parent < range.first ? 0 : event.parent - range.first + 1;
    };
    for (EventId place = 1; place < sizeOf(ours); ++place) {
      const Event left = left_.at(ours.first + place);
      const Event right = right_.at(theirs.first + place);
      if (leftKeys_.text(left) != rightKeys_.text(right) ||
          within(left, ours) != within(right, theirs)) {
        return false;
      }
    }
    return true;
  }

  // Matches the events directly inside two paired events and pushes the pairs, the first on top.
  void openInside(const std::vector<EventId>& ours, const std::vector<EventId>& theirs) {
    const auto matches =
        matchSequences(keysOf(left_, leftKeys_, ours), keysOf(right_, rightKeys_, theirs));
    for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
      open_.push_back({ours[match->left], theirs[match->right]});
    }
  }

  static KeyedSequence keysOf(const Journal& journal, EventKeys& keys,
                              const std::vector<EventId>& events) {
    KeyedSequence sequence;
    for (const EventId event : events) keys.add(journal.at(event), sequence);
    return sequence;
  }

  const Journal& left_;
  const Journal& right_;
  EventKeys leftKeys_;
  EventKeys rightKeys_;
  std::vector<Same> open_;  // a stack of pairs whose inner events are still to be paired
  EventPairs pairs_;
};

}  // namespace

void EventPairs::add(EventId left, EventId right, EventId count) {
  Run* last = runs_.empty() ? nullptr : &runs_.back();
  if (last != nullptr && last->left + last->count == left && last->right + last->count == right) {
    last->count += count;
  } else {
    runs_.push_back({left, right, count});
  }
}

EventPairs::Run EventPairs::runUpTo(Side side, EventId event) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), event,
                       [side](EventId id, const Run& run) { return id < run.*side; });
  return after == runs_.begin() ? Run{0, 0, 1} : *(after - 1);
}

std::optional<EventId> EventPairs::other(Side from, Side to, EventId event) const {
  const Run run = runUpTo(from, event);
  const EventId place = event - run.*from;
  return place < run.count ? std::optional(run.*to + place) : std::nullopt;
}

std::optional<EventId> EventPairs::rightOf(EventId left) const {
  return other(&Run::left, &Run::right, left);
}

std::optional<EventId> EventPairs::leftOf(EventId right) const {
  return other(&Run::right, &Run::left, right);
}

EventId EventPairs::rightUpTo(EventId left) const {
  const Run run = runUpTo(&Run::left, left);
  return run.right + std::min(left - run.left, run.count - 1);
}

EventId EventPairs::leftUpTo(EventId right) const {
  const Run run = runUpTo(&Run::right, right);
  return run.left + std::min(right - run.right, run.count - 1);
}

EventPairs pairEvents(const Journal& left, const Journal& right, const std::vector<StepPair>& steps,
                      const Progress& progress) {
  EventPairing pairing(left, right);
  for (const StepPair& step : steps) {
    if (!step.left || !step.right) continue;
    pairing.pair(step);
    if (progress) progress(static_cast<double>(step.left.last) / left.size());
  }
  return pairing.take();
}

}  // namespace shardlens
