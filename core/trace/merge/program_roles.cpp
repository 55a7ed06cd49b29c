#include "core/trace/merge/program_roles.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/merge/step_difference.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace shardlens {
namespace {

using Processes = std::vector<std::size_t>;                     // processes, ascending
using Difference = std::optional<std::pair<EventId, EventId>>;  // see stepDifference()

// Calls stepDifference() once for two steps that have ended.
class StepComparisons {
 public:
  // Begins a call of search().
  void begin() { isFirst_ = true; }
  // Returns nullopt if `mayGoOn` returns false.
  std::optional<Difference> compare(const StepOfProcess& a, const StepOfProcess& b,
                                    const std::function<bool()>& mayGoOn) {
    const Key key(&a.journal, a.first, &b.journal, b.first);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    if (!std::exchange(isFirst_, false) && !mayGoOn()) return std::nullopt;
    const Difference difference = stepDifference(a, b);
    if (a.isWhole && b.isWhole) known_.emplace(key, difference);
    return difference;
  }

 private:
  using Key = std::tuple<const Journal*, EventId, const Journal*, EventId>;

  std::map<Key, Difference> known_;
  bool isFirst_ = true;
};

// The programs of the processes of a merged journal.
class Programs {
 public:
  explicit Programs(const MergedParts& parts) : parts_(parts), programs_(parts.programs()) {}

  std::vector<Processes> roles() const;
  // Returns false if `mayGoOn` returned false.
  bool addDivergences(const Processes& role, StepComparisons& comparisons,
                      const std::function<bool()>& mayGoOn, std::vector<Divergence>& to) const;
  std::vector<RankRange> ranksOf(const Processes& processes) const;

 private:
  // Comparisons of steps of a role, each of which reads the events of two steps.
  static constexpr int kMostCompared = 4096;
  // Steps that decide which program a process usually runs.
  static constexpr std::size_t kMostSteps = 4096;

  std::size_t size() const { return parts_.processes().size(); }
  std::size_t firstSteps() const { return std::min(programs_.steps(), kMostSteps); }
  EventId endOf(std::size_t process) const { return parts_.processes()[process].events.size() + 1; }
  bool isWhole(std::size_t process, std::size_t step) const;
  StepOfProcess eventsOf(std::size_t process, std::size_t step) const;
  std::optional<std::uint64_t> usualProgram(
      std::size_t process, const std::unordered_map<std::uint64_t, int>& times) const;
  EventId mergedOf(std::size_t process, EventId own) const {
    return parts_.processes()[process].events.mergedOf(own);
  }

  const MergedParts& parts_;
  const StepPrograms& programs_;
};

// A step is whole if the process has begun a later one, or has ended the span of the step.
bool Programs::isWhole(std::size_t process, std::size_t step) const {
  const EventId end = endOf(process);
  if (programs_.endOf(process, step, end) < end) return true;
  const Journal& journal = *parts_.processes()[process].journal;
  if (end <= journal.size()) return false;  // events are not merged yet
  const EventId first = programs_.run(process, step).first;
  for (EventId id = first; id < end; ++id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Step) return event.duration != Event::kRunning;
  }
  return false;
}

StepOfProcess Programs::eventsOf(std::size_t process, std::size_t step) const {
  return {*parts_.processes()[process].journal, programs_.run(process, step).first,
          std::min(programs_.endOf(process, step, endOf(process)), endOf(process)),
          isWhole(process, step)};
}

// Returns the program that the process ran in most of its steps; among equals, that of most steps
// of all processes, then the first one. Steps that are not whole do not count unless there is no
// other.
std::optional<std::uint64_t> Programs::usualProgram(
    std::size_t process, const std::unordered_map<std::uint64_t, int>& times) const {
  struct Own {
    int times = 0;
    std::size_t first;  // the step
  };
  std::map<std::uint64_t, Own> own;
  std::optional<std::size_t> last;  // counted when a later step is found
  const auto count = [&](std::size_t step) {
    ++own.try_emplace(programs_.run(process, step).program, Own{0, step}).first->second.times;
  };
  for (std::size_t step = 0; step < firstSteps(); ++step) {
    if (programs_.run(process, step).program == 0) continue;
    if (last) count(*last);
    last = step;
  }
  if (!last) return std::nullopt;
  if (own.empty() || isWhole(process, *last)) count(*last);
  const auto rank = [&](const auto& each) {
    const auto& [program, steps] = each;
    return std::tuple(-steps.times, -times.at(program), steps.first);
  };
  return std::ranges::min_element(own, {}, rank)->first;
}

std::vector<Processes> Programs::roles() const {
  std::unordered_map<std::uint64_t, int> times;
  for (std::size_t process = 0; process < size(); ++process) {
    for (std::size_t step = 0; step < firstSteps(); ++step) {
      ++times[programs_.run(process, step).program];
    }
  }
  std::map<std::uint64_t, std::size_t> known;
  std::vector<Processes> roles;
  for (std::size_t process = 0; process < size(); ++process) {
    const auto usual = usualProgram(process, times);
    if (!usual) continue;
    const auto [place, isNew] = known.try_emplace(*usual, roles.size());
    if (isNew) roles.emplace_back();
    roles[place->second].push_back(process);
  }
  return roles;
}

