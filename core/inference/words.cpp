#include "core/inference/words.h"

#include "core/model/ranks_text.h"
#include "core/trace/records/plain_record.h"
#include "core/view/words/place_text.h"

#include <algorithm>
#include <vector>

namespace shardlens {
namespace {

// Returns "all_gather" for a collective, "aten.mm" for another operator.
std::string subjectText(const Journal& journal, const InferredPlacement& inferred) {
  const Event event = journal.at(inferred.evidence.event);
  switch (inferred.evidence.kind) {
    case EvidenceKind::Collective:
      return readPlainCall(journal.detail(event)).collective;
    case EvidenceKind::Rule:
      return event.kind == EventKind::Operator ? std::string(journal.name(event))
                                               : "placement of the parameter";
    case EvidenceKind::EqualValues:
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

std::string evidenceText(const Journal& journal, const InferredPlacement& inferred) {
  if (inferred.evidence.event == 0) return {};
  const std::string subject = subjectText(journal, inferred);
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

}  // namespace shardlens
