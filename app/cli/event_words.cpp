#include "app/cli/event_words.h"

#include "app/cli/detail_words.h"

#include <nlohmann/json.hpp>

namespace shardlens::cli {

std::string bytesText(std::int64_t bytes) {
  constexpr std::int64_t kStep = 1024;
  if (bytes < kStep) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  auto tenths = static_cast<double>(bytes) * 10;
  const char* unit = "";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (tenths < 10 * kStep) break;
    tenths /= kStep;
    unit = larger;
  }
  const auto rounded = static_cast<std::int64_t>(tenths + 0.5);
  return std::to_string(rounded / 10) + "." + std::to_string(rounded % 10) + " " + unit;
}

EventWords::EventWords(const Journal& journal, Ink ink)
    : journal_(journal), ink_(ink), mesh_(parseMesh(journal.meta("mesh"))) {}

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
  return ink_.bold(journal_.name(event)) + argumentsText(journal_.detail(event));
}

std::string EventWords::lookupText(const Event& event) const {
  const std::string table(journal_.name(event));
  if (event.verdict == Verdict::Hit) {
    return table + " " + ink_.good("hit") + ", its entry served " + timesText(event.count) +
           " before";
  }
  if (event.verdict == Verdict::Off) return table + " cache is switched off";
  return table + " " + ink_.notice("miss") + ", " + missText(journal_.detail(event));
}

std::string EventWords::candidatesText(const Event& event) const {
  const auto text = ink_.bold(journal_.name(event)) + chosenText(journal_.detail(event));
  const auto rivals = rivalsText(journal_.detail(event));
  return rivals.empty() ? text : text + ink_.dim("; rather than " + rivals);
}

// What nobody asked for is an alarm where it costs something.
std::string EventWords::redistributeText(EventId id) const {
  const Event& event = journal_.at(id);
  const auto subject = event.subject == 0 ? "" : journal_.tensor(event.subject).name + ": ";
  const std::string name = subject + std::string(journal_.name(event));
  if (event.verdict != Verdict::Implicit) return name + ", as asked";
  if (!sends(id)) return name + ", " + ink_.notice("implicit") + ": the strategy wants it so";
  return name + ", " + ink_.alarm("IMPLICIT") + ": nobody asked, but the strategy wants it so";
}

// Whether a collective ran inside of this event, which has ended.
bool EventWords::sends(EventId id) const {
  for (EventId inner = id + 1; inner <= journal_.size() && journal_.at(inner).parent >= id;
       ++inner) {
    if (journal_.at(inner).kind == EventKind::Collective) return true;
  }
  return false;
}

std::string EventWords::planText(const Event& event) const {
  if (event.count == 0) return "nothing to do";
  const std::string text(journal_.name(event));
  if (event.bytes == 0) return text + ", nothing is sent";
  return text + ", each rank receives " + bytesText(event.bytes);
}

std::string EventWords::collectiveText(const Event& event) const {
  std::string text = ink_.traffic(journal_.name(event));
  if (mesh_ && event.meshDim >= 0 && event.meshDim < mesh_->ndim()) {
    text += " over " + mesh_->names()[static_cast<std::size_t>(event.meshDim)];
  }
  text += ", ranks " + groupsText(journal_.text(event.ranks));
  return text + ", " + bytesText(event.bytes) + " put in";
}

std::string EventWords::maskText(const Event& event) const {
  const std::string buffer = "buffer " + std::to_string(event.subject);
  const std::string held =
      "refcount " + ink_.bold(std::to_string(event.count)) + holdersText(journal_.detail(event));
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
  const auto locals = localShapesText(journal_, mesh_, event.subject);
  return locals.empty() ? text : text + ", " + locals;
}

}  // namespace shardlens::cli
