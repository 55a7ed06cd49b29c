#include "core/trace/file/upgrade.h"

#include "core/trace/records/holder_record.h"
#include "core/trace/records/lookup_record_format1.h"
#include "core/trace/records/mask_record_format1.h"
#include "core/trace/records/operator_record_format1.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

// The layout of an event in a block of format 1, without gaps between events.
struct EventFormat1 {
  std::int64_t time, duration, bytes;
  std::uint32_t parent, name, detail, ranks, subject, related;
  std::int32_t line, step, count;
  EventKind kind;
  Verdict verdict;
  std::int8_t meshDim;
  std::uint8_t reserved;
};
static_assert(sizeof(EventFormat1) == 64);

class Upgrade {
 public:
  explicit Upgrade(const Journal& old) : old_(old) {
    for (const auto& [key, value] : old.meta()) now_.onMeta(key, value);
    for (StringId id = 1; id <= old.strings(); ++id) now_.onString(id, old.text(id));
    for (SpecId id = 1; id <= old.specs(); ++id) now_.onSpec(id, old.spec(id));
    for (TensorId id = 1; id <= old.tensors(); ++id) {
      now_.onTensor(id, old.nameOf(id), old.specOf(id));
    }
  }

  Journal operator()() && {
    for (EventId id = 1; id <= old_.size(); ++id) {
      Event event = old_.at(id);
      event.parent = became_[event.parent];
      if (event.kind == EventKind::CacheLookup) {
        lookup(event);
      } else if (event.kind == EventKind::Operator) {
        call(event);
      } else if (isOfMask(event.kind)) {
        mask(event);
      } else if (event.kind == EventKind::Result) {
        result(event);
      } else {
        append(event);
      }
    }
    for (std::size_t number = 0; number < old_.values().size(); ++number) {
      ValueRecord value = old_.values().at(number).value();
      value.event = became_[value.event];
      now_.onValue(value);
    }
    return std::move(now_);
  }

 private:
  using Entries = std::unordered_map<std::string, EventId>;  // by key: the miss that created it

  void append(const Event& event, std::span<const TensorId> inputs = {}) {
    now_.onEvent(now_.size() + 1, event, inputs);
    became_.push_back(now_.size());
  }

  // Operators list their tensors by name; each is the newest tensor of that name.
  void call(Event event) {
    std::vector<TensorId> inputs;
    for (const auto& name : readOperatorFormat1(old_.detail(event))) {
      const auto found = newest_.find(name);
      inputs.push_back(found == newest_.end() ? 0 : found->second);
    }
    event.detail = 0;
    event.inputs = static_cast<std::uint32_t>(inputs.size());
    append(event, inputs);
  }

  void lookup(Event event) {
    const auto lookup = readLookupFormat1(old_.detail(event));
    Entries& entries = tables_[std::string(old_.name(event))];
    const bool hit = event.verdict == Verdict::Hit;
    const bool made = event.verdict == Verdict::Miss && lookup.kept;
    event.detail = intern(lookupDetail(hit ? LookupRecord{.verified = lookup.record.verified}
                                           : LookupRecord{.fields = lookup.record.fields}));
    event.bytes = std::max<std::int64_t>(lookup.entries, 0);
    event.subject = madeAt(entries, hit ? lookup.key : lookup.nearest);
    event.related =
        hit ? static_cast<std::uint32_t>(std::min<std::uint64_t>(lookup.age, kMost)) : 0;
    if (!hit) event.count = made ? 1 : 0;
    append(event);
    if (!made) return;
    const EventId miss = now_.size();
    evict(entries, lookup.evicts, event);
    // The entry was created again: before 1.4 evictions are not recorded.
    evict(entries, lookup.key, event);
    entries[lookup.key] = miss;
  }

