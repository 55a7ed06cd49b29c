#include "core/tensor/queued_id_checks.h"

#include "core/base/refusal.h"
#include "core/tensor/id_check.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <utility>

namespace shardlens {
namespace {

// The id may have been written since the check.
std::string messageOf(const QueuedIdChecks::Lookup& lookup,
                      const QueuedIdChecks::Lookup::Part& part, std::int64_t flat) {
  const auto id = part.ids.reshape({-1})[flat].item<std::int64_t>();
  const auto position = globalPosition(lookup.layout->spec, part.rank, flat);
  if (id < 0 || id >= lookup.rows) return outOfRange(lookup.name, id, position, 0, lookup.rows);
  return fmt::format(
      "{}: the index at position {} of the ids was out of range and has been written since, "
      "expected 0 to {}",
      lookup.name, position, lookup.rows - 1);
}

}  // namespace

void QueuedIdChecks::add(Lookup lookup) {
  lookups_.push_back(std::move(lookup));
  if (lookups_.size() > kMost) settleFirst();
}

void QueuedIdChecks::settle() {
  while (!lookups_.empty()) settleFirst();
}

void QueuedIdChecks::settleFirst() {
  const Lookup lookup = std::move(lookups_.front());
  lookups_.pop_front();
  for (const auto& part : lookup.parts) {
    const auto flat = part.firstBad();
    if (!flat) continue;
    refusedStep_ = lookup.step;
    lookups_.push_front(lookup);
    for (const auto& each : lookups_) {
      if (each.known != nullptr) each.known->withdraw();
    }
    lookups_.clear();
    throw Refusal(messageOf(lookup, part, *flat));
  }
}

}  // namespace shardlens
