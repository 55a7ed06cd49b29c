#include "core/inference/words.h"

#include "core/inference/contents.h"
#include "core/model/ranks_text.h"
#include "core/model/step_number.h"
#include "core/trace/records/plain_record.h"
#include "core/view/words/place_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace shardlens {
namespace {

// Returns "equal hashes on ranks 0-3 at step 2"; "" if elements or only statistics were compared.
// Leaves out groups that recorded no hashes at the event, as other stages of a pipeline.
std::string hashesText(const Journal& journal, const RankAxis& axis, const Event& event,
                       EventId id) {
  std::vector<std::vector<int>> groups;
  for (const auto& group : axis.groups) {
    const auto value = journal.value(event.subject, group.front(), id);
    if (!value || value->event != id || value->level != CaptureLevel::Hashes) continue;
    const auto likeness = compareContents(journal, event.subject, id, {axis.name, {group}});
    if (likeness != Likeness::Different && likeness != Likeness::Close) groups.push_back(group);
  }
  if (groups.empty()) return {};
  return fmt::format("equal hashes on ranks {} at step {}", ranksText(groups),
                     stepNumber(event.step));
}

// Returns "all_gather" for a collective, "aten.mm" for another operator.
std::string subjectText(const Journal& journal, const RankAxis& axis,
                        const InferredPlacement& inferred) {
  const Event event = journal.at(inferred.evidence.event);
  switch (inferred.evidence.kind) {
    case EvidenceKind::Collective:
      return readPlainCall(journal.detail(event)).collective;
    case EvidenceKind::Rule:
      return event.kind == EventKind::Operator ? std::string(journal.name(event))
                                               : "placement of the parameter";
    case EvidenceKind::EqualValues:
      if (auto text = hashesText(journal, axis, event, inferred.evidence.event); !text.empty()) {
        return text;
      }
      [[fallthrough]];
    case EvidenceKind::DifferentValues:
      return std::string(evidenceName(inferred.evidence.kind));
    case EvidenceKind::Claim:
      return readPlainClaim(journal.detail(event)).by;
    case EvidenceKind::None:
      break;
  }
  return {};
}

}  // namespace

std::string placementText(const InferredPlacement& inferred) {
  if (inferred.type) return std::string(toText(*inferred.type));
  if (inferred.placement) return toText(*inferred.placement);
  return inferred.isContradicted ? "!" : "?";
}

std::string placementsText(const std::vector<RankAxis>& axes,
                           const std::vector<InferredPlacement>& inferred) {
  std::string text;
  for (std::size_t axis = 0; axis < inferred.size(); ++axis) {
    text += (axis == 0 ? "" : ", ") + axes[axis].name + " " + placementText(inferred[axis]);
  }
  return text;
}

std::string evidenceText(const Journal& journal, const RankAxis& axis,
                         const InferredPlacement& inferred) {
  if (inferred.evidence.event == 0) return {};
  const std::string subject = subjectText(journal, axis, inferred);
  const auto place = view::placeText(journal, journal.at(inferred.evidence.event));
  return place.empty() ? subject : subject + " at " + place;
}

std::string axisText(const RankAxis& axis) {
  constexpr std::size_t kMostGroups = 8;
  const auto& all = axis.groups;
  const auto shown = std::min(all.size(), kMostGroups);
  const std::vector<std::vector<int>> groups(all.begin(),
                                             all.begin() + static_cast<std::ptrdiff_t>(shown));
  return axis.name + " (ranks " + ranksText(groups) + (shown < all.size() ? "|…)" : ")");
}

std::string nameText(const std::string& name, const std::vector<int>& ranks) {
  return ranks.empty() ? name : name + " (ranks " + ranksText({ranks}) + ")";
}

}  // namespace shardlens