  // Each mask event lists all holders by name. A new name begins a hold; a missing name ends one.
  void mask(Event event) {
    const auto names = readHoldersFormat1(old_.detail(event));
    event.detail = 0;
    if (event.kind == EventKind::MaskApplied) return append(event);
    Buffer& buffer = buffers_[event.subject];
    buffer.isHeld = event.count != 0;
    const auto isKnown = [&names](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    auto& holds = buffer.holds;
    if (event.kind == EventKind::MaskReleased) {
      const auto gone = std::find_if(holds.begin(), holds.end(), [&](const Hold& hold) {
        return !std::all_of(hold.names.begin(), hold.names.end(), isKnown);
      });
      event.related = gone == holds.end() ? 0 : gone->event;
      if (gone != holds.end()) holds.erase(gone);
      if (!buffer.isHeld) holds.clear();
      return append(event);
    }
    const auto come = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return std::none_of(holds.begin(), holds.end(),
                          [&](const Hold& hold) { return hold.has(name); });
    });
    const std::string name = come == names.end() ? std::string() : *come;
    if (!name.empty()) event.detail = intern(holderDetail(name));
    append(event);
    holds.push_back({now_.size(), {name}});
    newestOf_[event.related] = event.subject;
  }

  // A tensor with the mask of a held buffer joins a hold: the one with its name, else the newest.
  void result(Event event) {
    const std::string name = old_.tensor(event.subject).name;
    newest_[name] = event.subject;
    const auto found = event.related == 0 ? newestOf_.end() : newestOf_.find(event.related);
    auto* buffer = found == newestOf_.end() ? nullptr : &buffers_[found->second];
    if (buffer != nullptr && buffer->isHeld && !buffer->holds.empty()) {
      auto& holds = buffer->holds;
      auto hold = std::find_if(holds.begin(), holds.end(),
                               [&name](const Hold& each) { return each.has(name); });
      if (hold == holds.end()) {
        hold = std::prev(hold);
        hold->names.push_back(name);
      }
      event.count = static_cast<std::int32_t>(hold->event);
    }
    append(event);
  }

  static EventId madeAt(const Entries& entries, const std::string& key) {
    const auto found = entries.find(key);
    return found == entries.end() ? 0 : found->second;
  }

  void evict(Entries& entries, const std::string& key, const Event& miss) {
    const auto found = entries.find(key);
    if (found == entries.end()) return;
    Event event;
    event.kind = EventKind::CacheEvicted;
    event.time = miss.time;
    event.parent = miss.parent;
    event.name = miss.name;
    event.ranks = miss.ranks;
    event.line = miss.line;
    event.step = miss.step;
    event.subject = found->second;
    now_.onEvent(now_.size() + 1, event);
    entries.erase(found);
  }

  StringId intern(const std::string& text) {
    if (text.empty()) return 0;
    const auto [place, isNew] = strings_.try_emplace(text, now_.strings() + 1);
    if (isNew) now_.onString(place->second, text);
    return place->second;
  }

  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

  struct Hold {
    EventId event;
    std::vector<std::string> names;

    bool has(const std::string& name) const {
      return std::find(names.begin(), names.end(), name) != names.end();
    }
  };
  struct Buffer {
    bool isHeld = false;
    std::vector<Hold> holds = {};
  };

  const Journal& old_;
  Journal now_;
  std::unordered_map<BufferId, Buffer> buffers_;
  // By mask tensor: the buffer that was materialized with it last.
  std::unordered_map<TensorId, BufferId> newestOf_;
  std::vector<EventId> became_{0};  // the new ids, by old id
  std::unordered_map<std::string, Entries> tables_;
  std::unordered_map<std::string, TensorId> newest_;   // by name: the newest tensor
  std::unordered_map<std::string, StringId> strings_;  // texts added by the upgrade
};

}  // namespace

bool unpackFormat1(std::span<const std::byte> records, EventId first, EventBlock& into) {
  if (records.size() != into.events.size() * sizeof(EventFormat1)) return false;
  into.first = first;
  into.inputs.clear();
  for (Event& event : into.events) {
    EventFormat1 old;
    std::memcpy(&old, records.data(), sizeof(old));
    records = records.subspan(sizeof(old));
    event = {.time = old.time,
             .duration = old.duration,
             .bytes = old.bytes,
             .parent = old.parent,
             .name = old.name,
             .detail = old.detail,
             .ranks = old.ranks,
             .subject = old.subject,
             .related = old.related,
             .line = old.line,
             .step = old.step,
             .count = old.count,
             .kind = old.kind,
             .verdict = old.verdict,
             .meshDim = old.meshDim};
  }
  return true;
}

Journal upgradedFromFormat1(const Journal& old) { return Upgrade(old)(); }

}  // namespace shardlens
