#include "core/inference/tables.h"

#include "core/inference/words.h"
#include "core/model/ranks_text.h"
#include "core/view/words/place_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <utility>

namespace shardlens {
namespace {

using Kind = LedgerEntry::Kind;

// Returns "divided by 4" for 0.25.
std::string scalingText(std::optional<double> factor) {
  if (!factor) return "scaled by a tensor";
  return std::abs(*factor) < 1 && *factor != 0 ? fmt::format("divided by {:.6g}", 1 / *factor)
                                               : fmt::format("multiplied by {:.6g}", *factor);
}

std::string reductionText(const std::string& reduction) {
  if (reduction == "sum") return "summed";
  if (reduction == "avg") return "averaged";
  return "reduced";
}

// Returns "dp, tp", or the ranks if no axis is known.
std::string namesText(const LedgerEntry& entry, const std::vector<RankAxis>& axes) {
  std::string names;
  for (const auto axis : entry.axes) names += (names.empty() ? "" : ", ") + axes[axis].name;
  return names.empty() ? "ranks " + ranksText(entry.groups) : names;
}

}  // namespace

std::string_view entryName(LedgerEntry::Kind kind) {
  switch (kind) {
    case Kind::Computed:
      return "computed";
    case Kind::Reduced:
      return "reduced";
    case Kind::Moved:
      return "moved";
    case Kind::Scaled:
      return "scaled";
    case Kind::Accumulated:
      return "accumulated";
    case Kind::Read:
      return "read";
  }
  return "";
}

std::string entryText(const LedgerEntry& entry) {
  switch (entry.kind) {
    case Kind::Computed:
      return "computed by " + entry.what;
    case Kind::Reduced:
      return reductionText(entry.reduction) + " by " + entry.what;
    case Kind::Moved:
      return "replaced by " + entry.what;
    case Kind::Scaled:
      return scalingText(entry.factor);
    case Kind::Accumulated:
      return "another value added";
    case Kind::Read:
      return "read by the optimizer";
  }
  return {};
}

std::string overText(const LedgerEntry& entry, const std::vector<RankAxis>& axes) {
  if (entry.axes.empty()) {
    return entry.groups.empty() ? std::string() : "ranks " + ranksText(entry.groups);
  }
  std::string text;
  for (const auto axis : entry.axes) text += (text.empty() ? "" : ", ") + axisText(axes[axis]);
  return text;
}

std::string ledgerSummary(const GradientLedger& ledger, const std::vector<RankAxis>& axes) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  double factor = 1;
  bool isKnown = true;
  for (const auto& entry : ledger.entries) {
    if (entry.kind == Kind::Read) break;
    if (entry.kind == Kind::Reduced) {
      add(reductionText(entry.reduction) + " over " + namesText(entry, axes));
    } else if (entry.kind == Kind::Scaled) {
      factor *= entry.factor.value_or(1);
      isKnown &= entry.factor.has_value();
    }
  }
  if (factor != 1) add(scalingText(factor));
  if (!isKnown) add(scalingText(std::nullopt));
  return text;
}

nlohmann::ordered_json placementsByAxis(const std::vector<RankAxis>& axes,
                                        const std::vector<InferredPlacement>& placements) {
  auto byAxis = nlohmann::ordered_json::object();
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const auto& placement = placements[axis].placement;
    byAxis[axes[axis].name] =
        placement ? nlohmann::ordered_json(toText(*placement)) : nlohmann::ordered_json();
  }
  return byAxis;
}

view::Table evidenceTable(const Journal& journal, const std::vector<RankAxis>& axes,
                          const std::vector<InferredPlacement>& placements) {
  std::vector<view::Row> rows;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    const auto& inferred = placements[axis];
    std::string why = evidenceText(journal, axes[axis], inferred);
    if (why.empty()) why = inferred.isContradicted ? "facts contradict each other" : "unknown";
    rows.push_back({.cells = {{axes[axis].name}, {placementText(inferred)}, {why}},
                    .tooltip = axisText(axes[axis]) + ": " + why,
                    .event = inferred.evidence.event});
    if (inferred.isContradicted) rows.back().cells[1].tone = view::Tone::Bad;
  }
  return {{{"axis"}, {"placement"}, {"inferred from"}}, std::move(rows)};
}

view::Table ledgerTable(const Journal& journal, const std::vector<RankAxis>& axes,
                        const GradientLedger& ledger) {
  std::vector<view::Row> rows;
  bool isRead = false;
  for (const auto& entry : ledger.entries) {
    const auto place = view::placeText(journal, journal.at(entry.event));
    const auto tone = isRead ? view::Tone::Bad : view::Tone::Plain;
    const auto text = entryText(entry) + (isRead ? ", too late" : "");
    rows.push_back({.cells = {{text, tone},
                              {overText(entry, axes), tone},
                              {placementsText(axes, entry.placements)},
                              {place}},
                    .tooltip = text + (place.empty() ? "" : " at " + place),
                    .event = entry.event});
    isRead |= entry.kind == Kind::Read;
  }
  return {{{"gradient"}, {"over"}, {"then"}, {"at", view::Align::Left, true}}, std::move(rows)};
}

std::vector<GradientLedger> newestLedgers(const std::vector<GradientLedger>& ledgers) {
  std::vector<GradientLedger> newest;
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> places;
  for (const auto& ledger : ledgers) {
    const auto [place, isNew] = places.try_emplace({ledger.name, ledger.ranks}, newest.size());
    if (isNew) newest.emplace_back();
    newest[place->second] = ledger;
  }
  return newest;
}

}  // namespace shardlens
