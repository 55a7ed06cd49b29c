#include "core/trace/recorder/recorder.h"

#include "core/base/check.h"
#include "core/trace/events/element_hash.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace shardlens {

namespace {

// Sets a flag, and resets it at the end of the scope, also if the scope is left by an exception.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
  ~Raised() { flag_ = false; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
};

}  // namespace

Recorder::Recorder() : start_(std::chrono::steady_clock::now()) {}

std::int64_t Recorder::now() const {
  if (clock_) return clock_();
  const auto passed = std::chrono::steady_clock::now() - start_;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count();
}

void Recorder::setStep(int step, int line) {
  step_ = step;
  line_ = line;
}

void Recorder::addSink(EventSink& sink) {
  sinks_.push_back(&sink);
  const SinkRequests its = sink.requests();
  requests_ = {.times = requests_.times || its.times, .reasons = requests_.reasons || its.reasons};
}

void Recorder::removeSinks() {
  try {
    readDurations(Wait::Yes);
  } catch (...) {
    keepException();
  }
  sinks_.clear();
  requests_ = {.times = false, .reasons = false};
  forget();
}

void Recorder::forget() {
  ++recording_;
  start_ = std::chrono::steady_clock::now();
  sequences_.clear();
  open_.clear();
  detached_.clear();
  late_.clear();
  strings_.clear();
  texts_.resize(1);
  recent_ = {};
  specs_.clear();
  routes_.clear();
  dtypes_.clear();
  tensors_.clear();
  lastTensor_ = 0;
  lastLevel_ = CaptureLevel::None;
  events_ = 0;
  ranks_ = site_ = device_ = 0;
}

void Recorder::meta(std::string_view key, std::string_view value) {
  for (auto* sink : sinks_) sink->onMeta(key, value);
}

StringId Recorder::intern(std::string_view text) {
  if (!on() || text.empty()) return 0;
  // Most texts come again from the same address, so a small cache by address avoids hashing them.
  Recent& recent = recent_[(std::bit_cast<std::uintptr_t>(text.data()) >> 3) % recent_.size()];
  if (recent.text == text) return recent.id;
  const auto next = static_cast<StringId>(strings_.size() + 1);
  const auto found = strings_.find(text);
  const bool isNew = found == strings_.end();
  const auto& [known, id] = isNew ? *strings_.emplace(text, next).first : *found;
  if (isNew) {
    texts_.emplace_back(known);
    for (auto* sink : sinks_) sink->onString(id, text);
  }
  recent = {known, id};
  return id;
}

SpecId Recorder::intern(Spec spec) {
  if (!on()) return 0;
  spec.meta.strides.clear();
  if (spec.mesh && mesh_ && *spec.mesh == *mesh_) spec.mesh = nullptr;
  const auto next = static_cast<SpecId>(specs_.size() + 1);
  const auto [known, isNew] = specs_.try_emplace(std::move(spec), next);
  if (!isNew) return known->second;
  dtypes_.push_back(known->first.meta.dtype);
  for (auto* sink : sinks_) sink->onSpec(next, known->first);
  return next;
}

RouteId Recorder::intern(const Route& route) {
  if (!on()) return 0;
  const auto known = routes_.find(route);
  return known != routes_.end() ? known->second : add(route);
}

RouteId Recorder::intern(const PlacementChange& change) {
  if (!on()) return 0;
  const auto known = routes_.find(change);
  return known != routes_.end() ? known->second : add({change.from, change.to});
}

RouteId Recorder::add(Route route) {
  const auto id = static_cast<RouteId>(routes_.size() + 1);
  for (auto* sink : sinks_) sink->onRoute(id, route);
  routes_.emplace(std::move(route), id);
  return id;
}

TensorId Recorder::addTensor(std::string_view name, SpecId spec) {
  if (!on()) return 0;
  const StringId text = intern(name);
  if (capture_.keepsAny()) tensors_.push_back({text, spec});
  const TensorId id = ++lastTensor_;
  for (auto* sink : sinks_) sink->onTensor(id, text, spec);
  return id;
}

CaptureLevel Recorder::levelOf(TensorId tensor, int rank) const {
  SL_CHECK(tensor >= 1 && tensor <= lastTensor_, "a value is of a known tensor");
  if (tensors_.empty()) return CaptureLevel::None;
  return capture_.levelOf(step_, rank, texts_[tensors_[tensor - 1].name]);
}

void Recorder::value(ValueRecord value, std::span<const std::byte> elements) {
  lastLevel_ = on() ? levelOf(value.tensor, value.rank) : CaptureLevel::None;
  if (lastLevel_ == CaptureLevel::None) return;
  value.level = lastLevel_;
  if (elements.size() > wholeUpTo_) value.level = std::min(lastLevel_, CaptureLevel::Hashes);
  value.statistics = statisticsOf(dtypes_[tensors_[value.tensor - 1].spec - 1], elements);
  value.data.reset();
  if (value.level == CaptureLevel::All) {
    value.data = std::make_shared<const std::vector<std::byte>>(elements.begin(), elements.end());
  }
  if (value.level == CaptureLevel::Hashes) value.hash = elementHash(elements);
  emitValue(std::move(value));
}

