#include "core/trace/merge/clocks.h"

#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/clock_record.h"

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

// Times beyond this are of damaged recordings. Sums of a few such times do not overflow.
constexpr std::int64_t kLatestTime = std::int64_t{1} << 59;
constexpr std::int64_t kUnknown = EventPart::kUnknown;

std::int64_t limited(std::int64_t time) { return std::clamp(time, -kLatestTime, kLatestTime); }

// The wall clock minus the monotonic clock of a machine, and the error of the wall clock.
std::pair<std::int64_t, std::int64_t> wallOf(const ClockRecord& clock) {
  const ClockAnchor& anchor = clock.anchors.front();
  return {anchor.wall - anchor.monotonic, std::min(anchor.error.value_or(kUnknown), kUnknown)};
}

}  // namespace

Clocks::Clocks(const std::vector<const Journal*>& processes) {
  std::pair<std::int64_t, std::int64_t> first;
  std::int64_t base = std::numeric_limits<std::int64_t>::max();
  for (const Journal* journal : processes) {
    Process& process = processes_.emplace_back();
    const auto clock = readClock(journal->meta(kClockKey));
    if (!clock) continue;
    auto machine = std::find_if(machines_.begin(), machines_.end(),
                                [&](const Machine& each) { return each.id == clock->id; });
    if (machine == machines_.end()) {
      const auto wall = wallOf(*clock);
      if (machines_.empty()) first = wall;
      const std::int64_t error = machines_.empty() ? 0 : wall.second + first.second;
      machines_.push_back({clock->id, wall.first - first.first, std::min(error, kUnknown)});
      machine = machines_.end() - 1;
    }
    const ClockAnchor& anchor = clock->anchors.front();
    process = {static_cast<int>(machine - machines_.begin()), anchor.monotonic - anchor.at};
    base = std::min(base, process.shift + machine->offset);
  }
  if (!machines_.empty()) base_ = base;
  const bool startTogether = std::all_of(processes.begin(), processes.end(),
                                         [](const Journal* each) { return isOfProcesses(*each); });
  if (!machines_.empty() || !startTogether) return;
  machines_.emplace_back();
  for (Process& process : processes_) process.machine = 0;
}

void Clocks::add(std::span<const Call> calls) {
  if (!waitsForAll(calls.front().event.collective())) return;
  std::map<int, CollectiveSide> sides;
  for (const auto& [number, event] : calls) {
    const Process& process = processes_[number];
    const bool isUsable = event.exposed > 0 && event.bytes > 0 && event.device == 0;
    if (process.machine < 0 || !isUsable) return;
    const std::int64_t call = limited(event.time) + process.shift;
    const std::int64_t returned = call + limited(event.duration);
    // The program may observe the completion later, after the work that it did meanwhile.
    const std::int64_t done = call + std::min(event.exposed, limited(event.duration));
    const auto [place, isNew] = sides.try_emplace(process.machine);
    CollectiveSide& side = place->second;
    side.lastCall = isNew ? call : std::max(side.lastCall, call);
    side.firstReturn = isNew ? returned : std::min(side.firstReturn, returned);
    side.earliestDone = isNew ? done : std::min(side.earliestDone, done);
  }
  if (sides.size() < 2) return;
  const auto& [first, side] = *sides.begin();
  for (auto other = std::next(sides.begin()); other != sides.end(); ++other) {
    const std::int64_t time = side.lastCall + machines_[static_cast<std::size_t>(first)].offset;
    offsets_[{first, other->first}].add(time, side, other->second);
  }
}

// Finds a way from each machine to the first one, over as few offsets as possible.
void Clocks::connect() const {
  if (connected_ == offsets_.size() && !towards_.empty()) return;
  connected_ = offsets_.size();
  towards_.assign(machines_.size(), -1);
  std::vector<int> reached{0};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& [pair, offset] : offsets_) {
      const auto& [low, high] = pair;
      if (low != reached[i] && high != reached[i]) continue;
      const int next = low == reached[i] ? high : low;
      int& towards = towards_[static_cast<std::size_t>(next)];
      if (next == 0 || towards >= 0) continue;
      towards = reached[i];
      reached.push_back(next);
    }
  }
}

// Returns the first machine's clock minus that of `machine`. nullopt if no collectives tell it.
std::optional<OffsetRange> Clocks::offsetOf(int machine, std::int64_t time) const {
  connect();
  OffsetRange all;
  while (machine != 0) {
    const int next = towards_[static_cast<std::size_t>(machine)];
    if (next < 0) return std::nullopt;
    const auto range = offsets_.at(std::minmax(machine, next)).at(time);
    if (!range) return std::nullopt;
    // The range is that of the lower machine minus the higher one.
    all.least = limited(all.least + (next < machine ? range->least : -range->most));
    all.most = limited(all.most + (next < machine ? range->most : -range->least));
    machine = next;
  }
  return all;
}

Clocks::Reading Clocks::read(std::size_t process, std::int64_t time) const {
  const auto& [number, shift] = processes_[process];
  if (number < 0) return {time, -1 - static_cast<int>(process), kUnknown};
  const std::int64_t mine = limited(time) + shift - base_;
  if (number == 0) return {mine, 0, 0};
  const Machine& machine = machines_[static_cast<std::size_t>(number)];
  auto range = offsetOf(number, mine + base_ + machine.offset);
  if (!range) return {mine + machine.offset, number, machine.error};
  // The wall clocks may be far apart, so the offset is that of the moment that it yields.
  range = offsetOf(number, mine + base_ + range->middle());
  return {mine + range->middle(), number, std::min(range->error(), kUnknown)};
}

}  // namespace shardlens
