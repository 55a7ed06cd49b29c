#include "core/query/history/element_history.h"

#include "core/model/shard_geometry.h"
#include "core/model/step_number.h"
#include "core/query/history/memory_views.h"
#include "core/query/language/event_around.h"
#include "core/trace/journal/tensor_ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace shardlens {
namespace {

using What = ElementEvent::What;

}  // namespace

// Finds the events of a tensor's elements. Pass 1 reads all Result events to find the origin: the
// tensor that others were redistributed from. Pass 2 starts at the operator that made it and
// collects the events of the family, that is, the origin and everything redistributed from it. If
// the origin is a view, pass 2 starts at its base, to know the other views of the same memory.
class Lineage {
 public:
  Lineage(const Journal& journal, TensorId tensor)
      : journal_(journal), tensor_(tensor), made_(journal.tensors() + std::size_t{1}, 0) {}

  bool advance(EventId events) {
    for (; events != 0 && !isOriginKnown_; --events) scanForOrigin();
    for (; events != 0 && next_ <= journal_.size(); --events, ++next_) {
      const Event event = journal_.at(next_);
      views_.take(next_, event);
      if (next_ >= begin_) take(next_, event);
    }
    return !isOriginKnown_ || next_ <= journal_.size();
  }
  const std::vector<ElementEvent>& events() const { return events_; }

 private:
  // Pass 1, one event.
  void scanForOrigin() {
    if (next_ > journal_.size()) return findOrigin();
    const Event event = journal_.at(next_);
    const bool isMade = event.kind == EventKind::Result && event.subject < made_.size();
    if (isMade && made_[event.subject] == 0) made_[event.subject] = next_;
    ++next_;
  }
  // Ends pass 1: follows redistributions back and sets up pass 2.
  void findOrigin() {
    TensorId origin = tensor_;
    while (family_.insert(origin).second) {
      const TensorId source = made_[origin] == 0 ? 0 : sourceOf(made_[origin]);
      if (source == 0 || source >= made_.size() || family_.contains(source)) break;
      origin = source;
    }
    const EventId made = made_[origin];
    call_ = made == 0 ? 0 : aroundOf(journal_, made, EventKind::Operator);
    begin_ = call_ != 0 ? call_ : std::max<EventId>(made, 1);
    next_ = begin_;
    TensorId base = origin;
    for (EventId call = call_; isViewCall(journal_, call);) {
      const TensorId source = journal_.inputs(call).front();
      if (source == 0 || source >= made_.size() || made_[source] == 0 || made_[source] >= next_) {
        break;
      }
      base = source;
      next_ = made_[base];
      call = aroundOf(journal_, next_, EventKind::Operator);
    }
    views_.add(base);
    views_.add(origin);
    family_ = {origin};
    made_ = {};
    isOriginKnown_ = true;
  }

  // Returns the tensor that a Result was redistributed from, or 0.
  TensorId sourceOf(EventId result) const {
    const EventId move = moveAround(result);
    return move == 0 ? 0 : journal_.at(move).subject;
  }
  // Returns the Redistribute event around `id`, inside the same operator, or 0.
  EventId moveAround(EventId id) const {
    for (id = journal_.at(id).parent; id != 0; id = journal_.at(id).parent) {
      const EventKind kind = journal_.at(id).kind;
      if (kind == EventKind::Redistribute) return id;
      if (kind == EventKind::Operator || kind == EventKind::Step) return 0;
    }
    return 0;
  }
  bool isInCall(EventId id) const {
    return call_ != 0 && aroundOf(journal_, id, EventKind::Operator) == call_;
  }

  void add(EventId id, What what, TensorId tensor) { events_.push_back({id, what, tensor}); }

  // Pass 2, one event.
  void take(EventId id, const Event& event) {
    switch (event.kind) {
      case EventKind::Operator:
        takeCall(id);
        break;
      case EventKind::Redistribute:
        if (!family_.contains(event.subject)) break;
        moves_.insert(id);
        add(id, What::Moved, event.subject);
        break;
      case EventKind::Collective:
        if (const EventId move = moveAround(id); moves_.contains(move)) {
          add(id, isReduction(event) ? What::Reduced : What::Moved, journal_.at(move).subject);
        }
        break;
      case EventKind::MaskMaterialized:
        if (!isInCall(id)) break;
        buffers_.insert(event.subject);
        add(id, What::Masked, *family_.begin());
        break;
      case EventKind::MaskApplied:
        if (family_.contains(event.related)) add(id, What::Masked, event.related);
        break;
      case EventKind::MaskReleased:
        if (buffers_.contains(event.subject)) add(id, What::Masked, *family_.begin());
        break;
      case EventKind::Result:
        takeResult(id, event);
        break;
      case EventKind::Check:
        if (family_.contains(event.subject)) add(id, What::Compared, event.subject);
        break;
      default:
        break;
    }
  }

