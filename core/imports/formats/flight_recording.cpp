#include "core/imports/formats/flight_recording.h"

#include "core/imports/collectives.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/pickle_reader.h"

#include <algorithm>
#include <optional>

namespace shardlens {

namespace {

// Callbacks of readDump(), called in the order of the file. A pickle's groups come last.
struct FlightParts {
  std::function<void(const PlainValue& entry)> entry;
  std::function<void(const PlainValue& groups)> groups;
};

void readEntry(const PlainValue& entry, const std::string& where, const FlightParts& parts) {
  if (entry["profiling_name"].text().empty()) {
    refuseDump(where, "an entry without profiling_name", "an entry of the Flight Recorder");
  }
  parts.entry(entry);
}

// Streams a JSON dump entry by entry. A pickle is loaded as a whole.
void readDump(ByteSource& source, FlightForm form, const FlightParts& parts) {
  std::int64_t number = 0;
  const auto nextEntry = [&] { return "entry " + std::to_string(number++); };
  if (form == FlightForm::Pickle) {
    const PlainValue dump = readPickle(source);
    if (dump.members().empty()) refuseDump("the pickle", "another value", "a dictionary");
    for (const auto& entry : dump["entries"].list()) readEntry(entry, nextEntry(), parts);
    return parts.groups(dump["pg_config"]);
  }
  JsonReader json(source);
  json.object([&](std::string_view key) {
    if (key == "entries") {
      json.list([&] { readEntry(readPlain(json), nextEntry(), parts); });
    } else if (key == "pg_config") {
      parts.groups(readPlain(json));
    } else {
      json.skip();
    }
  });
  json.end();
}

// Returns the groupName() of an entry, or "" without a process group.
std::string groupOf(const PlainValue& entry) {
  const auto& names = entry["process_group"].list();
  if (names.size() != 2) return {};
  return groupName(names[0].text(), names[1].text());
}

// Returns the group's description, as "mesh_tp".
std::string descriptionOf(const PlainValue& entry) {
  const auto& names = entry["process_group"].list();
  return names.size() == 2 ? names[1].text() : std::string();
}

// Returns the total size of the input tensors, or 0 if a dtype is unknown or the size overflows.
std::int64_t bytesOf(const PlainValue& entry) {
  constexpr std::size_t kMost = 1024;
  constexpr std::size_t kMostDims = 16;
  const auto& sizes = entry["input_sizes"].list();
  const auto& dtypes = entry["input_dtypes"].list();
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < std::min({sizes.size(), dtypes.size(), kMost}); ++i) {
    std::int64_t size = elementSize(dtypes[i].text());
    if (size == 0 || sizes[i].list().size() > kMostDims) return 0;
    for (const auto& one : sizes[i].list()) {
      if (__builtin_mul_overflow(size, one.integer(), &size)) return 0;
    }
    if (__builtin_add_overflow(bytes, size, &bytes)) return 0;
  }
  return std::max<std::int64_t>(bytes, 0);
}

// Returns the innermost frame outside PyTorch and Python's library; empty if there is none.
SiteRecord siteOf(const PlainValue& entry) {
  constexpr std::size_t kMost = 256;
  const auto& frames = entry["frames"].list();
  for (std::size_t i = 0; i < std::min(frames.size(), kMost); ++i) {
    const std::string& file = frames[i]["filename"].text();
    const bool isLibrary =
        file.find("/torch/") != std::string::npos || file.find("/lib/python") != std::string::npos;
    if (file.empty() || isLibrary) continue;
    return {.file = file,
            .line = static_cast<int>(frames[i]["line"].integer()),
            .caller = frames[i]["name"].text()};
  }
  return {};
}

// Returns the time from creation to discovered completion; 0 if completed at an unknown time,
// kRunning if not completed.
std::int64_t durationOf(const PlainValue& entry) {
  const std::string& state = entry["state"].text();
  const std::int64_t completed = entry["time_discovered_completed_ns"].integer();
  const std::int64_t created = entry["time_created_ns"].integer();
  if (completed > created && created > 0) return completed - created;
  return state == "completed" || entry["retired"].isTrue() ? 0 : Event::kRunning;
}

}  // namespace

