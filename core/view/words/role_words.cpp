#include "core/view/words/role_words.h"

#include "core/model/rank_ranges.h"
#include "core/model/rank_selector.h"
#include "core/model/step_number.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/site_record.h"
#include "core/view/words/event_words.h"
#include "core/view/words/place_text.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

namespace shardlens::view {
namespace {

// Returns "ranks 0-3,8", or "ranks 0,2,4,6,8,10, ... (32 ranks)".
std::string rankRangesLabel(const std::vector<RankRange>& ranks) {
  constexpr std::size_t kMost = 6;
  const std::int64_t count = rankCount(ranks);
  const std::string what = count == 1 ? "rank " : "ranks ";
  if (ranks.size() <= kMost) return what + rangesText(ranks);
  return fmt::format("{}{}, ... ({} ranks)", what,
                     rangesText({ranks.begin(), ranks.begin() + kMost}), count);
}

std::string sideText(const Journal& journal, const Divergence::Side& side, Notation notation) {
  const Event event = journal.at(side.event);
  std::string text =
      rankRangesLabel(side.ranks) + " ran " + eventWords(journal, side.event, notation).title;
  if (const auto place = placeText(journal, event); !place.empty()) text += " at " + place;
  const auto module = readSite(journal.text(event.site)).module;
  return module.empty() ? text : text + " in " + module;
}

}  // namespace

std::string programRoleText(const Journal& journal, const ProgramRole& role) {
  const auto mesh = recordedMesh(journal);
  const auto axes = mesh ? axesSelecting(role.ranks, *mesh) : std::string();
  return rankRangesLabel(role.ranks) + (axes.empty() ? "" : " (" + axes + ")");
}

std::string divergenceText(const Journal& journal, const Divergence& divergence,
                           Notation notation) {
  return fmt::format("step {}: {} where {}", stepNumber(divergence.step),
                     sideText(journal, divergence.other, notation),
                     sideText(journal, divergence.most, notation));
}

}  // namespace shardlens::view
