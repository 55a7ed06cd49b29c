#include "core/query/problems/odd_placements.h"

#include "core/model/dtype.h"
#include "core/model/operator_words.h"
#include "core/query/language/event_around.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace shardlens {

namespace {

// Compares names by their numbers: "w9" before "w10".
bool isBefore(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

void OddPlacements::take(EventId id, const Event& event) {
  if (event.kind != EventKind::Result || event.subject == 0) return;
  if (event.subject > journal_.tensors()) return;
  const EventId move = aroundOf(journal_, id, EventKind::Redistribute);
  if (move != 0 && journal_.at(move).verdict == Verdict::Implicit) return;
  const EventId call = aroundOf(journal_, id, EventKind::Operator);
  if (call == 0) {
    placed_.insert_or_assign(event.subject, event.subject);
    families_[familyOf(event.subject)][journal_.nameOf(event.subject)] = event.subject;
    return;
  }
  if (!isMemoryView(wordOf(journal_.name(journal_.at(call))))) return;
  const auto inputs = journal_.inputs(call);
  const TensorId base = inputs.empty() ? 0 : placedOf(inputs.front());
  if (base == 0 || placed_.contains(event.subject)) return;
  placed_[event.subject] = base;
  if (views_.size() < kMostViews) {
    views_.push_back(event.subject);
    return;
  }
  placed_.erase(views_[nextView_]);
  views_[nextView_] = event.subject;
  nextView_ = (nextView_ + 1) % kMostViews;
}

TensorId OddPlacements::placedOf(TensorId tensor) const {
  const auto found = placed_.find(tensor);
  return found == placed_.end() ? 0 : found->second;
}

std::optional<view::OddPlacement> OddPlacements::oddOf(TensorId tensor) const {
  const auto family = families_.find(familyOf(tensor));
  if (family == families_.end()) return std::nullopt;
  std::map<SpecId, std::vector<TensorId>> byPlacement;
  for (const auto& [name, member] : family->second) {
    byPlacement[journal_.specOf(member)].push_back(member);
  }
  const auto most = std::ranges::max_element(byPlacement, {},
                                             [](const auto& each) { return each.second.size(); });
  const auto own = byPlacement.find(journal_.specOf(tensor));
  if (own == byPlacement.end() || own == most) return std::nullopt;
  const std::size_t count = own->second.size();
  if (count >= most->second.size() || 3 * count > family->second.size()) return std::nullopt;
  view::OddPlacement odd{.tensor = tensor, .other = most->second.front()};
  for (const TensorId each : most->second) {
    odd.others.emplace_back(journal_.text(journal_.nameOf(each)));
  }
  std::ranges::sort(odd.others, isBefore);
  return odd;
}

std::string OddPlacements::familyOf(TensorId tensor) const {
  const TensorRecord record = journal_.tensor(tensor);
  std::string family;
  for (const char letter : record.name) {
    const bool isNumber = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (!isNumber) family += letter;
    if (isNumber && (family.empty() || family.back() != '#')) family += '#';
  }
  return family + " " + std::string(dtypeShortName(record.dtype)) + toText(record.shape);
}

}  // namespace shardlens
