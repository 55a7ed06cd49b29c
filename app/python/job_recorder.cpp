#include "app/python/job_recorder.h"

#include "app/python/recorded_values.h"
#include "core/base/refusal.h"
#include "core/model/ranks_text.h"
#include "core/trace/events/event_names.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/machine_clock.h"
#include "core/trace/records/program_source.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

std::string pathOf(const std::map<std::string, std::string>& meta) {
  const auto path = meta.find("path");
  return path == meta.end() ? std::string() : path->second;
}

// Prefixes an error with the name of the option.
template <class T>
Result<T> prefixed(const char* option, Result<T> value) {
  if (!value) return fail(std::string(option) + ": " + value.error().message);
  return value;
}

// Returns nullopt for an empty text, which selects all steps.
std::optional<StepSelection> selectionOf(const char* option, const std::string& steps) {
  if (steps.empty()) return std::nullopt;
  return orRefuse(prefixed(option, StepSelection::parse(steps)));
}

EventKind maskKind(const std::string& kind) {
  if (kind == "materialized") return EventKind::MaskMaterialized;
  return kind == "applied" ? EventKind::MaskApplied : EventKind::MaskReleased;
}

}  // namespace

JobRecorder::JobRecorder(const std::string& path, const std::vector<std::string>& values, int rank,
                         int ranks, const std::map<std::string, std::string>& meta,
                         std::vector<std::string> libraries,
                         std::function<ProgramRecorder::Autograd()> autograd, const Part& part)
    : rank_(rank),
      ranks_(ranks),
      site_(std::move(libraries),
            [this](const std::string& file, const std::string& text) {
              recorder_.meta(sourceKey(file), text);
            }),
      program_({.file = pathOf(meta),
                .site = [this] { return siteNow(); },
                .autograd = std::move(autograd),
                .operators = selectionOf("operators", part.operators)}) {
  auto capture = recordedValues(values);
  open(path, part);
  recorder_.setCapture(std::move(capture));
  for (const auto& [key, text] : meta) recorder_.meta(key, text);
  site_.addSource(pathOf(meta));
  clock_.id = machineClockId();
  anchor();
  recorder_.meta("hosted", std::to_string(rank));
  recorder_.setRanks(std::to_string(rank));
  if (!part.steps.empty()) limit("events of other steps than " + part.steps + ": not recorded");
  if (!part.operators.empty()) {
    limit("operators of other steps than " + part.operators + ": not recorded");
  }
  if (!part.keep.empty()) limit("events before the last " + part.keep + ": not retained");
  program_.attach(recorder_);
}

void JobRecorder::open(const std::string& path, const Part& part) {
  std::optional<StepSelection> steps = selectionOf("steps", part.steps);
  if (!part.keep.empty()) {
    const RingExtent extent = orRefuse(prefixed("keep", parseRingExtent(part.keep)));
    ring_ = orRefuse(RingWriter::create(path, extent, std::move(steps)));
    recorder_.addSink(*ring_);
    return;
  }
  writer_ = orRefuse(TraceWriter::create(path));
  flushAtTerminate_.emplace(*writer_);
  if (steps) {
    sampled_.emplace(std::move(steps));
    sampled_->forwardTo(writer_.get());
    recorder_.addSink(*sampled_);
  } else {
    recorder_.addSink(*writer_);
  }
}

JobRecorder::~JobRecorder() { recorder_.removeSinks(); }

void JobRecorder::anchor() {
  constexpr std::int64_t kEvery = 10'000'000'000;  // nanoseconds
  if (clock_.id.empty()) return;
  if (clock_.anchors.size() > 1) clock_.anchors.pop_back();
  clock_.anchors.push_back(clockAnchor(recorder_.now()));
  recorder_.meta(kClockKey, clockText(clock_));
  nextAnchor_ = clock_.anchors.back().at + kEvery;
}

std::shared_ptr<const SiteRecord> JobRecorder::siteNow() {
  if (recorder_.now() >= nextAnchor_) anchor();
  return site_.now();
}

SpecId JobRecorder::spec(const std::string& dtype, Shape shape, Placements placements,
                         DeviceMesh mesh) {
  const auto read = parseDType(dtype);
  if (!read) return 0;
  return recorder_.intern(
      Spec(*read, std::move(shape), std::move(placements), shared(std::move(mesh))));
}

