#include "core/trace/journal/journal_copy.h"

#include "core/trace/events/element_hash.h"
#include "core/trace/events/event_references.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardlens {
namespace {

// The set of events to copy, found by walking backwards from the chosen steps.
class Chosen {
 public:
  Chosen(const Journal& journal, const std::vector<RankRange>& steps)
      : journal_(journal),
        events_(journal.size() + std::size_t{1}, steps.empty()),
        needed_(journal.tensors() + std::size_t{1}, false) {
    if (steps.empty()) return;
    for (EventId id = journal.size(); id != 0; --id) {
      const Event event = journal.at(id);
      if (contains(steps, event.step)) {
        take(id, event);
      } else if (event.kind == EventKind::Result && isIn(needed_, event.subject)) {
        keep(id);
        needAll(event);
      } else if (isIn(events_, id)) {
        keep(id);
      }
    }
  }

  bool has(EventId id) const { return isIn(events_, id); }

 private:
  static bool isIn(const std::vector<bool>& set, std::uint32_t id) {
    return id < set.size() && set[id];
  }
  static void add(std::vector<bool>& set, std::uint32_t id) {
    if (id < set.size()) set[id] = true;
  }

  void take(EventId id, const Event& event) {
    keep(id);
    needAll(event);
    for (const TensorId input : journal_.inputs(id)) add(needed_, input);
  }

  // Adds the event and its enclosing spans. A cache lookup that created an entry also needs the
  // Candidates or Plan event that follows it.
  void keep(EventId id) {
    for (EventId at = id; at != 0; at = journal_.at(at).parent) add(events_, at);
    if (journal_.at(id).kind != EventKind::CacheLookup || id == journal_.size()) return;
    const EventKind next = journal_.at(id + 1).kind;
    if (next == EventKind::Candidates || next == EventKind::Plan) add(events_, id + 1);
  }

  // Adds the references of an event. A Result satisfies the request for its own tensor, so earlier
  // results of that tensor are not needed.
  void needAll(const Event& event) {
    if (event.kind != EventKind::Result) {
      need(subjectOf(event.kind), event.subject);
    } else if (event.subject < needed_.size()) {
      needed_[event.subject] = false;
    }
    need(relatedOf(event.kind), event.related);
    need(countOf(event.kind), static_cast<std::uint32_t>(event.count));
  }
  void need(Reference reference, std::uint32_t id) {
    if (reference == Reference::Tensor) add(needed_, id);
    if (reference == Reference::Event) add(events_, id);
  }

  const Journal& journal_;
  std::vector<bool> events_;
  std::vector<bool> needed_;  // tensors whose newest earlier Result is still needed
};

class Copy {
 public:
  Copy(const Journal& journal, const CopiedPart& part, EventSink& sink)
      : journal_(journal),
        values_(part.values),
        copiesValues_(part.values.keepsAny() && journal.values().size() != 0),
        sink_(sink),
        strings_(journal.strings() + std::size_t{1}),
        specs_(journal.specs() + std::size_t{1}),
        routes_(journal.routes() + std::size_t{1}),
        named_(journal.tensors() + std::size_t{1}, false),
        tensors_(journal.tensors() + std::size_t{1}),
        events_(journal.size() + std::size_t{1}) {}

  void run(const Chosen& chosen) {
    for (const auto& [key, value] : journal_.meta()) sink_.onMeta(key, value);
    for (EventId id = 1; id <= journal_.size(); ++id) {
      if (chosen.has(id)) noteTensors(id);
    }
    for (EventId id = 1; id <= journal_.size(); ++id) {
      if (chosen.has(id)) copy(id);
    }
    for (const auto& [id, note] : journal_.bookmarks()) {
      if (id < events_.size() && events_[id] != 0) sink_.onBookmark(events_[id], note);
    }
  }

 private:
  void noteTensors(EventId id) {
    const Event event = journal_.at(id);
    const auto note = [this](TensorId tensor) {
      if (tensor < named_.size()) named_[tensor] = true;
    };
    if (subjectOf(event.kind) == Reference::Tensor) note(event.subject);
    if (relatedOf(event.kind) == Reference::Tensor) note(event.related);
    for (const TensorId input : journal_.inputs(id)) note(input);
  }

