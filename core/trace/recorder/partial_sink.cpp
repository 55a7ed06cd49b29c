#include "core/trace/recorder/partial_sink.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

void PartialSink::forwardTo(EventSink* to) {
  to_ = to;
  for (auto& text : texts_) text.id = 0;
  for (auto& spec : specs_) spec.id = 0;
  for (auto& route : routes_) route.id = 0;
  for (auto* tensors : {&first_, &recent_}) {
    for (Tensor& tensor : *tensors) {
      tensor.id = 0;
      tensor.isMade = tensor.result.subject != 0;
    }
  }
  lastText_ = lastSpec_ = lastRoute_ = lastTensor_ = 0;
  lastEvent_ = 0;
  runs_.clear();
  if (to_ == nullptr) return;
  for (const auto& [key, value] : meta_) to_->onMeta(key, value);
}

void PartialSink::onMeta(std::string_view key, std::string_view value) {
  meta_.insert_or_assign(std::string(key), std::string(value));
  if (to_ != nullptr) to_->onMeta(key, value);
}

void PartialSink::onString(StringId /*id*/, std::string_view text) {
  texts_.push_back({std::string(text)});
}
void PartialSink::onSpec(SpecId /*id*/, const Spec& spec) { specs_.push_back({spec}); }
void PartialSink::onRoute(RouteId /*id*/, const Route& route) { routes_.push_back({route}); }

void PartialSink::onTensor(TensorId id, StringId name, SpecId spec) {
  const Tensor tensor{.own = id, .name = name, .spec = spec};
  if (id <= kMostFirst) {
    first_.push_back(tensor);
    return;
  }
  const std::size_t place = id % kMostRecent;
  if (place >= recent_.size()) recent_.resize(place + 1);
  recent_[place] = tensor;
}

void PartialSink::onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) {
  const bool isForwarded = has(event.step) || (to_ != nullptr && event.kind == EventKind::Error);
  if (event.kind == EventKind::Result) {
    if (Tensor* tensor = find(event.subject)) {
      tensor->result = event;
      tensor->isMade = !isForwarded;
    }
  }
  if (!isForwarded) return;
  std::vector<TensorId> own(inputs.begin(), inputs.end());
  for (TensorId& input : own) input = tensorOf(input, event);
  Event copy = event;
  copy.subject = referenceOf(event.subject, subjectOf(event.kind), event);
  copy.related = referenceOf(event.related, relatedOf(event.kind), event);
  if (countOf(event.kind) == Reference::Event) {
    copy.count = static_cast<std::int32_t>(eventOf(static_cast<EventId>(event.count)));
  }
  forward(copy, own);
  const bool continues = !runs_.empty() && runs_.back().end == id &&
                         lastEvent_ - runs_.back().id == id - runs_.back().own;
  if (!continues) runs_.push_back({id, id, lastEvent_});
  runs_.back().end = id + 1;
}

// The references of `event` are forwarded already.
void PartialSink::forward(Event event, std::span<const TensorId> inputs) {
  event.parent = eventOf(event.parent);
  event.name = textOf(event.name);
  event.detail = textOf(event.detail);
  event.ranks = textOf(event.ranks);
  event.site = textOf(event.site);
  event.device = textOf(event.device);
  event.group = textOf(event.group);
  event.route = routeOf(event.route);
  to_->onEvent(++lastEvent_, event, inputs);
}

void PartialSink::onValue(const ValueRecord& value) {
  const Tensor* tensor = find(value.tensor);
  const EventId event = eventOf(value.event);
  if (event == 0 || tensor == nullptr || tensor->id == 0) return;
  ValueRecord copy = value;
  copy.event = event;
  copy.tensor = tensor->id;
  to_->onValue(copy);
}

void PartialSink::onExposed(EventId id, std::int64_t exposed) {
  if (const EventId own = eventOf(id); own != 0) to_->onExposed(own, exposed);
}

void PartialSink::onEnd(EventId id, std::int64_t duration) {
  if (const EventId own = eventOf(id); own != 0) to_->onEnd(own, duration);
}

template <class T, class Forward>
std::uint32_t PartialSink::idOf(Known<T>& known, std::uint32_t& last, const Forward& forward) {
  if (known.id == 0) {
    known.id = ++last;
    forward(known.id, known.value);
  }
  return known.id;
}

StringId PartialSink::textOf(StringId own) {
  if (own == 0) return 0;
  return idOf(texts_[own], lastText_,
              [this](StringId id, const std::string& text) { to_->onString(id, text); });
}

SpecId PartialSink::specOf(SpecId own) {
  if (own == 0) return 0;
  return idOf(specs_[own], lastSpec_,
              [this](SpecId id, const Spec& spec) { to_->onSpec(id, spec); });
}

RouteId PartialSink::routeOf(RouteId own) {
  if (own == 0) return 0;
  return idOf(routes_[own], lastRoute_,
              [this](RouteId id, const Route& route) { to_->onRoute(id, route); });
}

PartialSink::Tensor* PartialSink::find(TensorId own) {
  if (own == 0) return nullptr;
  if (own <= kMostFirst) return own <= first_.size() ? &first_[own - 1] : nullptr;
  const std::size_t place = own % kMostRecent;
  return place < recent_.size() && recent_[place].own == own ? &recent_[place] : nullptr;
}

TensorId PartialSink::tensorOf(TensorId own, const Event& use) {
  Tensor* tensor = find(own);
  if (tensor == nullptr) return 0;
  if (tensor->id == 0) {
    const StringId name = textOf(tensor->name);
    const SpecId spec = specOf(tensor->spec);
    tensor->id = ++lastTensor_;
    to_->onTensor(tensor->id, name, spec);
  }
  if (!std::exchange(tensor->isMade, false)) return tensor->id;
  const TensorId id = tensor->id;
  Event result = tensor->result;
  result.time = use.time;
  result.parent = use.parent;
  result.step = use.step;
  result.inputs = 0;
  result.subject = id;
  result.count = 0;  // its hold on a mask was not forwarded
  result.related = 0;
  forward(result, {});
  return id;
}

// Returns the forwarded id; 0 if the event was not forwarded.
EventId PartialSink::eventOf(EventId own) const {
  const auto after = std::ranges::upper_bound(runs_, own, {}, &Run::own);
  if (own == 0 || after == runs_.begin()) return 0;
  const Run& run = *std::prev(after);
  return own < run.end ? run.id + (own - run.own) : 0;
}

std::uint32_t PartialSink::referenceOf(std::uint32_t own, Reference reference, const Event& use) {
  switch (reference) {
    case Reference::Event:
      return eventOf(own);
    case Reference::Tensor:
      return tensorOf(own, use);
    case Reference::Buffer:
    case Reference::None:
      break;
  }
  return own;
}

}  // namespace shardlens
