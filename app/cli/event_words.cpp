#include "app/cli/event_words.h"

#include "app/cli/detail_words.h"
#include "core/model/byte_count.h"
#include "core/model/ranks_text.h"
#include "core/plan/transform_info.h"
#include "core/trace/journal/event_text.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/plan_record.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace shardlens::cli {
namespace {

std::string rounded(double bytes) { return byteCountText(std::llround(bytes)); }

std::string moveText(const PlanStepRecord& step) {
  return step.axis.empty() ? step.move : step.move + " over " + step.axis;
}

std::string stepText(const PlanStepRecord& step) {
  std::string text = moveText(step) + ": " + step.from + " -> " + step.to;
  const bool whole = step.after.empty() || step.after == "(" + step.to + ")";
  if (!whole) text += ", now " + step.after;
  if (step.bytes > 0)
    text += ", receives " + rounded(step.bytes) + ", " + timeText(step.microseconds);
  return text;
}

// "by way of ..." says the same as the steps.
std::string wayText(const PlanWayRecord& way) {
  const bool isPlanners = way.name.find(' ') == std::string::npos;
  const bool isRoute = way.name.starts_with("by way of ");
  const std::string who = isPlanners ? way.name + "'s " : isRoute ? "" : way.name + " along ";
  return who + way.steps + ": " + std::to_string(way.collectives) +
         (way.collectives == 1 ? " collective, receives " : " collectives, receives ") +
         rounded(way.bytes) + ", " + timeText(way.microseconds) + ", holds " + rounded(way.peak);
}

double microseconds(const PlanRecord& plan) {
  double sum = 0;
  for (const auto& step : plan.steps) sum += step.microseconds;
  return sum;
}

}  // namespace

std::string timeText(double microseconds) {
  char text[32];
  const bool more = microseconds >= 1000;
  std::snprintf(text, sizeof text, "%.1f %s", more ? microseconds / 1000 : microseconds,
                more ? "ms" : "us");
  return text;
}

std::string axesText(const DeviceMesh& mesh) {
  std::string text;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    text += (dim == 0 ? "" : " x ") + mesh.names()[static_cast<std::size_t>(dim)] + ":" +
            std::to_string(mesh.size(dim));
  }
  return text;
}

EventWords::EventWords(const Journal& journal, Ink ink)
    : journal_(journal), ink_(ink), mesh_(recordedMesh(journal)) {
  const auto hosted = hostedRanks(journal);
  if (mesh_ && hosted != mesh_->ranks()) hosted_ = ranksText({hosted});
}

std::string_view EventWords::label(const Event& event) const {
  switch (event.kind) {
    case EventKind::Step:
      return "step";
    case EventKind::Operator:
      return "operator";
    case EventKind::CacheLookup:
      return "cache";
    case EventKind::Candidates:
      return "strategy";
    case EventKind::Redistribute:
      return "redistribute";
    case EventKind::Plan:
      return "plan";
    case EventKind::Collective:
      return "collective";
    case EventKind::MaskMaterialized:
    case EventKind::MaskApplied:
    case EventKind::MaskReleased:
      return "mask";
    case EventKind::Compute:
      return "compute";
    case EventKind::Result:
      return "result";
    case EventKind::Error:
      return "error";
  }
  return "";
}

std::string EventWords::text(EventId id) const {
  const Event& event = journal_.at(id);
  switch (event.kind) {
    case EventKind::Operator:
      return operatorText(event);
    case EventKind::CacheLookup:
      return lookupText(event);
    case EventKind::Candidates:
      return candidatesText(event);
    case EventKind::Redistribute:
      return redistributeText(id);
    case EventKind::Plan:
      return planText(event);
    case EventKind::Collective:
      return collectiveText(event);
    case EventKind::MaskMaterialized:
    case EventKind::MaskApplied:
    case EventKind::MaskReleased:
      return maskText(event);
    case EventKind::Result:
      return resultText(event);
    case EventKind::Error:
      return ink_.alarm(journal_.name(event));
    case EventKind::Step:
    case EventKind::Compute:
      return std::string(journal_.name(event));
  }
  return {};
}

std::string EventWords::operatorText(const Event& event) const {
  return ink_.bold(journal_.name(event)) + argumentsText(readOperator(journal_.detail(event)));
}

std::string EventWords::lookupText(const Event& event) const {
  const std::string table(journal_.name(event));
  if (event.verdict == Verdict::Hit) {
    return table + " " + ink_.good("hit") + ", its entry served " + timesText(event.count) +
           " before";
  }
  if (event.verdict == Verdict::Off) return table + " cache is switched off";
  return table + " " + ink_.notice("miss") + ", " + missText(readLookup(journal_.detail(event)));
}

