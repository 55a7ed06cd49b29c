#include "core/query/problems/usual_inputs.h"

#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {

std::vector<SpecId> UsualInputs::specsOf(EventId call) const {
  std::vector<SpecId> specs;
  for (const TensorId input : journal_.inputs(call)) specs.push_back(journal_.specOf(input));
  return specs;
}

void UsualInputs::take(EventId call) {
  const Event event = journal_.at(call);
  const Place place{event.name, event.site};
  if (event.site == 0) return;
  if (places_.size() == kMostPlaces && !places_.contains(place)) return;
  auto& all = places_[place];
  auto inputs = specsOf(call);
  const auto same = std::ranges::find(all, inputs, &Calls::inputs);
  if (same != all.end()) {
    ++same->times;
  } else if (all.size() < kMostOfPlace) {
    all.push_back({std::move(inputs), call, 1});
  }
}

void UsualInputs::addMoved(EventId call) {
  const Event event = journal_.at(call);
  const auto place = places_.find({event.name, event.site});
  if (place == places_.end()) return;
  const auto same = std::ranges::find(place->second, specsOf(call), &Calls::inputs);
  if (same != place->second.end()) same->isMoved = true;
}

std::string UsualInputs::differenceOf(EventId call, view::Notation notation) const {
  const Event event = journal_.at(call);
  const auto place = places_.find({event.name, event.site});
  if (place == places_.end()) return {};
  const Calls* usual = nullptr;
  for (const Calls& each : place->second) {
    if (!each.isMoved && (usual == nullptr || each.times > usual->times)) usual = &each;
  }
  if (usual == nullptr) return {};
  const auto here = journal_.inputs(call), there = journal_.inputs(usual->first);
  const view::PlacementWords words(journal_, notation);
  for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
    const TensorRecord one = journal_.tensor(here[i]), other = journal_.tensor(there[i]);
    if (one.placements == other.placements) continue;
    return fmt::format("input {} is {}, and {} in {} at this line", i + 1, words.of(one),
                       words.of(other),
                       view::plural(static_cast<std::int64_t>(usual->times), "other call"));
  }
  return {};
}

}  // namespace shardlens
