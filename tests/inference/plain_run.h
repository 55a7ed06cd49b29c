#pragma once

#include "core/inference/inference.h"
#include "core/inference/words.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"

#include <string>
#include <vector>

namespace shardlens {

// Records operators on plain tensors as the recorder of jobs does, of two ranks at once.
class PlainRun {
 public:
  PlainRun() {
    recorder.addSink(journal);
    recorder.meta("hosted", "0,1");
    recorder.setRanks("0,1");
  }

  TensorId tensor(const char* name, Shape shape) {
    return recorder.addTensor(name, Spec(DType::Float32, std::move(shape)));
  }
  void parameter(const char* name, TensorId id) { note(name, id, R"({"role":"parameter"})"); }
  TensorId call(const char* op, const std::vector<TensorId>& inputs, Shape shape,
                const char* detail) {
    const Span span(recorder, makePlainCall(recorder, op, detail), inputs);
    const TensorId made = tensor("made", std::move(shape));
    note("made", made, "");
    return made;
  }
  void allReduce(TensorId id, const char* reduction = "sum") {
    const auto detail =
        std::string(R"({"collective":"all_reduce","group":"tp","op":")") + reduction + R"("})";
    const std::vector<TensorId> inputs{id};
    const Span span(recorder, makePlainCall(recorder, "c10d.allreduce_", detail), inputs);
    recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0,1", -1, 8, {}));
    note("allreduce_", id, "");
  }
  // Sums a tensor that shares memory with `other`, which has this role then.
  void allReduceBeside(TensorId id, TensorId other, const char* role) {
    constexpr auto kDetail = R"({"collective":"all_reduce","op":"sum","group":"tp"})";
    const std::vector<TensorId> inputs{id};
    const Span span(recorder, makePlainCall(recorder, "c10d.allreduce_", kDetail), inputs);
    recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0,1", -1, 8, {}));
    note("allreduce_", id, "");
    note("other", other, role);
  }
  void note(const char* name, TensorId id, const char* detail) {
    recorder.note(makePlainResult(recorder, name, id, 8, detail));
  }
  // Writes the first input by a plain operator: "aten.div_.Tensor".
  void write(const char* op, const std::vector<TensorId>& inputs, const char* detail) {
    const Span span(recorder, makePlainCall(recorder, op, detail), inputs);
    note("written", inputs.front(), "");
  }
  std::string placement(const std::string& name) const {
    for (const auto& each : inferPlacements(journal).tensors) {
      if (each.name == name) return placementText(each.placements.at(0));
    }
    return "missing";
  }

  Journal journal;
  Recorder recorder;
};

}  // namespace shardlens