// Only processes that have run one program in an earlier step diverge: what precedes the first
// steps may differ. Processes that have parted are not compared again.
bool Programs::addDivergences(const Processes& role, StepComparisons& comparisons,
                              const std::function<bool()>& mayGoOn,
                              std::vector<Divergence>& to) const {
  Processes together = role;
  std::set<std::pair<std::uint64_t, std::uint64_t>> equivalent;
  std::vector<bool> hasMet(size());  // has run the program of most processes
  int compared = 0;
  for (std::size_t step = 0; step < programs_.steps() && together.size() > 1; ++step) {
    std::map<std::uint64_t, Processes> by;
    for (const std::size_t process : together) {
      const auto& run = programs_.run(process, step);
      if (run.program != 0) by[run.program].push_back(process);
    }
    if (by.empty()) continue;
    const auto most = std::ranges::max_element(by, [](const auto& a, const auto& b) {
      return std::pair(a.second.size(), b.second.front()) <
             std::pair(b.second.size(), a.second.front());
    });
    const StepOfProcess usual = eventsOf(most->second.front(), step);
    for (const auto& [program, members] : by) {
      const std::pair pair(most->first, program);
      if (program == most->first || equivalent.contains(pair)) continue;
      if (!hasMet[members.front()] || !hasMet[most->second.front()]) continue;
      if (++compared > kMostCompared) return true;
      const StepOfProcess other = eventsOf(members.front(), step);
      const auto difference = comparisons.compare(usual, other, mayGoOn);
      if (!difference) return false;
      const Difference& found = *difference;
      if (!found) {
        if (usual.isWhole && other.isWhole) equivalent.insert(pair);
        continue;
      }
      to.push_back({.step = usual.journal.at(found->first).step,
                    .most = {ranksOf(most->second), mergedOf(most->second.front(), found->first)},
                    .other = {ranksOf(members), mergedOf(members.front(), found->second)}});
      std::erase_if(together, [&members = members](std::size_t process) {
        return std::ranges::binary_search(members, process);
      });
    }
    for (const std::size_t process : most->second) hasMet[process] = true;
  }
  return true;
}

std::vector<RankRange> Programs::ranksOf(const Processes& processes) const {
  std::vector<RankRange> ranks;
  for (const std::size_t process : processes) {
    for (const int rank : parts_.processes()[process].hosted) ranks.push_back({rank, rank});
  }
  return united(std::move(ranks));
}

std::optional<Programs> programsOf(const Journal& journal) {
  const auto* parts = dynamic_cast<const MergedParts*>(&journal.values());
  if (parts == nullptr || isImported(journal)) return std::nullopt;
  return Programs(*parts);
}

}  // namespace

std::vector<ProgramRole> programRoles(const Journal& journal) {
  const auto programs = programsOf(journal);
  std::vector<ProgramRole> roles;
  if (!programs) return roles;
  for (const auto& members : programs->roles()) roles.push_back({programs->ranksOf(members)});
  return roles;
}

std::vector<Divergence> divergences(const Journal& journal) {
  DivergenceSearch search(journal);
  search.search();
  return search.found();
}

class DivergenceSearch::Impl {
 public:
  explicit Impl(const Journal& journal) : journal_(journal) {}

  bool search(const std::function<bool()>& mayGoOn) {
    const auto programs = programsOf(journal_);
    if (!programs) searched_ = journal_.size();
    if (isComplete()) return true;
    if (std::exchange(size_, journal_.size()) != journal_.size()) begin(*programs);
    comparisons_.begin();
    for (; next_ < roles_.size(); ++next_) {
      std::vector<Divergence> its;
      if (!programs->addDivergences(roles_[next_], comparisons_, mayGoOn, its)) return false;
      all_.insert(all_.end(), its.begin(), its.end());
    }
    std::ranges::sort(all_, {}, [](const Divergence& each) {
      return std::pair(each.step, each.other.ranks.front().first);
    });
    found_ = std::move(all_);
    searched_ = size_;
    return true;
  }
  bool isComplete() const { return searched_ == journal_.size(); }
  const std::vector<Divergence>& found() const { return found_; }

 private:
  void begin(const Programs& programs) {
    roles_ = programs.roles();
    next_ = 0;
    all_.clear();
  }

  const Journal& journal_;
  StepComparisons comparisons_;
  EventId size_ = 0;  // of the journal, at the search in progress
  std::vector<Processes> roles_;
  std::size_t next_ = 0;         // the role to be searched
  std::vector<Divergence> all_;  // of the roles before
  EventId searched_ = 0;         // size of the journal at the last complete search
  std::vector<Divergence> found_;
};

DivergenceSearch::DivergenceSearch(const Journal& journal)
    : impl_(std::make_unique<Impl>(journal)) {}
DivergenceSearch::~DivergenceSearch() = default;

bool DivergenceSearch::search(const std::function<bool()>& mayGoOn) {
  return impl_->search(mayGoOn);
}
bool DivergenceSearch::isComplete() const { return impl_->isComplete(); }
const std::vector<Divergence>& DivergenceSearch::found() const { return impl_->found(); }

}  // namespace shardlens
