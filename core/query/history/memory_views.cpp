#include "core/query/history/memory_views.h"

#include "core/model/operator_words.h"
#include "core/query/language/event_around.h"
#include "core/trace/records/plain_record.h"

#include <string_view>

namespace shardlens {
namespace {

// Returns "add_" of "aten.add_.Tensor"; empty for other events and for a call without inputs.
std::string_view operatorOf(const Journal& journal, EventId id) {
  if (id == 0) return {};
  const Event event = journal.at(id);
  if (event.kind != EventKind::Operator || journal.inputs(id).empty()) return {};
  return wordOf(journal.name(event));
}

}  // namespace

bool isViewCall(const Journal& journal, EventId id) {
  return isMemoryView(operatorOf(journal, id));
}

bool isInPlaceCall(const Journal& journal, EventId id) {
  const std::string_view name = operatorOf(journal, id);
  return name.ends_with('_') && !name.ends_with("__") && !name.starts_with("_foreach");
}

bool isDescription(const Journal& journal, EventId result) {
  const PlainRole role = readPlainRole(journal.detail(journal.at(result)));
  return isViewCall(journal, aroundOf(journal, result, EventKind::Operator)) ||
         role == PlainRole::Parameter || role == PlainRole::Buffer || role == PlainRole::Gradient ||
         role == PlainRole::Output || role == PlainRole::Claim || role == PlainRole::Pending;
}

void MemoryViews::take(EventId id, const Event& event) {
  if (event.kind != EventKind::Result || event.subject == 0) return;
  const EventId call = aroundOf(journal_, id, EventKind::Operator);
  if (isViewCall(journal_, call) && contains(journal_.inputs(call).front())) add(event.subject);
}

}  // namespace shardlens
