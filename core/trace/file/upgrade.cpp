#include "core/trace/file/upgrade.h"

#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/plan_record.h"
#include "core/trace/records/trace_rows.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {
namespace {

// Splits a name like "dp_tp" into mesh dimensions. Empty if it is not made of axis names in mesh
// order.
std::vector<int> meshDimsOf(std::string_view axis, const DeviceMesh& mesh) {
  std::vector<int> dims;
  for (int dim = 0; dim < mesh.ndim() && !axis.empty(); ++dim) {
    const std::string& name = mesh.names()[static_cast<std::size_t>(dim)];
    const auto rest = axis.substr(std::min(name.size(), axis.size()));
    if (!axis.starts_with(name) || !(rest.empty() || rest.starts_with('_'))) continue;
    dims.push_back(dim);
    axis = rest.empty() ? rest : rest.substr(1);
  }
  return axis.empty() ? dims : std::vector<int>();
}

// Sets `subkind` and clears the name if it is that of an enumerator.
template <class Enum>
void takeSubkind(Event& event, Enum subkind) {
  event.subkind = static_cast<std::uint8_t>(subkind);
  if (event.subkind != 0) event.name = 0;
}

}  // namespace

void UpgradeFromFormat4::upgradeMeta() {
  constexpr std::string_view kJob = "DTensor of torch ";
  const auto backend = journal_.meta("backend");
  if (backend.starts_with(kJob)) {
    journal_.onMeta("torch", std::string(backend.substr(kJob.size())));
  }
}

Event UpgradeFromFormat4::operator()(Event event) {
  const auto name = journal_.text(event.name);
  if (event.kind == EventKind::Collective) takeSubkind(event, parseCollective(name));
  if (isOfCache(event.kind)) takeSubkind(event, parseCache(name));
  if (event.kind == EventKind::Redistribute || event.kind == EventKind::Plan) {
    event.route = routeOf(event.name);
    if (event.route != 0) event.name = 0;
  }
  event.detail = detailOf(event.kind, event.detail);
  return event;
}

RouteId UpgradeFromFormat4::routeOf(StringId name) {
  const auto [known, isNew] = routeOf_.try_emplace(name, 0);
  if (!isNew) return known->second;
  const std::string text(journal_.text(name));
  const auto parsed = parseRoute(text);
  // Placements that no tensor can have stay text.
  const auto route = parsed ? parseRouteJson(routeJson(*parsed)) : std::nullopt;
  if (!route || routeText(*route) != text) return 0;
  const auto [place, isFirst] = routes_.try_emplace(text, journal_.routes() + 1);
  if (isFirst) journal_.onRoute(place->second, *route);
  return known->second = place->second;
}

StringId UpgradeFromFormat4::detailOf(EventKind kind, StringId detail) {
  const bool hasPlacements = kind == EventKind::Plan || kind == EventKind::CacheLookup;
  if (detail == 0 || !hasPlacements) return detail;
  const auto [known, isNew] = details_.try_emplace(detail, 0);
  if (isNew) {
    known->second = kind == EventKind::Plan ? planDetailOf(detail) : lookupDetailOf(detail);
  }
  return known->second;
}

StringId UpgradeFromFormat4::planDetailOf(StringId detail) {
  constexpr std::string_view kVia = "via ";
  PlanRecord plan = readPlan(journal_.text(detail));
  const auto mesh = recordedMesh(journal_);
  for (auto& step : plan.steps) {
    if (mesh && step.meshDims.empty()) step.meshDims = meshDimsOf(step.axis, *mesh);
  }
  for (auto& alternative : plan.alternatives) {
    const std::string_view name = alternative.name;
    if (!name.starts_with(kVia)) continue;
    alternative.via = RecordedPlacements(name.substr(kVia.size())).placements;
  }
  return intern(planDetail(plan));
}

StringId UpgradeFromFormat4::lookupDetailOf(StringId detail) {
  LookupRecord lookup = readLookup(journal_.text(detail));
  for (auto& field : lookup.fields) field.value = parseLookupValue(toText(field.value));
  return intern(lookupDetail(lookup));
}

StringId UpgradeFromFormat4::intern(const std::string& text) {
  if (text.empty()) return 0;
  const StringId id = journal_.strings() + 1;
  journal_.onString(id, text);
  return id;
}

}  // namespace shardlens
