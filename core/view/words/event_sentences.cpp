#include "core/view/words/event_sentences.h"

#include "core/base/text.h"
#include "core/model/byte_count.h"
#include "core/model/ranks_text.h"
#include "core/model/step_operators.h"
#include "core/plan/transform_info.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/collective_record.h"
#include "core/trace/records/holder_record.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/event_words.h"
#include "core/view/words/local_shapes.h"
#include "core/view/words/names.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/units.h"

#include <algorithm>

namespace shardlens::view {
namespace {

// "f32[10, 3](S(0))"
std::string placedTensorText(const Journal& journal, const TensorRecord& tensor,
                             Notation notation) {
  return PlacementWords(journal, tensor.id, notation)
      .placed(tensor.dtype, tensor.shape, tensor.placements);
}

// "w: f32[10, 3](S(0))"
std::string argumentText(const Journal& journal, TensorId id, Notation notation) {
  if (id == 0) return "?";
  const TensorRecord tensor = journal.tensor(id);
  return (tensor.name.empty() ? "_" : tensor.name) + ": " +
         placedTensorText(journal, tensor, notation);
}

StyledText operatorText(const Journal& journal, EventId id, Notation notation) {
  std::vector<std::string> arguments;
  for (const TensorId input : journal.inputs(id))
    arguments.push_back(argumentText(journal, input, notation));
  return StyledText()
      .add(journal.name(journal.at(id)), Tone::Strong)
      .add("(" + joined(arguments) + ")");
}

StyledText lookupText(const Journal& journal, EventId id, Notation notation) {
  const Event& event = journal.at(id);
  const std::string table(journal.name(event));
  if (event.verdict == Verdict::Hit) {
    // A job's recorder cannot observe how often an entry was used.
    const std::string served =
        event.count > 0 ? ", its entry served " + timesText(event.count) + " before" : "";
    return StyledText()
        .add(table + " ")
        .add("hit", Tone::Good)
        .add(served)
        .add(readLookup(journal.detail(event)).verified ? "; recomputed, identical" : "");
  }
  if (event.verdict == Verdict::Off) return StyledText().add(table + " cache is off");
  const std::string why = missText(cacheLookupAt(journal, id, notation));
  return StyledText().add(table + " ").add("miss", Tone::Warn).add(why.empty() ? why : ", " + why);
}

StyledText evictionText(const Journal& journal, const Event& event, Notation notation) {
  const std::string key = placedKey(journal, event.subject, notation);
  return StyledText()
      .add(std::string(journal.name(event)) + " cache is full, ")
      .add("evicts", Tone::Warn)
      .add(" the least recently used entry" + (key.empty() ? "" : ": " + key));
}

StyledText candidatesText(const Journal& journal, const Event& event, Notation notation) {
  const CandidatesRecord candidates = readCandidates(journal.detail(event));
  auto text = StyledText()
                  .add(journal.name(event), Tone::Strong)
                  .add(chosenText(candidates, PlacementWords(journal, notation)));
  const auto rivals = rivalsText(candidates);
  return rivals.empty() ? text : text.add("; rather than " + rivals, Tone::Quiet);
}

StyledText planText(const Journal& journal, const Event& event, Notation notation) {
  if (event.count == 0) return StyledText().add("nothing to do");
  std::string text = PlacementWords::ofPlan(journal, event, notation).route(journal, event);
  const PlanRecord plan = readPlan(journal.detail(event));
  if (plan.steps.size() == 1 && !plan.steps.front().move.empty()) {
    text += " by " + moveText(plan.steps.front());
  }
  if (event.bytes == 0) {
    // Plans of recorded jobs do not contain bytes.
    const bool areKnown = std::ranges::none_of(
        plan.steps, [](const PlanStepRecord& step) { return step.move.empty(); });
    return StyledText().add(text + (areKnown ? ", nothing is sent" : ""));
  }
  text += ", each rank receives " + byteCountText(event.bytes);
  const double time = microsecondsOf(plan);
  if (time > 0) text += ", about " + microsecondsText(time);
  for (const auto& alternative : plan.alternatives) {
    if (alternative.chosen) text += ", holds " + estimatedBytesText(alternative.peak);
  }
  return StyledText().add(text);
}

StyledText checkText(const Journal& journal, const Event& event) {
  const CheckRecord check = readCheck(journal.detail(event));
  auto sentence = StyledText().add(journal.name(event), Tone::Strong);
  if (event.verdict == Verdict::Differs) {
    return sentence.add(" differs", Tone::Bad).add(" from plain torch" + differenceText(check));
  }
  if (event.verdict != Verdict::Same) {
    return sentence.add(" is not checked", Tone::Warn).add(differenceText(check));
  }
  return sentence.add(" matches plain torch", Tone::Good)
      .add(check.largest.empty() ? "" : ", differs by " + check.largest)
      .add(check.bound.empty() ? "" : ", " + boundText(check));
}

}  // namespace

EventSentences::EventSentences(const Journal& journal, Notation notation)
    : journal_(journal), notation_(notation), mesh_(recordedMesh(journal)) {
  const auto hosted = hostedRanks(journal);
  if (mesh_ && hosted != mesh_->ranks()) hosted_ = ranksText({hosted});
}

StyledText EventSentences::text(EventId id) const {
  const Event& event = journal_.at(id);
  switch (event.kind) {
    case EventKind::Operator:
      return operatorText(journal_, id, notation_);
    case EventKind::CacheLookup:
      return lookupText(journal_, id, notation_);
    case EventKind::CacheEvicted:
      return evictionText(journal_, event, notation_);
    case EventKind::Candidates:
      return candidatesText(journal_, event, notation_);
    case EventKind::Redistribute:
      return redistributeText(id);
    case EventKind::Plan:
      return planText(journal_, event, notation_);
    case EventKind::Collective:
      return collectiveText(id);
    case EventKind::MaskMaterialized:
    case EventKind::MaskApplied:
    case EventKind::MaskReleased:
      return maskText(event);
    case EventKind::Result:
      return resultText(event);
    case EventKind::Check:
      return checkText(journal_, event);
    case EventKind::Error:
      return StyledText().add(journal_.name(event), Tone::Bad);
    case EventKind::Step:
      if (!recordsOperators(event)) {
        return StyledText().add(journal_.name(event)).add(": its operators are not recorded");
      }
      [[fallthrough]];
    case EventKind::Compute:
      return StyledText().add(journal_.name(event));
  }
  return {};
}

StyledText EventSentences::redistributeText(EventId id) const {
  const Event& event = journal_.at(id);
  const auto subject = event.subject == 0 ? "" : journal_.tensor(event.subject).name + ": ";
  auto text = StyledText().add(
      subject + PlacementWords(journal_, event.subject, notation_).route(journal_, event));
  if (event.verdict != Verdict::Implicit) return text.add(", explicit");
  text.add(", ");
  return isImplicitCommunication(journal_, id)
             ? text.add("IMPLICIT", Tone::Bad)
                   .add(": required by the strategy, not requested by the program")
             : text.add("implicit", Tone::Warn).add(": required by the strategy");
}

std::vector<StyledText> EventSentences::more(EventId id) const {
  const Event& event = journal_.at(id);
  if (event.kind != EventKind::Plan) return {};
  const PlacementWords words(journal_, notation_);
  const PlanRecord plan = readPlan(journal_.detail(event));
  std::vector<StyledText> lines;
  const auto add = [&](const std::string& text, Tone tone) {
    lines.push_back(StyledText().add(text, tone));
  };
  for (const auto& step : plan.steps) {
    if (plan.steps.size() > 1 && !step.move.empty()) add(stepText(step, words), Tone::Plain);
  }
  if (!plan.caveat.empty()) add("a cheaper plan may exist: " + plan.caveat, Tone::Warn);
  const bool movesRows = std::any_of(plan.steps.begin(), plan.steps.end(), [](const auto& step) {
    const auto move = parseMove(step.move);
    return move && movesOwnedRows(*move);
  });
  if (movesRows && isDry(journal_)) {
    add("estimated as if each rank owned equally many rows; the ids decide", Tone::Warn);
  }
  constexpr int kRivals = 2;
  int rivals = 0;
  for (const auto& alternative : plan.alternatives) {
    if (alternative.chosen || ++rivals > kRivals) continue;
    add("rather than " + alternativeText(alternative, words), Tone::Quiet);
  }
  return lines;
}

StyledText EventSentences::collectiveText(EventId id) const {
  const Event event = journal_.at(id);
  auto sentence = StyledText().add(journal_.name(event), Tone::Traffic);
  std::string text;
  if (const auto axis = axisOf(journal_, event); !axis.empty()) text += " over " + axis;
  text += ", " + (event.ranks == 0 && isImported(journal_)
                      ? "ranks unknown"
                      : "ranks " + groupsText(journal_.text(event.ranks)));
  const std::string sent = sentBytesText(journal_, event);
  if (!sent.empty()) text += ", " + sent;
  if (isDry(journal_)) {
    text += ", about " + durationText(event.duration);
  } else if (!sent.empty() && !hosted_.empty()) {
    text += " by ranks " + hosted_;
  }
  sentence.add(text);
  if (const auto why = readCollective(journal_.detail(event)).why; !why.empty()) {
    sentence.add(": " + why, Tone::Quiet);
  }
  const auto wait = collectiveWait(journal_, id);
  return wait ? sentence.add(", ").add(waitText(journal_, *wait), Tone::Bad) : sentence;
}

StyledText EventSentences::maskText(const Event& event) const {
  std::string text = "buffer " + std::to_string(event.subject);
  if (event.kind == EventKind::MaskMaterialized) {
    const auto holder = readHolder(journal_.detail(event));
    text += " materialized" + (holder.empty() ? "" : " for " + holder) + ", refcount ";
  } else if (event.kind == EventKind::MaskApplied) {
    const std::string of = event.related == 0 ? "" : " of " + journal_.tensor(event.related).name;
    text += " applied: masked rows" + of + " are set to zero, refcount ";
  } else {
    text += " released, refcount ";
  }
  const bool dropped = event.kind == EventKind::MaskReleased && event.count == 0;
  return StyledText()
      .add(text)
      .add(std::to_string(event.count), Tone::Strong)
      .add(dropped ? ": its bits are dropped" : "");
}

StyledText EventSentences::resultText(const Event& event) const {
  const std::string name(journal_.name(event).empty() ? "_" : journal_.name(event));
  auto sentence = StyledText().add(name, Tone::Strong);
  if (event.subject == 0) return sentence;
  const TensorRecord tensor = journal_.tensor(event.subject);
  sentence.add(": ").add(placedTensorText(journal_, tensor, notation_), Tone::Value);
  if (tensor.mesh) {
    sentence.add(" on a mesh " + axesText(*tensor.mesh) + " of ranks " +
                 ranksText(tensor.mesh->replicas()));
  }
  const auto locals = localShapesText(journal_, event.subject);
  return locals.empty() ? sentence : sentence.add(", " + locals);
}

}  // namespace shardlens::view
