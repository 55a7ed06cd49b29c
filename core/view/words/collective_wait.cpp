#include "core/view/words/collective_wait.h"

#include "core/model/byte_count.h"
#include "core/model/ranks_text.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/place_text.h"
#include "core/view/words/units.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace shardlens::view {
namespace {

// Searches near the event, because the merge places the diverging calls of processes next to each
// other.
EventId calledInstead(const Journal& journal, EventId id, int rank) {
  constexpr EventId kNear = 256;
  const Event event = journal.at(id);
  const EventId first = id - std::min(id - 1, kNear);
  const EventId last = std::min(journal.size(), id + kNear);
  for (EventId other = first; other <= last; ++other) {
    const Event its = journal.at(other);
    if (its.kind != EventKind::Collective || other == id) continue;
    const bool isSameCall = its.group == event.group && its.sequence == event.sequence;
    if (isSameCall && std::ranges::count(absentRanks(journal, other), rank) == 0) return other;
  }
  return 0;
}

// Returns ", which called all_gather", ", of which rank 2 called all_gather" or "".
std::string whichCalled(const Journal& journal, const CollectiveWait& wait) {
  if (wait.instead == 0) return {};
  const bool areAll = wait.callers.size() == wait.missing.size();
  return (areAll ? ", which" : ", of which " + ranksLabel(wait.callers)) + " called " +
         insteadText(journal, wait);
}

// Returns the bytes that the first member that called the collective has sent; 0 if unknown.
std::int64_t sentByMember(const Journal& journal, EventId collective) {
  for (const auto& group : parseRanks(journal.text(journal.at(collective).ranks))) {
    for (const int rank : group) {
      if (const auto part = journal.part(collective, rank)) return part->bytes;
    }
  }
  return 0;
}

// Returns true if two events seem to be one collective that ranks called in different steps, as one
// before the optimizer's step and one after it: the merge joins events of the same step only.
bool isInAnotherStep(const Journal& journal, EventId id, EventId instead) {
  const Event event = journal.at(id), other = journal.at(instead);
  return journal.name(event) == journal.name(other) && event.step != other.step &&
         event.line == other.line && sentByMember(journal, id) == sentByMember(journal, instead);
}

}  // namespace

std::optional<CollectiveWait> collectiveWait(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  if (event.kind != EventKind::Collective) return std::nullopt;
  const std::vector<int> absent = missingMembers(journal, id);
  if (absent.empty()) return std::nullopt;
  const auto hosted = hostedRanges(journal);
  CollectiveWait wait;
  wait.event = id;
  wait.since = std::numeric_limits<std::int64_t>::max();
  std::vector<int> left;  // missing in groups whose callers have returned
  for (const auto& group : parseRanks(journal.text(event.ranks))) {
    std::vector<int> missing, waiting;
    bool hasArrived = false;
    for (const int rank : group) {
      if (std::ranges::binary_search(absent, rank)) {
        missing.push_back(rank);
        continue;
      }
      if (!contains(hosted, rank)) continue;
      hasArrived = true;
      const auto timing = journal.part(id, rank);
      if (timing->duration != Event::kRunning) continue;
      waiting.push_back(rank);
      wait.since = std::min(wait.since, timing->time);
    }
    if (missing.empty() || !hasArrived) continue;
    auto& into = waiting.empty() ? left : wait.missing;
    into.insert(into.end(), missing.begin(), missing.end());
    wait.waiting.insert(wait.waiting.end(), waiting.begin(), waiting.end());
  }
  if (wait.waiting.empty()) wait.missing = std::move(left);
  if (wait.missing.empty()) return std::nullopt;
  std::sort(wait.waiting.begin(), wait.waiting.end());
  std::sort(wait.missing.begin(), wait.missing.end());
  if (event.sequence != 0) wait.instead = calledInstead(journal, id, wait.missing.front());
  if (wait.instead != 0 && isInAnotherStep(journal, id, wait.instead)) return std::nullopt;
  if (wait.instead != 0) {
    std::ranges::set_difference(wait.missing, absentRanks(journal, wait.instead),
                                std::back_inserter(wait.callers));
  }
  return wait;
}

std::vector<int> callersOf(const Journal& journal, const CollectiveWait& wait) {
  std::vector<int> callers;
  for (const auto& group : parseRanks(journal.text(journal.at(wait.event).ranks))) {
    callers.insert(callers.end(), group.begin(), group.end());
  }
  const auto hosted = hostedRanges(journal);
  std::erase_if(callers, [&](int rank) {
    return std::ranges::binary_search(wait.missing, rank) || !contains(hosted, rank);
  });
  std::ranges::sort(callers);
  return callers;
}

std::vector<int> ranksAtFault(const Journal& journal, const CollectiveWait& wait) {
  if (wait.instead == 0) return wait.missing;
  const std::vector<int> callers = callersOf(journal, wait);
  if (wait.callers.size() != callers.size()) {
    return wait.callers.size() < callers.size() ? wait.callers : callers;
  }
  std::vector<int> all;
  std::ranges::merge(callers, wait.callers, std::back_inserter(all));
  return all;
}

std::string waitText(const Journal& journal, const CollectiveWait& wait) {
  const std::string missing = ranksLabel(wait.missing);
  const std::string instead = whichCalled(journal, wait);
  if (wait.waiting.empty()) return "without " + missing + instead;
  return ranksLabel(wait.waiting) + (wait.waiting.size() == 1 ? " has" : " have") + " waited for " +
         missing + " since " + durationText(wait.since) + " after the start" + instead;
}

std::string waitNote(const Journal& journal, const CollectiveWait& wait) {
  constexpr std::size_t kMostNamed = 2;
  if (wait.instead != 0 && wait.callers.size() == wait.missing.size()) {
    const bool areNamed = wait.callers.size() <= kMostNamed;
    return (areNamed ? ranksLabel(wait.callers) : std::to_string(wait.callers.size()) + " ranks") +
           " called " + insteadText(journal, wait);
  }
  if (wait.waiting.empty()) return waitText(journal, wait);
  return ranksLabel(wait.waiting) + (wait.waiting.size() == 1 ? " waits for " : " wait for ") +
         ranksLabel(wait.missing) + whichCalled(journal, wait);
}

std::string placeOfAlike(const Journal& journal, EventId collective, EventId other) {
  const Event event = journal.at(collective);
  if (journal.name(event) != journal.name(journal.at(other))) return {};
  const std::string place = placeText(journal, event);
  if (!place.empty() && place != placeText(journal, journal.at(other))) return " at " + place;
  const std::int64_t sent = sentByMember(journal, collective);
  const bool isOtherSize = sent != 0 && sent != sentByMember(journal, other);
  return (isOtherSize ? " of " + byteCountText(sent) : "") + (place.empty() ? "" : " at " + place);
}

std::string insteadText(const Journal& journal, const CollectiveWait& wait) {
  if (wait.instead == 0) return {};
  return std::string(journal.name(journal.at(wait.instead))) +
         placeOfAlike(journal, wait.instead, wait.event);
}

}  // namespace shardlens::view
