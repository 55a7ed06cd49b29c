#include "core/imports/formats/debug_calls.h"

#include "core/imports/collectives.h"
#include "core/trace/records/candidates_record.h"

#include <algorithm>
#include <charconv>

namespace shardlens {

namespace {

// Returns the size of the first tensor in "t: f32[2, 3, 8], sum, 0", or 0 if there is none or its
// dtype is unknown.
std::int64_t tensorBytes(std::string_view arguments) {
  const auto open = arguments.find('[');
  const auto close = arguments.find(']', open);
  if (close == std::string_view::npos) return 0;
  const auto before = arguments.find_last_of(" [", open - 1);
  const auto begin = before == std::string_view::npos || open == 0 ? 0 : before + 1;
  std::int64_t bytes = open == 0 ? 0 : elementSize(arguments.substr(begin, open - begin));
  const char* at = arguments.data() + open + 1;
  const char* const end = arguments.data() + close;
  while (at < end) {
    std::int64_t size = 0;
    const auto [next, problem] = std::from_chars(at, end, size);
    if (problem != std::errc()) {
      ++at;
      continue;
    }
    if (__builtin_mul_overflow(bytes, size, &bytes)) return 0;
    at = next;
  }
  return std::max<std::int64_t>(bytes, 0);
}

// Removes torch.Size(...) around sizes: "MaskP(sum, torch.Size([16, 8]), 0)" becomes "MaskP(sum,
// [16, 8], 0)".
std::string plainSizes(std::string_view text) {
  constexpr std::string_view kSize = "torch.Size(";
  std::string plain;
  for (auto at = text.find(kSize); at != std::string_view::npos; at = text.find(kSize)) {
    const auto end = std::min(text.find(')', at), text.size());
    plain.append(text.substr(0, at))
        .append(text.substr(at + kSize.size(), end - at - kSize.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  plain += text;
  return plain;
}

// Returns the last argument, which is the group of a functional collective.
std::string_view groupOfCall(std::string_view arguments) {
  const auto comma = arguments.rfind(", ");
  return comma == std::string_view::npos ? std::string_view() : arguments.substr(comma + 2);
}

// Returns the placements of each sharded tensor among the arguments: "S(0)" for "dt: f32[16, 8]|
// S(0)".
std::vector<RecordedPlacements> placementsIn(std::string_view arguments) {
  constexpr std::string_view kBar = "| ";
  std::vector<RecordedPlacements> all;
  for (auto bar = arguments.find(kBar); bar != std::string_view::npos; bar = arguments.find(kBar)) {
    arguments.remove_prefix(bar + kBar.size());
    int depth = 0;
    std::size_t end = 0;
    for (; end < arguments.size(); ++end) {
      const char c = arguments[end];
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (depth < 0 || (depth == 0 && (c == ',' || c == '\''))) break;
    }
    all.emplace_back(plainSizes(arguments.substr(0, end)));
    arguments.remove_prefix(end);
  }
  return all;
}

}  // namespace

void DebugCalls::takeOperator(const DebugCall& call, Event& event) {
  constexpr std::string_view kFunctional = "_c10d_functional::";
  event.kind = EventKind::Operator;
  event.name = rank_.intern(operatorName(call.name));
  // Only names that begin with "c10d" or "_c10d" are collectives.
  if (call.name.find("c10d") > 1) return;
  const auto at = call.name.find("::");
  std::string_view called = call.name;
  called.remove_prefix(at == std::string::npos ? 0 : at + 2);
  const auto collective = collectiveOf(called.substr(0, called.find('.')));
  if (!collective) return;
  event.kind = EventKind::Collective;
  event.subkind = static_cast<std::uint8_t>(*collective);
  event.name = 0;
  event.bytes = tensorBytes(call.arguments);
  if (call.name.starts_with(kFunctional)) event.group = rank_.intern(groupOfCall(call.arguments));
}

void DebugCalls::take(const DebugCall& call) {
  constexpr std::size_t kMostOpen = 4096;
  if (call.kind == DebugCall::Kind::Output && waiting_) {
    waiting_->strategy.outputs = {plainSizes(call.name)};
    return emitWaiting();
  }
  emitWaiting();
  while (!open_.empty() && open_.back().first >= call.depth) open_.pop_back();
  const EventId parent = open_.empty() ? 0 : open_.back().second;
  if (call.kind == DebugCall::Kind::Output) {
    rank_.addStrategy(parent, {.name = {}, .inputs = {}, .outputs = {plainSizes(call.name)}});
    return;
  }
  Event event;
  if (call.kind == DebugCall::Kind::Redistribute) {
    event = rank_.makeRedistribute(plainSizes(call.name),
                                   call.isImplicit ? Verdict::Implicit : Verdict::Explicit);
  } else {
    takeOperator(call, event);
  }
  event.parent = parent;
  const EventId id = rank_.add(event);
  if (open_.size() < kMostOpen) open_.emplace_back(call.depth, id);
  auto inputs = placementsIn(call.arguments);
  if (!inputs.empty()) waiting_ = {id, {.name = {}, .inputs = std::move(inputs), .outputs = {}}};
}

void DebugCalls::emitWaiting() {
  if (waiting_) rank_.addStrategy(waiting_->op, std::move(waiting_->strategy));
  waiting_.reset();
}

void DebugCalls::end() { emitWaiting(); }

}  // namespace shardlens
