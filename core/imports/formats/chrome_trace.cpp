#include "core/imports/formats/chrome_trace.h"

#include "core/imports/collectives.h"
#include "core/imports/formats/chrome_event.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/events_by_time.h"
#include "core/imports/input/plain_value.h"
#include "core/model/ranks_text.h"
#include "core/trace/file/trace_schema.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace shardlens {

namespace {

constexpr std::size_t kDeepest = 4096;  // nesting limit of spans
constexpr std::string_view kStep = "ProfilerStep#";
constexpr std::string_view kOperators = "c10d::";  // collectives of the backend
// Prefix of functional collectives, which call those of the backend.
constexpr std::string_view kWrappers = "_c10d_functional::";

// Calls `onEvents` at the list of events, which is the whole file or the member "traceEvents".
// Calls `onOther` for each other member, which must read or skip its value.
template <class OnEvents, class OnOther>
void readTrace(JsonReader& json, OnEvents onEvents, OnOther onOther) {
  if (json.kind() == JsonReader::Kind::List) {
    onEvents();
  } else {
    bool hasEvents = false;
    json.object([&](std::string_view key) {
      if (key == "traceEvents") {
        hasEvents = true;
        onEvents();
      } else {
        onOther(key);
      }
    });
    if (!hasEvents) json.refuse("a member traceEvents before");
  }
  json.end();
}

bool isOfGpu(std::string_view category) {
  return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
}

// Returns true for categories that repeat operators or detail them.
bool isLeftOut(std::string_view category) {
  return category == "python_function" || category == "cuda_runtime" || category == "cuda_driver" ||
         category == "gpu_user_annotation" || category == "overhead" || category == "Trace";
}

// Builds recording events from trace events. Pass 1 (take) converts and sorts them, pass 2 (finish,
// place) nests them and adds them to the recording.
class ChromeTrace {
 public:
  ChromeTrace(const ChromeTraceHeader& header, const std::filesystem::path& folder,
              ImportedRank& rank)
      : header_(header), rank_(rank), events_(folder) {}

  void take(const ChromeEvent& event);
  ChromeTraceCounts finish(const ByteSource& source);

 private:
  // An open ancestor while events are placed.
  struct Span {
    EventId id;
    std::int64_t end;  // INT64_MAX while running
    std::int64_t bytes;
  };
  // State of one thread or stream.
  struct Lane {
    std::vector<LaneEvent> begun;  // B events without an E event so far
    std::vector<Span> open;        // ancestors of the next event
  };

  // Converts an X or B event. X goes to events_; B waits for its E.
  void keep(const ChromeEvent& event, LaneEvent made);
  // Converts record_param_comms: a Collective, or an Operator such as "wait".
  Event communication(const ChromeEvent& event);
  // Sets parent, step and time, and adds the event. Requires start order.
  void place(LaneEvent made);
  // Returns the index in lanes_, adding one for a new thread.
  std::uint32_t laneOf(std::int64_t process, std::int64_t thread);

  const ChromeTraceHeader& header_;
  ImportedRank& rank_;
  EventsByTime events_;
  ChromeTraceCounts counts_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> laneIds_;
  std::pair<std::pair<std::int64_t, std::int64_t>, std::uint32_t> lastLane_{};
  std::vector<Lane> lanes_;
  bool hasCommunications_ = false;  // the trace has record_param_comms events
  std::uint64_t kept_ = 0;
  bool hasBegun_ = false;
  std::int64_t begin_ = 0;  // time of the first event
  int step_ = -1;           // number of the current ProfilerStep
};

std::uint32_t ChromeTrace::laneOf(std::int64_t process, std::int64_t thread) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  const std::pair key(process, thread);
  if (!lanes_.empty() && lastLane_.first == key) return lastLane_.second;
  const auto [known, isNew] = laneIds_.try_emplace(key, static_cast<std::uint32_t>(lanes_.size()));
  if (isNew) lanes_.emplace_back();
  if (lanes_.size() > kMost) throw BadDump("got more threads, expected at most 65536");
  lastLane_ = {key, known->second};
  return known->second;
}