void Recorder::summary(ValueRecord value) {
  lastLevel_ = on() ? levelOf(value.tensor, value.rank) : CaptureLevel::None;
  if (lastLevel_ == CaptureLevel::None) return;
  value.level = std::min(lastLevel_, CaptureLevel::Hashes);
  value.data.reset();
  emitValue(std::move(value));
}

void Recorder::emitValue(ValueRecord value) {
  if (value.event == 0) value.event = events_;
  lastValue_ = std::move(value);
  for (auto* sink : sinks_) sink->onValue(lastValue_);
}

bool Recorder::valueAgain(int rank) {
  if (lastLevel_ == CaptureLevel::None || levelOf(lastValue_.tensor, rank) != lastLevel_)
    return false;
  lastValue_.rank = rank;
  for (auto* sink : sinks_) sink->onValue(lastValue_);
  return true;
}

EventId Recorder::append(Event& event, std::span<const TensorId> inputs) {
  event.parent = open_.empty() ? 0 : open_.back().id;
  event.step = step_;
  event.line = line_;
  event.inputs = static_cast<std::uint32_t>(inputs.size());
  if (event.ranks == 0) event.ranks = ranks_;
  if (event.device == 0) event.device = device_;
  event.site = site_;
  ++events_;
  const EventId id = events_;
  for (auto* sink : sinks_) sink->onEvent(id, event, inputs);
  return id;
}

void Recorder::callUnscopedHook() {
  if (!unscopedHook_ || isInHook_ || open_.size() > 1) return;
  if (!open_.empty() && !open_.front().isStep) return;
  const Raised inHook(isInHook_);
  const auto hook = unscopedHook_;  // it may be removed while it runs
  hook();
}

bool Recorder::records() {
  if (on()) callUnscopedHook();
  return on();
}

EventId Recorder::note(Event event) {
  if (!records()) return 0;
  if (requests_.times) {
    const std::int64_t earliest = open_.empty() ? 0 : open_.back().time;
    event.time = std::max(earliest, now() - event.duration);
  } else {
    event.duration = 0;
  }
  return append(event, {});
}

EventId Recorder::begin(Event event, std::span<const TensorId> inputs) {
  if (!records()) return 0;
  event.time = requests_.times ? now() : 0;
  event.duration = Event::kRunning;
  const EventId id = append(event, inputs);
  open_.push_back({id, event.time, event.kind == EventKind::Step});
  return id;
}

void Recorder::emitEnd(EventId id, std::int64_t duration) {
  for (auto* sink : sinks_) sink->onEnd(id, duration);
}

Recorder::Closed Recorder::close(EventId id) {
  const auto isThis = [id](const Open& open) { return open.id == id; };
  SL_CHECK(std::any_of(open_.begin(), open_.end(), isThis), "the span that ends is open");
  const std::int64_t time = requests_.times ? now() : 0;
  while (true) {
    const Open span = open_.back();
    open_.pop_back();
    if (span.id == id) return {span.time, time - span.time};
    emitEnd(span.id, time - span.time);
  }
}

void Recorder::end(EventId id, Took took) {
  if (!on()) return;
  const std::int64_t elapsed = close(id).elapsed;
  emitEnd(id, requests_.times && took ? took->count() : elapsed);
}

void Recorder::detach(EventId id) {
  if (on()) detached_.emplace(id, close(id).begun);
}

void Recorder::complete(EventId id, std::int64_t exposed, Took took) {
  const auto span = detached_.find(id);
  if (!on() || span == detached_.end()) return;
  const std::int64_t elapsed = requests_.times ? now() - span->second : 0;
  detached_.erase(span);
  const std::int64_t duration = requests_.times && took ? took->count() : elapsed;
  for (auto* sink : sinks_) sink->onExposed(id, std::min(exposed, duration));
  emitEnd(id, duration);
}

void Recorder::endLater(EventId id, LateDuration read) {
  constexpr std::size_t kReadEvery = 64, kMost = 4096;
  if (!on()) return;
  if (!requests_.times) return end(id);
  const std::int64_t elapsed = close(id).elapsed;
  late_.push_back({id, elapsed, std::move(read)});
  if (late_.size() > kMost) {
    readDuration(Wait::Yes);
  } else if (late_.size() % kReadEvery == 0) {
    readDurations(Wait::No);
  }
}

bool Recorder::readDuration(Wait wait) {
  auto& [id, elapsed, read] = late_.front();
  Took took(elapsed);
  try {
    took = read(wait);
  } catch (const std::exception&) {  // a failed GPU reports its error again to the next call
  }
  if (!took) return false;
  const EventId ended = id;
  late_.pop_front();
  emitEnd(ended, took->count());
  return true;
}

void Recorder::readDurations(Wait wait) {
  while (!late_.empty() && readDuration(wait)) {
  }
}

void Recorder::keepException() noexcept {
  if (!kept_) kept_ = std::current_exception();
}

void Recorder::rethrow() {
  if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
}

}  // namespace shardlens
