#include "tests/ui/support/long_run.h"

#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"

#include <array>
#include <stdexcept>

namespace shardlens {
namespace {

constexpr int kSteps = 600;
constexpr int kOperators = 120;  // per step
constexpr int kBetweenMasks = 24;

// Records the events of the run, one operator at a time.
class Training {
 public:
  explicit Training(Recorder& recorder)
      : recorder_(recorder),
        spec_(recorder.intern(Spec(DType::Float32, {64, 8}, {Shard{0}}))),
        mask_(recorder.intern(Spec(DType::Bool, {64}))),
        newest_(recorder.addTensor("x", spec_)) {}

  void step(int number) {
    recorder_.setStep(number, 1);
    const Span step(recorder_, makeStep(recorder_, "train()"));
    for (int i = 0; i < kOperators; ++i) call(number * kOperators + i);
  }

 private:
  void call(int number) {
    const Span span(recorder_, makeOperator(recorder_, "aten.op"), std::array{newest_});
    lookUp(number);
    if (number % kBetweenMasks == 0) mask(number / kBetweenMasks);
    recorder_.note(makeCompute(recorder_, "local aten.op"));
    const std::string name = "t" + std::to_string(number % kOperators);
    newest_ = recorder_.addTensor(name, spec_);
    recorder_.note(makeResult(recorder_, name, newest_, 2048, 0));
  }

  // Records a miss and a hit in turn until the cache is full, then hits.
  void lookUp(int number) {
    if (entries_.size() < LongRun::kEntries && number % 2 == 0) {
      const LookupRecord lookup{
          .fields = {{"op", "aten.op"}, {"x", "f32[" + std::to_string(number) + ", 8] S(0)"}}};
      entries_.push_back(recorder_.note(makeLookup(
          recorder_, CacheTable::Strategy, {.entries = entries_.size(), .kept = true}, lookup)));
      return;
    }
    const EventId entry = entries_[static_cast<std::size_t>(number) * 7 % entries_.size()];
    recorder_.note(makeLookup(recorder_, CacheTable::Strategy,
                              {.verdict = Verdict::Hit, .entries = entries_.size(), .entry = entry},
                              std::nullopt));
  }

  // Records a mask buffer and its release; the third one is never released.
  void mask(int number) {
    const MaskPartial placement{ReduceOp::Sum, {10, 3}, 0};
    const BufferId buffer = recorder_.nextBuffer();
    const EventId hold = recorder_.note(
        makeMaskEvent(recorder_, placement, buffer, 1,
                      {.related = recorder_.addTensor("mask", mask_), .holder = "t"}));
    if (number == 2) return;
    recorder_.note(makeMaskEvent(recorder_, placement, buffer, 0,
                                 {.kind = EventKind::MaskReleased, .related = hold}));
  }

  Recorder& recorder_;
  SpecId spec_;
  SpecId mask_;
  TensorId newest_;
  std::vector<EventId> entries_;
};

}  // namespace

void LongRun::write(const QString& path) {
  const auto writer = TraceWriter::create(path.toStdString(), SinkRequests{}).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "8:tp");
  recorder.meta("masking", "stepwise");
  Training training(recorder);
  for (int step = 0; step < kSteps; ++step) training.step(step);
  const auto closed = writer->close();
  if (!closed) throw std::runtime_error(closed.error().message);
}

}  // namespace shardlens