void JobRecorder::mesh(const DeviceMesh& mesh) {
  if (hasMesh_ || mesh.size() != ranks_) return;
  hasMesh_ = true;
  recorder_.meta("mesh", toText(mesh));
  recorder_.setMesh(mesh);
}

bool JobRecorder::recordsValue(TensorId tensor) {
  const int step = recorder_.step();
  const bool isOfPart = (!sampled_ || sampled_->has(step)) && (!ring_ || ring_->has(step));
  if (!isOfPart || !recorder_.recordsValue(tensor, rank_)) return false;
  if (writer() == nullptr || !writer()->isBehind()) return true;
  limit("values are missing: the disk was slower than the job");
  return false;
}

void JobRecorder::waitForDisk() {
  if (writer() == nullptr || !writer()->isFull()) return;
  const auto waited = writers();
  const pybind11::gil_scoped_release others;
  waited.front()->waitForRoom();
}

std::vector<std::shared_ptr<TraceWriter>> JobRecorder::writers() const {
  if (ring_) return ring_->writers();
  if (writer_ == nullptr) return {};
  return {writer_};
}

void JobRecorder::limit(const std::string& what) {
  if (limits_.find(what + "\n") != std::string::npos) return;
  limits_ += what + "\n";
  recorder_.meta("limits", std::string_view(limits_).substr(0, limits_.size() - 1));
}

void JobRecorder::value(TensorId tensor, Shape shape, std::string_view elements) {
  ValueRecord value;
  value.tensor = tensor;
  value.rank = rank_;
  value.shape = std::move(shape);
  recorder_.value(std::move(value), std::as_bytes(std::span(elements)));
}

void JobRecorder::summary(EventId event, TensorId tensor, Shape shape, const Statistics& statistics,
                          std::uint64_t hash) {
  ValueRecord value;
  value.event = event;
  value.tensor = tensor;
  value.rank = rank_;
  value.shape = std::move(shape);
  value.statistics = statistics;
  value.hash = hash;
  recorder_.summary(std::move(value));
}

TensorId JobRecorder::plainTensor(const std::string& name, const std::string& dtype, Shape shape) {
  const auto read = parseDType(dtype);
  return read ? recorder_.addTensor(name, Spec(*read, std::move(shape))) : 0;
}

EventId JobRecorder::beginOperator(const std::string& name, const std::vector<TensorId>& inputs,
                                   const std::string& detail) {
  return recorder_.begin(makePlainCall(recorder_, name, detail), inputs);
}

void JobRecorder::lookup(const std::string& table, bool isHit, const CacheKey& key,
                         std::size_t entries) {
  CacheAnswer answer{.verdict = isHit ? Verdict::Hit : Verdict::Miss, .entries = entries};
  answer.kept = !isHit;
  std::optional<LookupRecord> lookup;
  if (!isHit) {
    lookup.emplace();
    for (const auto& [name, value] : key) {
      lookup->fields.push_back({name, parseLookupValue(value)});
    }
  }
  recorder_.note(makeLookup(recorder_, parseCache(table), answer, lookup));
}

void JobRecorder::setRoute(Event& event, const Change& change) {
  if (change.from.text.empty() && change.to.text.empty()) {
    event.route = recorder_.intern(PlacementChange{change.from.placements, change.to.placements});
  } else {
    event.name = recorder_.intern(shortText(change.from) + " -> " + shortText(change.to));
  }
}

EventId JobRecorder::beginRedistribute(const Change& change, TensorId source, bool isExplicit) {
  Event event = makeRedistribute(0, source, isExplicit ? Verdict::Explicit : Verdict::Implicit);
  setRoute(event, change);
  return recorder_.begin(event);
}

void JobRecorder::plan(std::string key, const Change& change, const std::vector<PlanStep>& steps) {
  constexpr std::size_t kMostPlans = 10'000;  // the cache is cleared at this size
  if (plans_.size() >= kMostPlans) plans_.clear();
  const Event event = planEvent(change, steps);
  plans_.insert_or_assign(std::move(key), event);
  recorder_.note(event);
}

bool JobRecorder::planAgain(const std::string& key) {
  const auto known = plans_.find(key);
  if (known == plans_.end()) return false;
  recorder_.note(known->second);
  return true;
}