  void takeCall(EventId id) {
    if (id == call_) return add(id, What::Produced, *family_.begin());
    const auto inputs = journal_.inputs(id);
    const TensorId written = isInPlaceCall(journal_, id) ? inputs.front() : 0;
    if (written != 0 && family_.contains(written)) return add(id, What::Written, written);
    if (written != 0 && views_.contains(written)) {
      return add(id, What::ViewWritten, *family_.begin());
    }
    for (const TensorId input : inputs) {
      if (family_.contains(input)) return add(id, What::Read, input);
    }
  }

  void takeResult(EventId id, const Event& event) {
    const bool isMoved = moves_.contains(moveAround(id));
    if (isMoved && event.subject != 0) {
      family_.insert(event.subject);
      views_.add(event.subject);
    }
    if (!family_.contains(event.subject)) return;
    const bool isFirst = results_.insert(event.subject).second;
    const bool isWrite = !isFirst && !isDescription(journal_, id);
    add(id, isMoved ? What::Moved : isWrite ? What::Written : What::Produced, event.subject);
  }

  static bool isReduction(const Event& event) {
    const CollectiveKind kind = event.collective();
    return kind == CollectiveKind::AllReduce || kind == CollectiveKind::Reduce ||
           kind == CollectiveKind::ReduceScatter;
  }

  const Journal& journal_;
  TensorId tensor_;
  std::vector<EventId> made_;  // first Result event per tensor; pass 1 only
  bool isOriginKnown_ = false;
  EventId next_ = 1;   // next event to read
  EventId begin_ = 1;  // pass 2: the first event that may concern the origin
  MemoryViews views_{journal_};
  std::set<TensorId> results_;  // members of the family with a Result event so far
  std::set<TensorId> family_;   // tensors with the same elements
  std::set<EventId> moves_;     // redistributions of the family
  std::set<BufferId> buffers_;  // mask buffers of the origin
  EventId call_ = 0;            // operator that made the origin, or 0
  std::vector<ElementEvent> events_;
};

namespace {

std::optional<Shape> localIndex(const Block& block, const Shape& global) {
  Shape local;
  for (std::size_t dim = 0; dim < global.size(); ++dim) {
    local.push_back(localIndex(block[dim], global[dim]));
    if (local.back() < 0) return std::nullopt;
  }
  return local;
}

// Returns the row-major offset, or -1 if the index is outside the shape. The shape may have fewer
// dimensions.
std::int64_t offsetOf(const Shape& index, const Shape& shape) {
  std::int64_t offset = 0;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (dim >= index.size() || index[dim] >= shape[dim]) return -1;
    offset = offset * shape[dim] + index[dim];
  }
  return offset;
}

// Returns the formatted element, or "" if it was not captured.
std::string valueAt(const Journal& journal, TensorId tensor, int rank, const Shape& index,
                    EventId position) {
  const auto value = journal.value(tensor, rank, position);
  const auto elements = value ? journal.elements(*value) : nullptr;
  const std::int64_t offset = elements ? offsetOf(index, value->shape) : -1;
  return offset < 0 ? "" : elementText(journal.tensor(tensor).dtype, elements->data(), offset);
}

// Returns the mask tensor in the newest Result of `tensor` up to a position, or 0.
TensorId maskOf(const Journal& journal, TensorId tensor, EventId position) {
  for (EventId id = position; id != 0; --id) {
    const Event event = journal.at(id);
    if (event.kind == EventKind::Result && event.subject == tensor) return event.related;
  }
  return 0;
}

std::optional<Shape> parseIndex(std::string_view text) {
  Shape index;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    auto part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const auto* end = part.data() + part.size();
    const auto parsed = std::from_chars(part.data(), end, index.emplace_back());
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  }
  return index;
}

