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

using Processes = std::vector<std::size_t>;  // processes, ascending

// The programs of the processes of a merged journal.
class Programs {
 public:
  explicit Programs(const MergedParts& parts) : parts_(parts), programs_(parts.programs()) {}

  std::vector<Processes> roles() const;
  std::vector<RankRange> ranksOf(const Processes& processes) const;

  std::size_t size() const { return parts_.processes().size(); }
  std::size_t steps() const { return programs_.steps(); }
  // Returns the program of a process in a step; 0 if it has none.
  std::uint64_t programOf(std::size_t process, std::size_t step) const {
    return programs_.run(process, step).program;
  }
  StepOfProcess eventsOf(std::size_t process, std::size_t step) const;
  EventId mergedOf(std::size_t process, EventId own) const {
    return parts_.processes()[process].events.mergedOf(own);
  }

 private:
  // Steps that decide which program a process usually runs.
  static constexpr std::size_t kMostSteps = 4096;

  std::size_t firstSteps() const { return std::min(programs_.steps(), kMostSteps); }
  EventId endOf(std::size_t process) const { return parts_.processes()[process].events.size() + 1; }
  bool isWhole(std::size_t process, std::size_t step) const;
  std::optional<std::uint64_t> usualProgram(
      std::size_t process, const std::unordered_map<std::uint64_t, int>& times) const;

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

// The types are nested, not in the anonymous namespace, because they are fields of Impl.
class DivergenceSearch::Impl {
 public:
  explicit Impl(const Journal& journal) : journal_(journal) {}

  bool search(const std::function<bool()>& mayGoOn) {
    const auto programs = programsOf(journal_);
    if (!programs) searched_ = now();
    const std::function<bool()> mayContinue = [&, isFirst = true]() mutable {
      return std::exchange(isFirst, false) || mayGoOn();
    };
    while (!isComplete()) {
      if (!isSearching_) begin(*programs);
      for (; !roles_.empty(); roles_.pop_back()) {
        if (!roles_.back().search(*programs, known_, mayContinue, all_)) return false;
      }
      end();
    }
    return true;
  }
  bool isComplete() const { return searched_ == now(); }
  const std::vector<Divergence>& found() const { return found_; }

 private:
  using Difference = std::optional<std::pair<EventId, EventId>>;  // see stepDifference()

  // The results of comparisons of steps that have ended, so that they are not read again when the
  // journal has grown: by step, process of most ranks and other process.
  struct Known {
    using Key = std::tuple<std::size_t, std::size_t, std::size_t>;
    static constexpr std::size_t kMost = 1 << 16;

    std::map<Key, Difference> all;
  };

  // The search in a role, step by step.
  class Role {
   public:
    Role(Processes role, const Programs& programs)
        : together_(std::move(role)), hasMet_(programs.size()) {}
    // Adds the divergences of the role. Returns false if `mayContinue` returned false; the next
    // call continues.
    bool search(const Programs& programs, Known& known, const std::function<bool()>& mayContinue,
                std::vector<Divergence>& to);

   private:
    // Comparisons of steps, each of which reads the events of two steps.
    static constexpr int kMostCompared = 4096;

    void beginStep(const Programs& programs);
    bool isToCompare(std::uint64_t program, const Processes& members) const;
    void compare(const Programs& programs, Known& known, std::uint64_t program,
                 const Processes& members, std::vector<Divergence>& to);

    Processes together_;  // have not parted
    std::set<std::pair<std::uint64_t, std::uint64_t>> equivalent_;
    std::vector<bool> hasMet_;  // has run the program of most processes
    int compared_ = 0;
    std::size_t step_ = 0;
    bool isInStep_ = false;
    // Of the step: the program of most processes, and those that are not compared with it yet.
    std::pair<std::uint64_t, Processes> most_;
    std::map<std::uint64_t, Processes> others_;
  };

  // The events and how many of them have not ended: what a search depends on.
  using Size = std::pair<EventId, std::int64_t>;
  Size now() const { return {journal_.size(), journal_.totals().running()}; }

