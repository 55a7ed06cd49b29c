#pragma once

#include "core/model/modes.h"
#include "core/trace/events/event_pages.h"
#include "core/trace/events/event_sink.h"
#include "core/trace/events/event_totals.h"
#include "core/trace/journal/bookmarks.h"
#include "core/trace/journal/shard_values.h"
#include "core/trace/journal/tensor_list.h"

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// The part of a merged event that one process recorded. `time` is its start on the common clock of
// the run, in nanoseconds. See Event for the other fields.
struct EventPart {
  // An error beyond any interval: the clock cannot be compared with another one.
  static constexpr std::int64_t kUnknown = std::int64_t{1} << 60;

  std::int64_t time = 0;
  std::int64_t duration = 0;
  std::int64_t bytes = 0;  // 0 if its process hosts several ranks
  std::int64_t exposed = 0;
  int clock = 0;           // times of parts with the same clock are exact
  std::int64_t error = 0;  // `time` differs from the common clock's by at most this
  bool operator==(const EventPart&) const = default;
};

// Returns the most by which the difference of the times of two parts is wrong: at least
// EventPart::kUnknown if their clocks cannot be compared.
inline std::int64_t errorBetween(const EventPart& a, const EventPart& b) {
  return a.clock == b.clock ? 0 : a.error + b.error;
}

// Bounds on the steps and kinds of a block's events, so that a search can skip blocks. The default
// matches every event.
struct BlockSummary {
  std::int32_t leastStep = std::numeric_limits<std::int32_t>::min();
  std::int32_t greatestStep = std::numeric_limits<std::int32_t>::max();
  std::uint32_t kinds = ~std::uint32_t{0};  // bit k is set if an event of kind k may occur
};

// A recording in memory: all events in order, with the strings, specs, routes, tensors,
// values and bookmarks that belong to it. The journal of a running program grows; earlier events
// change only in their duration. Not thread safe: const functions use caches.
class Journal final : public EventSink {
 public:
  Journal() = default;
  explicit Journal(SinkRequests requests) : requests_(requests) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal(Journal&&) = default;
  Journal& operator=(Journal&&) = default;

  // The number of events, which is also the highest event id.
  EventId size() const { return events_.size(); }
  // Throws CheckFailed unless 1 <= id <= size(). So does inputs().
  Event at(EventId id) const { return events_.at(id); }
  // Returns the summary of the block whose first event is `first`. Null, or the default summary, if
  // the block was not appended by onBlock().
  const BlockSummary* summaryOf(EventId first) const {
    const std::size_t number = (first - 1) / kBlockEvents;
    return number < summaries_.size() ? &summaries_[number] : nullptr;
  }
  // Returns the tensors that the event refers to besides those in its fields, in order; 0 is an
  // unknown tensor.
  std::vector<TensorId> inputs(EventId id) const { return events_.inputs(id); }
  EventPages::Run runFrom(EventId id) const { return events_.runFrom(id); }  // see EventPages
  // Returns the totals of all events, which are kept as events are added.
  const EventTotals& totals() const { return totals_; }
  // Bounds the cache of decompressed blocks; see EventPages.
  void cacheBlocks(std::size_t most) const { events_.cacheBlocks(most); }
  EventId firstError() const { return firstError_; }  // 0 if there is none
  // The first event with the verdict Differs; 0 if there is none or nothing was checked.
  EventId firstDifference() const { return firstDifference_; }
  // Returns an interned text, "" for id 0. The view is valid while the journal lives. Lookups by
  // string, tensor, spec or route id do not check that the id exists.
  std::string_view text(StringId id) const { return strings_[id]; }
  // The highest string id.
  StringId strings() const { return static_cast<StringId>(strings_.size() - 1); }
  // Returns the name of an event, as queries and SQL show it: its text, or that of its route,
  // collective or cache. The view is valid while the journal lives.
  std::string_view name(const Event& event) const;
  // Returns a key of that name: events with equal keys have equal names.
  static std::uint64_t nameKey(const Event& event);
  std::string_view detail(const Event& event) const { return text(event.detail); }

  // The metadata of the run; FORMAT.md lists the keys. Among them: "scenario" (its text), "path",
  // "mesh" ("2x2:dp,tp"), "masking", "emulate", "planner", "backend", "hosted".
  const std::map<std::string, std::string, std::less<>>& meta() const { return meta_; }
  std::string_view meta(std::string_view key) const;  // "" if the key is missing
  // The transport of the run, by its metadata "backend".
  Transport transport() const { return transport_; }