Event JobRecorder::planEvent(const Change& change, const std::vector<PlanStep>& steps) {
  PlanRecord plan;
  for (const auto& step : steps) {
    auto& recorded = plan.steps.emplace_back();
    recorded.axis = step.axis;
    if (step.meshDim >= 0) recorded.meshDims = {step.meshDim};
    recorded.from = step.from;
    recorded.to = step.to;
  }
  Event event = makePlan(recorder_, 0, steps.size(), 0, plan);
  setRoute(event, change);
  return event;
}

EventId JobRecorder::beginCollective(const Collective& of) {
  const Groups& groups = groupsOf(of.groups);
  const CollectiveKind kind = parseCollective(of.kind);
  Event event = makeCollective(recorder_, kind, groups.all, of.meshDim, of.bytes, {.axis = of.axis},
                               of.channel.empty() ? groups.own : of.channel);
  if (kind == CollectiveKind::Other) event.name = recorder_.intern(of.kind);
  event.device = recorder_.intern(of.device);
  const EventId id = recorder_.begin(event);
  inFlight_[id].mark = recorder_.now();
  return id;
}

void JobRecorder::endCollective(EventId id) {
  enqueued(id);
  completed(id, std::nullopt, std::nullopt);
}

void JobRecorder::enqueued(EventId id) {
  endBlocked(id);
  recorder_.detach(id);
}

void JobRecorder::beginWait(EventId id) {
  if (const auto found = inFlight_.find(id); found != inFlight_.end()) {
    found->second.mark = recorder_.now();
  }
}

void JobRecorder::endWait(EventId id) {
  endBlocked(id);
  completed(id, std::nullopt, std::nullopt);
}

void JobRecorder::endBlocked(EventId id) {
  const auto found = inFlight_.find(id);
  if (found == inFlight_.end()) return;
  found->second.exposed += recorder_.now() - found->second.mark;
}

void JobRecorder::completed(EventId id, std::optional<std::int64_t> took,
                            std::optional<std::int64_t> exposed) {
  const auto found = inFlight_.find(id);
  if (found == inFlight_.end()) return;
  Recorder::Took measured;
  if (took) measured = std::chrono::nanoseconds(*took);
  recorder_.complete(id, exposed.value_or(found->second.exposed), measured);
  inFlight_.erase(found);
}

const JobRecorder::Groups& JobRecorder::groupsOf(const std::string& text) {
  const auto [known, isNew] = groups_.try_emplace(text);
  Groups& groups = known->second;
  if (!isNew) return groups;
  const auto read = parseRanks(text);
  groups.all = ranksText(read);
  for (const auto& members : read) {
    const bool isOwn = std::find(members.begin(), members.end(), rank_) != members.end();
    if (isOwn && groups.own.empty()) groups.own = ranksText({members});
  }
  return groups;
}

EventId JobRecorder::mask(const std::string& kind, const MaskPartial& placement, BufferId buffer,
                          int refcount, std::uint32_t related, const std::string& holder) {
  const MaskEvent what{.kind = maskKind(kind), .related = related, .holder = holder};
  return recorder_.note(makeMaskEvent(recorder_, placement, buffer, refcount, what));
}

void JobRecorder::result(const std::string& name, TensorId tensor, std::int64_t bytes,
                         const std::string& detail) {
  recorder_.note(makePlainResult(recorder_, name, tensor, bytes, detail));
}

void JobRecorder::retain(const std::string& reason) {
  if (ring_) ring_->retain(reason);
}

void JobRecorder::flush() {
  const auto flushed = writers();
  const pybind11::gil_scoped_release others;
  for (const auto& each : flushed) orRefuse(each->flush());
}

// Other threads may call the recorder until it has no sinks, so the GIL is released after that.
void JobRecorder::close() {
  waitForDisk();
  if (writer() == nullptr) return;
  anchor();
  program_.stop();
  recorder_.removeSinks();
  flushAtTerminate_.reset();
  const auto ring = std::move(ring_);
  const auto writer = std::move(writer_);
  const pybind11::gil_scoped_release others;
  orRefuse(ring != nullptr ? ring->close() : writer->close());
}

}  // namespace shardlens