  void begin(const Programs& programs) {
    size_ = now();
    isSearching_ = true;
    for (auto& role : programs.roles()) roles_.emplace_back(std::move(role), programs);
  }
  void end() {
    std::ranges::sort(all_, {}, [](const Divergence& each) {
      return std::pair(each.step, each.other.ranks.front().first);
    });
    found_ = std::exchange(all_, {});
    searched_ = size_;
    isSearching_ = false;
  }

  const Journal& journal_;
  Known known_;
  bool isSearching_ = false;
  Size size_{0, 0};              // at the beginning of the search in progress
  std::vector<Role> roles_;      // that are left to be searched
  std::vector<Divergence> all_;  // of the search in progress
  Size searched_{0, 0};          // at the beginning of the last complete search
  std::vector<Divergence> found_;
};

bool DivergenceSearch::Impl::Role::search(const Programs& programs, Known& known,
                                          const std::function<bool()>& mayContinue,
                                          std::vector<Divergence>& to) {
  for (; step_ < programs.steps() && together_.size() > 1; ++step_) {
    if (!isInStep_) {
      if (!mayContinue()) return false;
      beginStep(programs);
    }
    for (; !others_.empty(); others_.erase(others_.begin())) {
      const auto& [program, members] = *others_.begin();
      if (!isToCompare(program, members)) continue;
      if (compared_ == kMostCompared) return true;
      const Known::Key key(step_, most_.second.front(), members.front());
      if (!known.all.contains(key) && !mayContinue()) return false;
      ++compared_;
      compare(programs, known, program, members, to);
    }
    for (const std::size_t process : most_.second) hasMet_[process] = true;
    isInStep_ = false;
  }
  return true;
}

void DivergenceSearch::Impl::Role::beginStep(const Programs& programs) {
  isInStep_ = true;
  most_ = {};
  for (const std::size_t process : together_) {
    const std::uint64_t program = programs.programOf(process, step_);
    if (program != 0) others_[program].push_back(process);
  }
  if (others_.empty()) return;
  const auto most = std::ranges::max_element(others_, [](const auto& a, const auto& b) {
    return std::pair(a.second.size(), b.second.front()) <
           std::pair(b.second.size(), a.second.front());
  });
  most_ = {most->first, std::move(most->second)};
  others_.erase(most);
}

// Only processes that have run one program in an earlier step diverge: what precedes the first
// steps may differ.
bool DivergenceSearch::Impl::Role::isToCompare(std::uint64_t program,
                                               const Processes& members) const {
  return !equivalent_.contains({most_.first, program}) && hasMet_[members.front()] &&
         hasMet_[most_.second.front()];
}

// Processes that have parted are not compared again.
void DivergenceSearch::Impl::Role::compare(const Programs& programs, Known& known,
                                           std::uint64_t program, const Processes& members,
                                           std::vector<Divergence>& to) {
  const std::size_t first = most_.second.front(), second = members.front();
  const StepOfProcess usual = programs.eventsOf(first, step_);
  const StepOfProcess other = programs.eventsOf(second, step_);
  const bool areWhole = usual.isWhole && other.isWhole;
  const Known::Key key(step_, first, second);
  const auto place = known.all.find(key);
  const Difference found = place != known.all.end() ? place->second : stepDifference(usual, other);
  if (areWhole && known.all.size() < Known::kMost) known.all.emplace(key, found);
  if (!found) {
    if (areWhole) equivalent_.emplace(most_.first, program);
    return;
  }
  to.push_back({.step = usual.journal.at(found->first).step,
                .most = {programs.ranksOf(most_.second), programs.mergedOf(first, found->first)},
                .other = {programs.ranksOf(members), programs.mergedOf(second, found->second)}});
  std::erase_if(together_,
                [&](std::size_t process) { return std::ranges::binary_search(members, process); });
}

DivergenceSearch::DivergenceSearch(const Journal& journal)
    : impl_(std::make_unique<Impl>(journal)) {}
DivergenceSearch::~DivergenceSearch() = default;

bool DivergenceSearch::search(const std::function<bool()>& mayGoOn) {
  return impl_->search(mayGoOn);
}
bool DivergenceSearch::isComplete() const { return impl_->isComplete(); }
const std::vector<Divergence>& DivergenceSearch::found() const { return impl_->found(); }

}  // namespace shardlens
