#include "app/python/job_recorder.h"

#include "app/python/recorded_values.h"
#include "core/base/refusal.h"
#include "core/model/ranks_text.h"
#include "core/trace/recorder/event_makers.h"
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

EventKind maskKind(const std::string& kind) {
  if (kind == "materialized") return EventKind::MaskMaterialized;
  return kind == "applied" ? EventKind::MaskApplied : EventKind::MaskReleased;
}

}  // namespace

JobRecorder::JobRecorder(const std::string& path, const std::vector<std::string>& values, int rank,
                         int ranks, const std::map<std::string, std::string>& meta,
                         std::vector<std::string> libraries,
                         std::function<ProgramRecorder::Autograd()> autograd)
    : rank_(rank),
      ranks_(ranks),
      site_(std::move(libraries),
            [this](const std::string& file, const std::string& text) {
              recorder_.meta(sourceKey(file), text);
            }),
      program_({.file = pathOf(meta),
                .site = [this] { return site_.now(); },
                .autograd = std::move(autograd)}) {
  auto capture = recordedValues(values);
  writer_ = orRefuse(TraceWriter::create(path));
  recorder_.addSink(*writer_);
  recorder_.setCapture(std::move(capture));
  for (const auto& [key, text] : meta) recorder_.meta(key, text);
  site_.tellSource(pathOf(meta));
  recorder_.meta("hosted", std::to_string(rank));
  recorder_.setRanks(std::to_string(rank));
  program_.attach(recorder_);
}

JobRecorder::~JobRecorder() { recorder_.removeSinks(); }

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
  if (!isHit) lookup = LookupRecord{.fields = {{"question", key}}};
  recorder_.note(makeLookup(recorder_, table, answer, lookup));
}

EventId JobRecorder::beginRedistribute(const std::string& route, TensorId source, bool isExplicit) {
  return recorder_.begin(makeRedistribute(recorder_, route, source,
                                          isExplicit ? Verdict::Explicit : Verdict::Implicit));
}

void JobRecorder::plan(const std::string& route, const std::vector<PlanStep>& steps) {
  PlanRecord plan;
  for (const auto& step : steps) {
    auto& recorded = plan.steps.emplace_back();
    recorded.axis = step.axis;
    recorded.meshDim = step.meshDim;
    recorded.from = step.from;
    recorded.to = step.to;
  }
  recorder_.note(makePlan(recorder_, route, steps.size(), 0, plan));
}

EventId JobRecorder::beginCollective(const Collective& of) {
  const Groups& groups = groupsOf(of.groups);
  return recorder_.begin(makeCollective(recorder_, of.kind, groups.all, of.meshDim, of.bytes,
                                        {.axis = of.axis},
                                        of.channel.empty() ? groups.own : of.channel));
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

void JobRecorder::result(const std::string& name, TensorId tensor, std::int64_t bytes) {
  recorder_.note(makeResult(recorder_, name, tensor, bytes, 0));
}

void JobRecorder::flush() {
  if (writer_ != nullptr) orRefuse(writer_->flush());
}

void JobRecorder::close() {
  if (writer_ == nullptr) return;
  program_.stop();
  recorder_.removeSinks();
  const auto writer = std::move(writer_);
  orRefuse(writer->close());
}

}  // namespace shardlens
