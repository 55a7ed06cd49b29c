#include "core/view/words/placed_records.h"

namespace shardlens::view {

CandidatesRecord placedCandidates(const Journal& journal, const Event& event, Notation notation) {
  const PlacementWords words(journal, notation);
  CandidatesRecord record = readCandidates(journal.detail(event));
  for (CandidateRecord& candidate : record.candidates) {
    for (auto* placements : {&candidate.inputs, &candidate.outputs}) {
      for (std::string& each : *placements) each = words.in(each);
    }
  }
  return record;
}

PlanRecord placedPlan(const Journal& journal, const Event& event, Notation notation) {
  const PlacementWords words(journal, notation);
  PlanRecord plan = readPlan(journal.detail(event));
  for (PlanStepRecord& step : plan.steps) {
    step.from = words.along(step.axis, step.from);
    step.to = words.along(step.axis, step.to);
    step.after = words.in(step.after);
  }
  for (AlternativeRecord& alternative : plan.alternatives) {
    alternative.name = words.in(alternative.name);  // "via (R, S(1))"
    alternative.steps = words.in(alternative.steps);
  }
  return plan;
}

LookupRecord placedLookup(const Journal& journal, const Event& event, Notation notation) {
  const PlacementWords words(journal, notation);
  LookupRecord lookup = readLookup(journal.detail(event));
  for (LookupField& field : lookup.fields) field.text = words.in(field.text);
  return lookup;
}

std::string placedKey(const Journal& journal, EventId made, Notation notation) {
  return made == 0 ? std::string()
                   : keyText(placedLookup(journal, journal.at(made), notation).fields);
}

}  // namespace shardlens::view
