#pragma once

#include "core/trace/journal/bookmarks.h"
#include "core/trace/journal/event_pages.h"
#include "core/trace/journal/event_sink.h"
#include "core/trace/journal/shard_values.h"

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

// What one of several processes had of an event: when it began and how long it took, in nanoseconds
// by its own clock; and its bytes, 0 where it has other ranks too. See Event.
struct EventPart {
  std::int64_t time = 0;
  std::int64_t duration = 0;
  std::int64_t bytes = 0;
  bool operator==(const EventPart&) const = default;
};

// What the events of a block have, so that a search need not look at each.
struct BlockSummary {
  std::int32_t leastStep = std::numeric_limits<std::int32_t>::min();
  std::int32_t greatestStep = std::numeric_limits<std::int32_t>::max();
  std::uint32_t kinds = ~std::uint32_t{0};  // a bit for each kind that some of them are of
};

// A recording in memory: all events in order, with the strings, tensors and values they name.
// A run that still goes on is one that grows.
class Journal final : public EventSink {
 public:
  Journal() = default;
  explicit Journal(Wants wants) : wants_(wants) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal(Journal&&) = default;
  Journal& operator=(Journal&&) = default;

  EventId size() const { return events_.size(); }
  Event at(EventId id) const { return events_.at(id); }
  // Of the block that begins with this event; null where it did not come whole.
  const BlockSummary* summaryOf(EventId first) const {
    const std::size_t number = (first - 1) / kBlockEvents;
    return number < summaries_.size() ? &summaries_[number] : nullptr;
  }
  // The tensors it names beside those of its fields, in order; 0 is one that is not known.
  std::vector<TensorId> inputs(EventId id) const { return events_.inputs(id); }
  EventId firstError() const { return firstError_; }  // 0 where there is none
  // The first result that differs from the plain one; 0 where none does, or nobody compared.
  EventId firstDifference() const { return firstDifference_; }
  std::string_view text(StringId id) const { return strings_[id]; }  // good for the journal's life
  StringId strings() const { return static_cast<StringId>(strings_.size() - 1); }
  std::string_view name(const Event& event) const { return text(event.name); }
  std::string_view detail(const Event& event) const { return text(event.detail); }

  // Keys: "scenario" (its text), "path", "mesh" ("2x2:dp,tp"), "masking", "emulate", "planner",
  // "backend", "hosted".
  const std::map<std::string, std::string, std::less<>>& meta() const { return meta_; }
  std::string_view meta(std::string_view key) const;

  TensorRecord tensor(TensorId id) const {
    const Tensor& tensor = tensors_[id - 1];
    const SpecRecord& spec = specs_[tensor.spec - 1];
    return {id, strings_[tensor.name], spec.dtype, spec.shape, spec.placements, spec.mesh};
  }
  TensorId tensors() const { return static_cast<TensorId>(tensors_.size()); }
  StringId nameOf(TensorId id) const { return tensors_[id - 1].name; }
  SpecId specOf(TensorId id) const { return tensors_[id - 1].spec; }
  const SpecRecord& spec(SpecId id) const { return specs_[id - 1]; }
  SpecId specs() const { return static_cast<SpecId>(specs_.size()); }
  const ShardValues& values() const { return elsewhere_ ? *elsewhere_ : captured_; }
  std::optional<ValueRecord> value(TensorId tensor, int rank, EventId position) const {
    return values().newest(tensor, rank, position);
  }
  std::vector<int> ranksOf(TensorId tensor) const { return values().ranksOf(tensor); }
  Content elements(const ValueRecord& value) const { return values().elements(value); }

  // Some may be of events that are yet to be read.
  const Bookmarks& bookmarks() const { return bookmarks_; }
  void setBookmarks(Bookmarks bookmarks) { bookmarks_ = std::move(bookmarks); }

  // What the process of this rank had of the event; none where it had no part. An event that
  // several processes have begins with the first of them and takes as long as the slowest.
  std::optional<EventPart> part(EventId id, int rank) const;
  bool isMerged() const { return partOf_ != nullptr; }  // of several processes

  Wants wants() const override { return wants_; }
  void onMeta(std::string_view key, std::string_view value) override;
  void onString(StringId id, std::string_view text) override;
  void onSpec(SpecId id, const SpecRecord& spec) override;
  void onTensor(TensorId id, StringId name, SpecId spec) override;
  using EventSink::onEvent;
  void onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) override;
  void onValue(const ValueRecord& value) override { captured_.add(value); }
  // Its values are not taken into memory, but looked up there.
  void keepValuesIn(std::unique_ptr<const ShardValues> elsewhere) {
    elsewhere_ = std::move(elsewhere);
  }
  void onEnd(EventId id, std::int64_t duration) override;
  void onBookmark(EventId id, std::string_view note) override {
    bookmarks_.insert_or_assign(id, std::string(note));
  }
  // A whole block of events that cannot change any more, and the same packed.
  void onBlock(const EventBlock& block, std::vector<std::byte> packed);
  // It is merged from those of several processes; this says what that of a rank had of an event.
  using PartOf = std::function<std::optional<EventPart>(EventId id, int rank)>;
  void askProcesses(PartOf part) { partOf_ = std::move(part); }

 private:
  void look(EventId id, const Event& event);

  struct Tensor {
    StringId name;
    SpecId spec;
  };

  Wants wants_;
  EventPages events_;
  std::vector<BlockSummary> summaries_;  // of the blocks that came whole; of others between, any
  EventId firstError_ = 0;
  EventId firstDifference_ = 0;
  std::deque<std::string> strings_{std::string()};
  std::deque<SpecRecord> specs_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string, std::less<>> meta_;
  Bookmarks bookmarks_;
  MemoryValues captured_;
  std::unique_ptr<const ShardValues> elsewhere_;
  PartOf partOf_;
};

}  // namespace shardlens