void ChromeTrace::take(const ChromeEvent& event) {
  ++counts_.read;
  const bool isSpan = event.phase == 'X' || event.phase == 'B' || event.phase == 'E';
  if (!isSpan || isLeftOut(event.category)) {
    counts_.leftOut += event.phase != 'M' ? 1 : 0;
    return;
  }
  // Limits times so that sums and differences of two times do not overflow.
  if (std::max(std::abs(event.time), event.duration) > kFarthestTime)
    throw BadDump("got a time beyond 73 years, expected one of a run");
  LaneEvent made;
  made.lane = laneOf(event.process, event.thread);
  if (event.phase == 'E') {
    made.order = kept_++;
    auto& begun = lanes_[made.lane].begun;
    if (begun.empty()) return;
    made = begun.back();
    begun.pop_back();
    made.event.duration = std::max<std::int64_t>(event.time - made.event.time, 0);
    return events_.add(made);
  }
  keep(event, made);
}

void ChromeTrace::keep(const ChromeEvent& event, LaneEvent made) {
  Event& its = made.event;
  const std::string_view name = event.name;
  if (!event.communication.name.empty()) {
    its = communication(event);
    hasCommunications_ = true;
  } else if (isOfGpu(event.category)) {
    its.kind = EventKind::Compute;
    its.name = rank_.intern(name);
    its.device = rank_.intern("cuda:" + std::to_string(event.process) + " stream " +
                              std::to_string(event.thread));
  } else if (name.starts_with(kStep)) {
    its.kind = EventKind::Step;
    its.name = rank_.intern(name);
    std::from_chars(name.data() + kStep.size(), name.data() + name.size(), its.step);
  } else if (event.category == "user_annotation" && name.find(':') != std::string_view::npos &&
             collectiveOf(name.substr(name.find(':') + 1))) {
    // "gloo:all_reduce" is the backend's work; the Collective is another event.
    its.kind = EventKind::Compute;
    its.name = rank_.intern(name);
  } else {
    its.kind = EventKind::Operator;
    // `subkind` temporarily holds the collective. place() decides whether the event becomes a
    // Collective.
    if (name.starts_with(kOperators)) {
      const auto collective = collectiveOf(name.substr(kOperators.size()));
      its.subkind = static_cast<std::uint8_t>(collective.value_or(CollectiveKind::Other));
    }
    its.name = rank_.intern(operatorName(name));
    its.bytes = event.inputBytes;
  }
  its.time = event.time;
  its.duration = std::max<std::int64_t>(event.duration, 0);
  auto& begun = lanes_[made.lane].begun;
  if (event.phase == 'X') return events_.add(made);
  if (begun.size() == kDeepest)
    throw BadDump("got deeper spans, expected at most 4096 in one another");
  begun.push_back(made);
}

Event ChromeTrace::communication(const ChromeEvent& event) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  const auto& recorded = event.communication;
  const auto collective = collectiveOf(recorded.name);
  if (!collective) {
    Event other;
    other.kind = EventKind::Operator;
    other.name = rank_.intern(recorded.name);
    return other;
  }
  std::vector<int> members = groupMembers(recorded.ranks);
  constexpr std::int64_t kMostListed = 1 << 16;
  if (members.empty() && recorded.groupSize <= kMostListed)
    members = groupMembers(recorded.rankStart, recorded.rankStride, recorded.groupSize);
  if (const auto known = header_.members.find(recorded.group);
      members.empty() && known != header_.members.end()) {
    members = known->second;
  }
  const bool isCounted = recorded.inputElements > 0 && recorded.inputElements <= kMost;
  return rank_.makeCollective(
      {.kind = *collective,
       .group = groupName(recorded.group, recorded.description),
       .purpose = recorded.description,
       .members = std::move(members),
       .sequence = recorded.sequence,
       .bytes = isCounted ? recorded.inputElements * elementSize(recorded.dtype) : 0});
}