  // `id` must be from 1 to tensors().
  TensorRecord tensor(TensorId id) const {
    const TensorList::Tensor tensor = tensors_.at(id);
    const Spec& spec = specs_[tensor.spec - 1];
    return {id,       strings_[tensor.name], spec.meta.dtype, spec.meta.shape, spec.placements,
            spec.mesh};
  }
  TensorId tensors() const { return static_cast<TensorId>(tensors_.size()); }
  StringId nameOf(TensorId id) const { return tensors_.at(id).name; }
  SpecId specOf(TensorId id) const { return tensors_.at(id).spec; }
  const Spec& spec(SpecId id) const { return specs_[id - 1]; }
  SpecId specs() const { return static_cast<SpecId>(specs_.size()); }
  // Returns an interned route, without placements for id 0.
  const Route& route(RouteId id) const { return routes_[id].placements; }
  std::string_view routeText(RouteId id) const { return routes_[id].text; }  // see routeText()
  RouteId routes() const { return static_cast<RouteId>(routes_.size() - 1); }
  // The captured values; see ShardValues for the next three functions.
  const ShardValues& values() const { return elsewhere_ ? *elsewhere_ : captured_; }
  std::optional<ValueRecord> value(TensorId tensor, int rank, EventId position) const {
    return values().newest(tensor, rank, position);
  }
  std::vector<int> ranksOf(TensorId tensor) const { return values().ranksOf(tensor); }
  Content elements(const ValueRecord& value) const { return values().elements(value); }

  // A bookmark may belong to an event that is not loaded yet.
  const Bookmarks& bookmarks() const { return bookmarks_; }
  void setBookmarks(Bookmarks bookmarks) { bookmarks_ = std::move(bookmarks); }

  // Returns the part of the event that the process of this rank recorded. nullopt if that process
  // did not record it. An unmerged journal returns the event's own times and bytes for any rank. A
  // merged event starts with its earliest part and lasts as long as its longest. An unmerged
  // journal throws CheckFailed for an unknown event.
  std::optional<EventPart> part(EventId id, int rank) const;
  // Returns the number that identifies an event to people: its id. If the journal has some steps of
  // a recording, its id in the whole recording; of several recordings, "RANK:ID" of the first
  // process that recorded it. "0" for 0. Throws CheckFailed for an unknown event of some steps.
  std::string numberOf(EventId id) const;
  // True if the journal has some steps of a recording or run only.
  bool isPart() const { return numberOf_ != nullptr; }
  // True if the journal was merged from the recordings of several processes.
  bool isMerged() const { return partOf_ != nullptr; }

  // EventSink. Throws CheckFailed if ids do not come in order.
  SinkRequests requests() const override { return requests_; }
  void onMeta(std::string_view key, std::string_view value) override;
  void onString(StringId id, std::string_view text) override;
  void onSpec(SpecId id, const Spec& spec) override;
  void onRoute(RouteId id, const Route& route) override;
  void onTensor(TensorId id, StringId name, SpecId spec) override;
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord& value) override { captured_.add(value); }
  // Takes ownership of an external store; from now on values() returns it. Values passed to
  // onValue() are then not visible.
  void keepValuesIn(std::unique_ptr<const ShardValues> elsewhere) {
    elsewhere_ = std::move(elsewhere);
  }
  void onExposed(EventId id, std::int64_t exposed) override { events_.setExposed(id, exposed); }
  void onEnd(EventId id, std::int64_t duration) override;
  void onBookmark(EventId id, std::string_view note) override {
    bookmarks_.insert_or_assign(id, std::string(note));
  }
  // Appends a full block of ended events, together with the result of packEvents() for it. size()
  // must be a multiple of kBlockEvents.
  void onBlock(const EventBlock& block, std::vector<std::byte> packed);
  // Compresses the last events as well. No event can be added or changed any more.
  void seal() { events_.seal(); }
  // Marks the journal as merged; `part` answers part().
  using PartOf = std::function<std::optional<EventPart>(EventId id, int rank)>;
  void setPartLookup(PartOf part) { partOf_ = std::move(part); }
  // Marks the journal as having some steps only; `number` answers numberOf().
  using NumberOf = std::function<std::string(EventId id)>;
  void setNumbers(NumberOf number) { numberOf_ = std::move(number); }

 private:
  // Updates firstError_, firstDifference_ and the totals.
  void look(EventId id, const Event& event);

  struct NamedRoute {
    Route placements;
    std::string text;
  };

  SinkRequests requests_;
  EventPages events_;
  // By block; default for a block that was not appended by onBlock().
  std::vector<BlockSummary> summaries_;
  EventTotals totals_;
  ImplicitMoves implicit_;
  EventId firstError_ = 0;
  EventId firstDifference_ = 0;
  std::deque<std::string> strings_{std::string()};
  std::deque<Spec> specs_;
  std::deque<NamedRoute> routes_{NamedRoute()};
  TensorList tensors_;
  std::map<std::string, std::string, std::less<>> meta_;
  Transport transport_ = Transport::Other;
  Bookmarks bookmarks_;
  MemoryValues captured_;
  std::unique_ptr<const ShardValues> elsewhere_;
  PartOf partOf_;
  NumberOf numberOf_;
};

}  // namespace shardlens