  void copy(EventId id) {
    const Event event = journal_.at(id);
    Event copied = event;
    copied.parent = events_[event.parent];
    for (auto* text : {&copied.name, &copied.detail, &copied.ranks, &copied.site, &copied.device,
                       &copied.group}) {
      *text = stringOf(*text);
    }
    copied.route = routeOf(copied.route);
    copied.subject = idOf(subjectOf(event.kind), event.subject);
    copied.related = idOf(relatedOf(event.kind), event.related);
    copied.count = static_cast<std::int32_t>(
        idOf(countOf(event.kind), static_cast<std::uint32_t>(event.count)));
    auto inputs = journal_.inputs(id);
    for (TensorId& input : inputs) input = tensorOf(input);
    sink_.onEvent(events_[id] = ++last_, copied, inputs);
    if (!copiesValues_) return;
    if (subjectOf(event.kind) == Reference::Tensor) copyValues(event.subject, id, event.step);
    if (relatedOf(event.kind) == Reference::Tensor) copyValues(event.related, id, event.step);
  }

  std::uint32_t idOf(Reference reference, std::uint32_t id) {
    if (reference == Reference::Tensor) return tensorOf(id);
    if (reference == Reference::Event) return id < events_.size() ? events_[id] : 0;
    return id;
  }

  StringId stringOf(StringId id) {
    if (id == 0 || strings_[id] != 0) return strings_[id];
    sink_.onString(strings_[id] = ++lastString_, journal_.text(id));
    return strings_[id];
  }

  RouteId routeOf(RouteId id) {
    if (id == 0 || routes_[id] != 0) return routes_[id];
    sink_.onRoute(routes_[id] = ++lastRoute_, journal_.route(id));
    return routes_[id];
  }

  // Returns the new id of a tensor. Emits tensors in the order of their old ids.
  TensorId tensorOf(TensorId id) {
    if (id >= tensors_.size()) return 0;
    for (; emittedTensors_ < id; ++emittedTensors_) {
      if (named_[emittedTensors_ + 1]) emit(emittedTensors_ + 1);
    }
    return tensors_[id];
  }
  void emit(TensorId id) {
    const SpecId spec = journal_.specOf(id);
    if (specs_[spec] == 0) sink_.onSpec(specs_[spec] = ++lastSpec_, journal_.spec(spec));
    const StringId name = stringOf(journal_.nameOf(id));
    sink_.onTensor(tensors_[id] = ++lastTensor_, name, specs_[spec]);
  }

  // Emits the values that the event created, for each rank with a newer value than the last copied.
  void copyValues(TensorId tensor, EventId id, int step) {
    if (tensor == 0 || tensor >= tensors_.size()) return;
    for (const int rank : journal_.ranksOf(tensor)) {
      const auto level = values_.levelOf(step, rank, journal_.tensor(tensor).name);
      if (level == CaptureLevel::None) continue;
      auto value = journal_.value(tensor, rank, id);
      if (!value || value->event == 0) continue;
      auto& copied = copied_[{tensor, rank}];
      if (std::exchange(copied, value->event) == value->event) continue;
      limit(*value, level);
      value->tensor = tensors_[tensor];
      value->event = events_[id];
      sink_.onValue(*value);
    }
  }

  // Reduces a value to what is recorded of it at `level`.
  void limit(ValueRecord& value, CaptureLevel level) const {
    const auto elements = level >= CaptureLevel::Hashes ? journal_.elements(value) : nullptr;
    value.data = nullptr;
    if (elements != nullptr && level == CaptureLevel::Hashes) value.hash = elementHash(*elements);
    const bool hasHash = elements != nullptr || value.level == CaptureLevel::Hashes;
    value.level = std::min(level, hasHash ? CaptureLevel::Hashes : CaptureLevel::Statistics);
    if (elements == nullptr || level != CaptureLevel::All) return;
    value.level = CaptureLevel::All;
    value.data = elements;
  }

  const Journal& journal_;
  const Capture& values_;
  bool copiesValues_;
  EventSink& sink_;
  std::vector<StringId> strings_;  // the new ids, by old id; 0: not emitted yet
  std::vector<SpecId> specs_;
  std::vector<RouteId> routes_;
  std::vector<bool> named_;  // tensors that copied events refer to
  std::vector<TensorId> tensors_;
  std::vector<EventId> events_;
  StringId lastString_ = 0;
  SpecId lastSpec_ = 0;
  RouteId lastRoute_ = 0;
  TensorId lastTensor_ = 0;
  TensorId emittedTensors_ = 0;  // named tensors up to this old id are emitted
  EventId last_ = 0;
  // By tensor and rank: the event of the newest copied value.
  std::map<std::pair<TensorId, int>, EventId> copied_;
};

}  // namespace

void copyJournal(const Journal& journal, const CopiedPart& part, EventSink& sink) {
  Copy(journal, part, sink).run(Chosen(journal, part.steps));
}

}  // namespace shardlens