ChromeTraceCounts ChromeTrace::finish(const ByteSource& source) {
  for (auto& lane : lanes_) {
    for (auto& left : lane.begun) {
      left.event.duration = Event::kRunning;
      events_.add(left);
      ++counts_.unended;
    }
  }
  constexpr std::uint64_t kAtOnce = 1 << 16;
  std::uint64_t placed = 0;
  events_.inOrder([&](const LaneEvent& event) {
    if (++placed % kAtOnce == 0) source.reportProgress();
    place(event);
  });
  return counts_;
}

void ChromeTrace::place(LaneEvent made) {
  Event& event = made.event;
  auto& open = lanes_[made.lane].open;
  if (!hasBegun_) begin_ = event.time;
  hasBegun_ = true;
  const std::int64_t end = event.duration == Event::kRunning
                               ? std::numeric_limits<std::int64_t>::max()
                               : event.time + event.duration;
  // A span that only overlaps the event is not its parent. Coarse clocks and streams cause
  // overlaps.
  while (!open.empty() && (open.back().end <= event.time || open.back().end < end)) open.pop_back();
  if (event.kind == EventKind::Step) step_ = std::max(step_, event.step);
  event.step = step_;
  event.parent = open.empty() ? 0 : open.back().id;
  event.time -= begin_;
  const std::int64_t bytes = event.bytes;
  if (event.kind == EventKind::Operator) {
    const auto collective = std::exchange(event.subkind, std::uint8_t{0});
    if (collective != 0 && !hasCommunications_) {
      event.kind = EventKind::Collective;
      event.name = 0;
      event.subkind = collective;
      if (event.bytes == 0 && !open.empty()) event.bytes = open.back().bytes;
      if (header_.groups.size() == 1) {
        const auto& [name, group] = *header_.groups.begin();
        event.group = rank_.intern(group);
        event.ranks = rank_.intern(ranksText({header_.members.at(name)}));
      }
    } else {
      event.bytes = 0;
    }
  }
  const EventId id = rank_.add(event);
  if (open.size() < kDeepest) open.push_back({id, end, bytes});
}

}  // namespace

ChromeTraceHeader readChromeTraceHeader(ByteSource& source) {
  ChromeTraceHeader header;
  JsonReader json(source);
  if (json.kind() == JsonReader::Kind::List) return header;
  json.findMember([&](std::string_view key) {
    if (key == "traceEvents") return true;
    if (key != "distributedInfo") {
      json.skip();
      return false;
    }
    const PlainValue info = readPlain(json);
    const auto rank = info["rank"].integer();
    const bool isKnown = !info["rank"].isMissing() && rank >= 0 && rank < (1 << 24);
    if (isKnown) header.rank = static_cast<int>(rank);
    header.backend = info["backend"].text();
    for (const auto& group : info["pg_config"].list()) {
      const std::string& name = group["pg_name"].text();
      header.groups[name] = groupName(name, group["pg_desc"].text());
      std::string ranks;
      for (const auto& member : group["ranks"].list()) {
        ranks += (member.text().empty() ? std::to_string(member.integer()) : member.text()) + ",";
      }
      header.members[name] = groupMembers(ranks);
    }
    return false;
  });
  return header;
}

ChromeTraceCounts importChromeTrace(ByteSource& source, const ChromeTraceHeader& header,
                                    const std::filesystem::path& folder, ImportedRank& rank) {
  JsonReader json(source);
  ChromeTrace trace(header, folder, rank);
  readTrace(
      json, [&] { readChromeEvents(json, [&](const ChromeEvent& event) { trace.take(event); }); },
      [&](std::string_view) { json.skip(); });
  return trace.finish(source);
}

std::uint64_t countChromeEvents(ByteSource& source) {
  JsonReader json(source);
  std::uint64_t events = 0;
  readTrace(
      json, [&] { readChromeEvents(json, [&](const ChromeEvent&) { ++events; }); },
      [&](std::string_view) { json.skip(); });
  return events;
}

}  // namespace shardlens