std::string EventWords::candidatesText(const Event& event) const {
  const CandidatesRecord candidates = readCandidates(journal_.detail(event));
  const auto text = ink_.bold(journal_.name(event)) + chosenText(candidates);
  const auto rivals = rivalsText(candidates);
  return rivals.empty() ? text : text + ink_.dim("; rather than " + rivals);
}

// What nobody asked for is an alarm where it costs something.
std::string EventWords::redistributeText(EventId id) const {
  const Event& event = journal_.at(id);
  const auto subject = event.subject == 0 ? "" : journal_.tensor(event.subject).name + ": ";
  const std::string name = subject + std::string(journal_.name(event));
  if (event.verdict != Verdict::Implicit) return name + ", as asked";
  if (!hasCollective(journal_, id))
    return name + ", " + ink_.notice("implicit") + ": the strategy wants it so";
  return name + ", " + ink_.alarm("IMPLICIT") + ": nobody asked, but the strategy wants it so";
}

std::string EventWords::planText(const Event& event) const {
  if (event.count == 0) return "nothing to do";
  std::string text(journal_.name(event));
  const PlanRecord plan = readPlan(journal_.detail(event));
  if (plan.steps.size() == 1 && !plan.steps.front().move.empty()) {
    text += " by " + moveText(plan.steps.front());
  }
  if (event.bytes == 0) return text + ", nothing is sent";
  text += ", each rank receives " + byteCountText(event.bytes);
  const double time = microseconds(plan);
  if (time > 0) text += ", about " + timeText(time);
  for (const auto& way : plan.ways) {
    if (way.chosen) text += ", holds " + rounded(way.peak);
  }
  return text;
}

std::vector<std::string> EventWords::more(EventId id) const {
  const Event& event = journal_.at(id);
  if (event.kind != EventKind::Plan) return {};
  const PlanRecord plan = readPlan(journal_.detail(event));
  std::vector<std::string> lines;
  for (const auto& step : plan.steps) {
    if (plan.steps.size() > 1 && !step.move.empty()) lines.push_back(stepText(step));
  }
  if (!plan.caveat.empty()) {
    lines.push_back(ink_.notice("a cheaper plan may exist: " + plan.caveat));
  }
  const bool movesRows = std::any_of(plan.steps.begin(), plan.steps.end(), [](const auto& step) {
    return step.move == moveName(Move::AllGatherRows) || step.move == moveName(Move::AllToAllRows);
  });
  if (movesRows && isDry(journal_)) {
    lines.push_back(ink_.notice("the ids say how many rows each rank owns: as if equally many"));
  }
  constexpr int kRivals = 2;
  int rivals = 0;
  for (const auto& way : plan.ways) {
    if (way.chosen || ++rivals > kRivals) continue;
    lines.push_back(ink_.dim("rather than " + wayText(way)));
  }
  return lines;
}

std::string EventWords::collectiveText(const Event& event) const {
  std::string text = ink_.traffic(journal_.name(event));
  if (const auto axis = axisOf(journal_, event); !axis.empty()) text += " over " + axis;
  text += ", ranks " + groupsText(journal_.text(event.ranks));
  text += ", " + byteCountText(event.bytes) + " put in";
  if (isDry(journal_)) {
    return text + ", about " + timeText(static_cast<double>(event.duration) / 1e3);
  }
  return hosted_.empty() ? text : text + " by ranks " + hosted_;
}

std::string EventWords::maskText(const Event& event) const {
  const std::string buffer = "buffer " + std::to_string(event.subject);
  const std::string held = "refcount " + ink_.bold(std::to_string(event.count)) +
                           holdersText(readMaskBuffer(journal_.detail(event)));
  if (event.kind == EventKind::MaskMaterialized) {
    return buffer + " materialized, " + held;
  }
  if (event.kind == EventKind::MaskApplied) {
    const std::string tensor =
        event.related == 0 ? "the rows" : journal_.tensor(event.related).name;
    return buffer + " applied: what it masks of " + tensor + " is zero now, " + held;
  }
  return buffer + " released, " + held + (event.count == 0 ? ": its bits are dropped" : "");
}

std::string EventWords::resultText(const Event& event) const {
  const std::string name(journal_.name(event).empty() ? "_" : journal_.name(event));
  if (event.subject == 0) return ink_.bold(name);
  const TensorRecord& tensor = journal_.tensor(event.subject);
  std::string text = ink_.bold(name) + ": ";
  text += ink_.value(std::string(dtypeShortName(tensor.dtype)) + toText(tensor.shape) +
                     toText(tensor.placements));
  if (tensor.mesh) {
    text +=
        " on a mesh " + axesText(*tensor.mesh) + " of ranks " + ranksText({tensor.mesh->ranks()});
  }
  const auto locals = localShapesText(journal_, event.subject);
  return locals.empty() ? text : text + ", " + locals;
}

}  // namespace shardlens::cli
