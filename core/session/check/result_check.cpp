#include "core/session/check/result_check.h"

#include "core/session/attempt.h"
#include "core/session/check/comparison.h"
#include "core/session/check/plain_tensors.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/read_values.h"
#include "core/trace/recorder/event_makers.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace shardlens {
namespace {

at::Tensor generatorState() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void setGeneratorState(const at::Tensor& state) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

nlohmann::ordered_json inAnswer(const std::string& result, Verdict verdict,
                                const CheckRecord& record) {
  nlohmann::ordered_json json{{"result", result}};
  if (record == CheckRecord()) {
    json["largest"] = 0;
  } else {
    json.update(nlohmann::ordered_json::parse(checkDetail(record)));
  }
  json["ok"] = verdict == Verdict::Same;
  if (verdict == Verdict::None) json["ok"] = nullptr;
  return json;
}

}  // namespace

void ResultCheck::begin() { drawnFrom_ = generatorState(); }

void ResultCheck::end(Recorder& recorder, const ScenarioStep& step, const Values& sharded,
                      const std::vector<NamedResult>& results) {
  auto unchecked = PlainTensors::uncheckedReason(step);
  const bool areUnset = unset_.areResultsOf(step);
  if (areUnset) unchecked = "its elements are not set";
  unset_.note(step, results, areUnset);
  const auto ran = unchecked.empty() ? runPlain(step, sharded) : Result<void>();
  const Outcome refused{Verdict::Differs,
                        {.why = ran ? "" : "the plain step is refused: " + ran.error().message}};
  if (!ran && results.empty()) note(recorder, step.id, 0, refused);
  for (const auto& result : results) {
    const TensorId tensor = dtensorImpl(result.tensor).record();
    if (ran && unchecked.empty()) {
      note(recorder, result.name, tensor, outcomeOf(result));
      continue;
    }
    adopt(result);
    Outcome outcome = ran ? Outcome{Verdict::None, {.why = unchecked}} : refused;
    if (unchecked == PlainTensors::kGivenInParts) {
      const Outcome copies = outcomeOf(result);
      if (copies.verdict == Verdict::Differs) outcome = copies;
    }
    note(recorder, result.name, tensor, outcome);
  }
}

Result<void> ResultCheck::runPlain(const ScenarioStep& step, const Values& sharded) {
  const auto drawnSince = generatorState();
  setGeneratorState(drawnFrom_);
  const auto ran = attempt(Data::Made, [&] {
    PlainTensors tensors(sharded);
    for (auto& [name, tensor] : namedResults(step, runCall(tensors, plain_, step))) {
      plain_[name] = std::move(tensor);
    }
  });
  if (ran) bounds_.run(step, sharded, drawnFrom_);
  setGeneratorState(drawnSince);
  return ran;
}

ResultCheck::Outcome ResultCheck::outcomeOf(const NamedResult& result) {
  Comparison comparison;
  const auto plain = plain_.find(result.name);
  if (plain == plain_.end())
    return {Verdict::Differs, {.why = "the plain step gives no such result"}};
  const auto compared = attempt(Data::Made, [&] {
    comparison = compare(result.tensor, plain->second, bounds_.of(result.name, plain->second));
  });
  if (!compared) return {Verdict::Differs, {.why = "it has no value: " + compared.error().message}};
  return {comparison.agrees ? Verdict::Same : Verdict::Differs, comparison.difference};
}

void ResultCheck::adopt(const NamedResult& result) {
  (void)attempt(Data::Made, [&] {
    const auto whole = readWhole(result.tensor).requires_grad_(result.tensor.requires_grad());
    plain_[result.name] = whole;
    bounds_.adopt(result.name, whole);
  });
}

void ResultCheck::note(Recorder& recorder, const std::string& result, TensorId tensor,
                       const Outcome& outcome) {
  const auto& [verdict, record] = outcome;
  allAgree_ = allAgree_ && verdict != Verdict::Differs;
  answer_.push_back(inAnswer(result, verdict, record));
  if (recorder.on()) recorder.note(makeCheck(recorder, result, tensor, verdict, record));
}

}  // namespace shardlens