// Returns the newest tensor of that name, made in `step` if given, or 0.
TensorId newestOf(const Journal& journal, std::string_view name, std::optional<int> step) {
  for (EventId id = journal.size(); id != 0; --id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Result || event.subject == 0) continue;
    if (step && event.step != *step) continue;
    if (journal.tensor(event.subject).name == name) return event.subject;
  }
  return 0;
}

}  // namespace

Result<TensorElement> findElement(const Journal& journal, std::string_view text,
                                  std::optional<int> step) {
  const auto bracket = text.rfind('[');
  const bool hasIndex = bracket != std::string_view::npos && text.ends_with(']');
  const auto index =
      hasIndex ? parseIndex(text.substr(bracket + 1, text.size() - bracket - 2)) : std::nullopt;
  if (!index) return fail(fmt::format("got {}, expected an element, for example y[3, 1]", text));
  const auto name = text.substr(0, bracket);
  const TensorId tensor = newestOf(journal, name, step);
  if (tensor == 0) {
    return fail(fmt::format("got {}, expected a tensor of the recording{}", name,
                            step ? fmt::format(" that step {} made", stepNumber(*step)) : ""));
  }
  const Shape& shape = journal.tensor(tensor).shape;
  bool isInside = index->size() == shape.size();
  for (std::size_t dim = 0; isInside && dim < shape.size(); ++dim) {
    isInside = (*index)[dim] >= 0 && (*index)[dim] < shape[dim];
  }
  if (!isInside) {
    return fail(
        fmt::format("got {}{}, expected an index in {}", name, toText(*index), toText(shape)));
  }
  return TensorElement{tensor, *index};
}

std::string_view wordOf(What what) {
  switch (what) {
    case What::Produced:
      return "produced";
    case What::Masked:
      return "masked";
    case What::Reduced:
      return "reduced";
    case What::Moved:
      return "moved";
    case What::Read:
      return "read";
    case What::Written:
      return "written";
    case What::ViewWritten:
      return "view written";
    case What::Compared:
      break;
  }
  return "compared";
}

std::vector<ElementEvent> elementHistory(const Journal& journal, TensorId tensor) {
  Lineage lineage(journal, tensor);
  while (lineage.advance(journal.size() + 1)) {
  }
  return lineage.events();
}

ElementHistorySearch::ElementHistorySearch(const Journal& journal, TensorId tensor)
    : lineage_(std::make_unique<Lineage>(journal, tensor)) {}
ElementHistorySearch::~ElementHistorySearch() = default;

bool ElementHistorySearch::advance(EventId events) { return lineage_->advance(events); }

const std::vector<ElementEvent>& ElementHistorySearch::found() const { return lineage_->events(); }

EventId checkOf(const Journal& journal, TensorId tensor, EventId values) {
  constexpr EventId kFar = 4096;
  if (values == 0) return 0;
  const auto step = journal.at(values).step;
  const EventId end = std::min(journal.size(), values + kFar);
  for (EventId id = values; id <= end; ++id) {
    const Event event = journal.at(id);
    if (event.step != step) break;
    if (event.kind == EventKind::Check && event.subject == tensor) return id;
  }
  return 0;
}

std::vector<ElementPlace> elementPlaces(const Journal& journal, const TensorElement& element,
                                        EventId position) {
  std::vector<ElementPlace> places;
  const TensorRecord tensor = journal.tensor(element.tensor);
  const TensorRanks ranks(journal, element.tensor);
  // In a damaged recording, the number of dimensions may differ.
  if (!ranks.mesh() || tensor.shape.size() != element.index.size()) return places;
  const TensorId mask = maskOf(journal, element.tensor, position);
  for (const int rank : ranks.all()) {
    if (ranks.of(rank) == RankLocation::NotInMesh) continue;
    const Block block = ownedRuns(tensor.shape, *ranks.mesh(), tensor.placements, rank);
    auto index = localIndex(block, element.index);
    if (!index) continue;
    const auto value = valueAt(journal, element.tensor, rank, *index, position);
    const bool isMasked = mask != 0 && valueAt(journal, mask, rank, *index, position) == "true";
    places.push_back({rank, std::move(*index), value, isMasked});
  }
  return places;
}

}  // namespace shardlens
