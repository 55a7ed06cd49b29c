#include "app/python/job_recorder.h"

#include "app/python/recorded_values.h"
#include "core/base/refusal.h"
#include "core/model/ranks_text.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/program_source.h"

#include <fmt/ranges.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

// Returns "S(0) -> R" or "(S(0), R) -> (R, R)": no parentheses on a mesh of one dimension.
std::string routeText(const JobRecorder::Texts& from, const JobRecorder::Texts& to) {
  const auto text = [](const JobRecorder::Texts& each) {
    return each.size() == 1 ? each.front() : fmt::format("({})", fmt::join(each, ", "));
  };
  return text(from) + " -> " + text(to);
}

EventKind maskKind(const std::string& kind) {
  if (kind == "materialized") return EventKind::MaskMaterialized;
  return kind == "applied" ? EventKind::MaskApplied : EventKind::MaskReleased;
}

}  // namespace

JobRecorder::JobRecorder(const std::string& path, const std::vector<std::string>& values, int rank,
                         int ranks, const std::map<std::string, std::string>& meta,
                         std::vector<std::string> libraries)
    : rank_(rank),
      ranks_(ranks),
      site_(std::move(libraries), [this](const std::string& file, const std::string& text) {
        recorder_.meta(sourceKey(file), text);
      }) {
  auto capture = recordedValues(values);
  writer_ = orRefuse(TraceWriter::create(path));
  recorder_.addSink(*writer_);
  recorder_.setCapture(std::move(capture));
  for (const auto& [key, text] : meta) recorder_.meta(key, text);
  if (const auto path = meta.find("path"); path != meta.end()) {
    program_ = path->second;
    site_.addSource(program_);
  }
  recorder_.meta("hosted", std::to_string(rank));
  recorder_.setRanks(std::to_string(rank));
  recorder_.onUnscopedEvent([this] { onTopLevelEvent(); });
}

JobRecorder::~JobRecorder() { recorder_.removeSinks(); }

void JobRecorder::onTopLevelEvent() {
  const auto site = forward_.of(site_.now(), gradient_, nextNode_);
  if (site != lastSite_) recorder_.setSite(*site);
  lastSite_ = site;
  const int line = site->file == program_ ? site->line : 0;
  if (!next_.empty()) {
    const std::string name = std::exchange(next_, {});
    if (stepSpan_ != 0) recorder_.end(std::exchange(stepSpan_, 0));
    recorder_.setStep(++step_, line);
    stepSpan_ = recorder_.begin(makeStep(recorder_, name));
  }
  recorder_.setStep(step_, line);
}

void JobRecorder::setAutograd(std::optional<std::uint64_t> gradient, std::uint64_t next) {
  gradient_ = gradient;
  nextNode_ = next;
}

SpecId JobRecorder::spec(const std::string& dtype, Shape shape, Placements placements,
                         DeviceMesh mesh) {
  const auto read = parseDType(dtype);
  if (!read) return 0;
  return recorder_.intern(
      SpecRecord{*read, std::move(shape), std::move(placements), std::move(mesh)});
}

void JobRecorder::mesh(const DeviceMesh& mesh) {
  if (hasMesh_ || mesh.size() != ranks_) return;
  hasMesh_ = true;
  recorder_.meta("mesh", toText(mesh));
  recorder_.setMesh(mesh);
}

bool JobRecorder::recordsValue(TensorId tensor) {
  if (!recorder_.recordsValue(tensor, rank_)) return false;
  if (writer_ == nullptr || !writer_->isBehind()) return true;
  limit("values are missing: the disk was slower than the job");
  return false;
}

void JobRecorder::waitForDisk() {
  if (writer_ == nullptr || !writer_->isFull()) return;
  const pybind11::gil_scoped_release others;
  writer_->waitForRoom();
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

EventId JobRecorder::beginOperator(const std::string& name, const std::vector<TensorId>& inputs) {
  return recorder_.begin(makeOperator(recorder_, name), inputs);
}

void JobRecorder::lookup(const std::string& table, bool isHit, const std::string& key,
                         std::size_t entries) {
  CacheAnswer answer{.verdict = isHit ? Verdict::Hit : Verdict::Miss, .entries = entries};
  answer.kept = !isHit;
  std::optional<LookupRecord> lookup;
  if (!isHit) lookup = LookupRecord{.fields = {{"key", key}}};
  recorder_.note(makeLookup(recorder_, table, answer, lookup));
}

EventId JobRecorder::beginRedistribute(const Texts& from, const Texts& to, TensorId source,
                                       bool isExplicit) {
  return recorder_.begin(makeRedistribute(recorder_, routeText(from, to), source,
                                          isExplicit ? Verdict::Explicit : Verdict::Implicit));
}

void JobRecorder::plan(const Texts& from, const Texts& to, const std::vector<PlanStep>& steps) {
  PlanRecord plan;
  for (const auto& step : steps) {
    auto& recorded = plan.steps.emplace_back();
    recorded.axis = step.axis;
    recorded.meshDim = step.meshDim;
    recorded.from = step.from;
    recorded.to = step.to;
  }
  recorder_.note(makePlan(recorder_, routeText(from, to), steps.size(), 0, plan));
}

EventId JobRecorder::beginCollective(const Collective& of) {
  const auto groups = parseRanks(of.groups);
  std::string group = of.channel;
  for (const auto& members : groups) {
    const bool isOwn = std::find(members.begin(), members.end(), rank_) != members.end();
    if (group.empty() && isOwn) group = ranksText({members});
  }
  return recorder_.begin(makeCollective(recorder_, of.kind, ranksText(groups), of.meshDim, of.bytes,
                                        {.axis = of.axis}, group));
}

EventId JobRecorder::mask(const std::string& kind, const Placement& placement, BufferId buffer,
                          int refcount, std::uint32_t related, const std::string& holder) {
  const MaskEvent what{.kind = maskKind(kind), .related = related, .holder = holder};
  const auto* masked = std::get_if<MaskPartial>(&placement);
  return recorder_.note(makeMaskEvent(recorder_, masked == nullptr ? MaskPartial() : *masked,
                                      buffer, refcount, what));
}

void JobRecorder::result(const std::string& name, TensorId tensor, std::int64_t bytes) {
  recorder_.note(makeResult(recorder_, name, tensor, bytes, 0));
}

void JobRecorder::error(const std::string& message) {
  next_.clear();  // the error belongs to the step that ran
  failed(message);
}

void JobRecorder::failed(const std::string& message) {
  recorder_.note(makeError(recorder_, message));
}

void JobRecorder::flush() {
  if (writer_ != nullptr) orRefuse(writer_->flush());
}

void JobRecorder::close() {
  if (writer_ == nullptr) return;
  if (stepSpan_ != 0) recorder_.end(std::exchange(stepSpan_, 0));
  recorder_.onUnscopedEvent({});
  recorder_.removeSinks();
  const auto writer = std::move(writer_);
  orRefuse(writer->close());
}

}  // namespace shardlens
