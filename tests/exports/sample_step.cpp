#include "tests/exports/sample_step.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <array>

namespace shardlens {

void recordSampleStep(Recorder& recorder, const Capture& capture) {
  recorder.meta("mesh", "2:tp");
  recorder.meta("title", "a sum | gathered");
  recorder.meta("backend", "simulated");
  recorder.meta("scenario", R"x({"steps": [  // of two ranks
    {"id": "x", "call": "tensor", "data": [1, -2, 3], "dtype": "int16", "placements": ["S(0)"]},
    {"id": "y", "call": "aten.add.Tensor", "args": ["$x", "$x"], "kwargs": {"alpha": 1}}]})x");
  recorder.setRanks("0-1");
  recorder.setCapture(capture);
  const TensorId x = recorder.addTensor("x", {DType::Int16, {3}, {Shard{0}}});
  {
    recorder.setStep(0, 4);
    const Span step(recorder, makeStep(recorder, "x = tensor(...)"));
    recorder.note(makeResult(recorder, "x", x, 0, 0));
    recordValue(recorder, valueOf<std::int16_t>(x, 0, {2}, {1, -2}));
    recordValue(recorder, valueOf<std::int16_t>(x, 1, {1}, {3}));
  }
  recorder.setStep(1, 5);
  const Span step(recorder, makeStep(recorder, "y = aten.add(x, x)"));
  const Span op(recorder, makeOperator(recorder, "aten.add"), std::array{x, x});
  recorder.note(makeLookup(recorder, CacheTable::Strategy, {.kept = true},
                           LookupRecord{.fields = {{"op", "aten.add"}}}));
  recorder.note(makeCandidates(
      recorder, "replicate", 2, 6,
      CandidatesRecord{{{.name = "replicate",
                         .inputs = {"R", "R"},
                         .outputs = {"R"},
                         .bytes = 6,
                         .chosen = true},
                        {.name = "pointwise", .inputs = {"S(0)"}, .outputs = {"S(0)"}}}}));
  {
    const Span move(recorder,
                    makeRedistribute(routeIn(recorder, "S(0) -> R"), x, Verdict::Implicit));
    recorder.note(makePlan(recorder, routeIn(recorder, "S(0) -> R"), 1, 6,
                           PlanRecord{.steps = {{.axis = "tp",
                                                 .meshDims = {0},
                                                 .from = "S(0)",
                                                 .to = "R",
                                                 .move = "all_gather",
                                                 .after = "(R)",
                                                 .bytes = 6,
                                                 .microseconds = 7.25}}}));
    const Span send(
        recorder, makeCollective(recorder, CollectiveKind::AllGather, "0,1", 0, 8, {.axis = "tp"}));
  }
  const TensorId y = recorder.addTensor("y", {DType::Int16, {3}, {Replicate{}}});
  recorder.note(makeResult(recorder, "y", y, 0, 0));
  recordValue(recorder, valueOf<std::int16_t>(y, 0, {3}, {2, -4, 6}));
  recordValue(recorder, valueOf<std::int16_t>(y, 1, {3}, {2, -4, 6}));
}

}  // namespace shardlens
