#include "core/query/history/tensor_uses.h"

#include "core/query/history/memory_views.h"
#include "core/trace/records/plain_record.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <utility>

namespace shardlens {

std::string_view wordOf(TensorUse::What what) {
  using What = TensorUse::What;
  switch (what) {
    case What::Made:
      return "made";
    case What::Written:
      return "written";
    case What::Described:
      return "described";
    case What::Read:
      return "read";
    case What::Moved:
      return "moved";
    case What::Masked:
      return "masked";
    case What::Released:
      return "mask released";
    case What::Compared:
      break;
  }
  return "compared";
}

bool TensorUses::advance(EventId events) {
  const EventId last = std::min(journal_.size(), kMostRead);
  for (; events != 0 && read_ < last; --events) take(++read_);
  return read_ < last;
}

const std::vector<TensorUse>& TensorUses::of(TensorId tensor) const {
  static const std::vector<TensorUse> kNone;
  const auto found = uses_.find(tensor);
  return found == uses_.end() ? kNone : found->second;
}

// An event is one use of a tensor, even if it reads the tensor twice.
void TensorUses::add(TensorId tensor, EventId id, TensorUse::What what) {
  auto& uses = uses_[tensor];
  if (uses.empty() || uses.back().event != id) uses.push_back({id, what});
}

bool TensorUses::isInMove(EventId id) const {
  for (EventId around = journal_.at(id).parent; around != 0;) {
    const Event event = journal_.at(around);
    if (event.kind == EventKind::Redistribute) return true;
    if (event.kind == EventKind::Operator || event.kind == EventKind::Step) return false;
    around = event.parent;
  }
  return false;
}

void TensorUses::take(EventId id) {
  using What = TensorUse::What;
  const Event event = journal_.at(id);
  if (!hasModules_ && event.site != 0 && std::exchange(site_, event.site) != event.site) {
    hasModules_ = !readSite(journal_.text(event.site)).module.empty();
  }
  switch (event.kind) {
    case EventKind::Operator:
      for (const TensorId input : journal_.inputs(id)) {
        if (input != 0) add(input, id, What::Read);  // 0: unknown
      }
      break;
    case EventKind::Redistribute:
      if (event.subject != 0) add(event.subject, id, What::Moved);
      break;
    case EventKind::Result:
      if (event.related != 0) masks_.insert(event.related);
      if (event.subject != 0) takeResult(id, event);
      break;
    case EventKind::MaskMaterialized:
      if (event.related != 0) masks_.insert(event.related);
      break;
    case EventKind::MaskApplied:
      if (event.related != 0) add(event.related, id, What::Masked);
      break;
    case EventKind::MaskReleased:
      if (const auto held = held_.find(event.related); held != held_.end()) {
        for (const TensorId tensor : held->second) add(tensor, id, What::Released);
      }
      break;
    case EventKind::Check:
      if (event.subject != 0) add(event.subject, id, What::Compared);
      break;
    default:
      break;
  }
}

void TensorUses::takeResult(EventId id, const Event& event) {
  using What = TensorUse::What;
  const TensorId tensor = event.subject;
  const PlainRole role = readPlainRole(journal_.detail(event));
  const bool isFirst = made_.insert(tensor).second;
  if (isFirst && !masks_.contains(tensor) && role != PlainRole::Random) tensors_.push_back(tensor);
  add(tensor, id,
      isInMove(id)                  ? What::Moved
      : isFirst                     ? What::Made
      : isDescription(journal_, id) ? What::Described
                                    : What::Written);
  if (event.count != 0) held_[static_cast<EventId>(event.count)].push_back(tensor);
}

std::string TensorUses::moduleOf(TensorId tensor) const {
  const auto& uses = of(tensor);
  for (EventId id = uses.empty() ? 0 : uses.front().event; id != 0;) {
    const Event event = journal_.at(id);
    if (event.site != 0) {
      if (auto site = readSite(journal_.text(event.site)); !site.module.empty()) return site.module;
    }
    id = event.parent;
  }
  return {};
}

}  // namespace shardlens