void FlightGroups::add(int rank, ByteSource& source, FlightForm form) {
  ranks_.insert(rank);
  std::set<std::string> seen;
  bool hasLost = false, isFirst = true;
  const auto takeEntry = [&](const PlainValue& entry) {
    if (isFirst) hasLost = entry["record_id"].integer() > 0;
    isFirst = false;
    const std::string name = groupOf(entry);
    if (name.empty() || entry["is_p2p"].isTrue()) return;
    Group& group = groups_[name];
    group.called.insert(rank);
    group.isOfAll |= entry["process_group"].list()[1].text() == "default_pg";
    if (seen.insert(name).second && hasLost) {
      group.firstKnown = std::max(group.firstKnown, entry["collective_seq_id"].integer());
    }
  };
  const auto takeGroups = [&](const PlainValue& groups) {
    for (const auto& [key, group] : groups.members()) {
      const std::string name = groupName(group["name"].text(), group["desc"].text());
      if (name.empty()) continue;
      for (const int member : groupMembers(group["ranks"].text()))
        groups_[name].listed.insert(member);
    }
  };
  readDump(source, form, {takeEntry, takeGroups});
}

std::vector<int> FlightGroups::members(const std::string& group) const {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return {};
  const Group& its = found->second;
  const auto& all = !its.listed.empty() ? its.listed : its.isOfAll ? ranks_ : its.called;
  return {all.begin(), all.end()};
}

bool FlightGroups::isOfAll(const std::string& group) const {
  const auto found = groups_.find(group);
  return found != groups_.end() && found->second.isOfAll;
}

std::vector<std::string> FlightGroups::guessed() const {
  std::vector<std::string> names;
  for (const auto& [name, group] : groups_) {
    if (group.listed.empty()) names.push_back(name);
  }
  return names;
}

std::int64_t FlightGroups::firstKnown(const std::string& group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? 1 : found->second.firstKnown;
}

std::int64_t importFlightRecording(ByteSource& source, FlightForm form, const FlightGroups& groups,
                                   ImportedRank& rank) {
  std::int64_t leftOut = 0;
  std::optional<std::int64_t> begin;
  const auto take = [&](const PlainValue& entry) {
    const std::string group = groupOf(entry);
    const std::int64_t sequence = entry["collective_seq_id"].integer();
    // "gloo:all_reduce", "nccl:send 0->1"
    const std::string& called = entry["profiling_name"].text();
    const std::string_view name = std::string_view(called).substr(called.find(':') + 1);
    const auto collective = entry["is_p2p"].isTrue() ? std::nullopt : collectiveOf(name);
    if (collective && sequence > 0 && sequence < groups.firstKnown(group)) {
      ++leftOut;
      return;
    }
    const std::int64_t time = entry["time_created_ns"].integer();
    if (!begin && time > 0) begin = time;
    Event event;
    if (!collective) {
      event.kind = EventKind::Operator;
      event.name = rank.intern(name);
      event.bytes = bytesOf(entry);
    } else {
      event = rank.makeCollective({.kind = *collective,
                                   .group = group,
                                   .purpose = descriptionOf(entry),
                                   .members = groups.members(group),
                                   .sequence = sequence,
                                   .bytes = bytesOf(entry)});
    }
    event.time = time > 0 ? std::max<std::int64_t>(time - *begin, 0) : 0;
    event.duration = durationOf(entry);
    event.site = rank.intern(siteText(siteOf(entry)));
    rank.add(event);
  };
  readDump(source, form, {take, [](const PlainValue&) {}});
  return leftOut;
}

}  // namespace shardlens
