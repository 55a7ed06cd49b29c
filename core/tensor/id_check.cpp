#include "core/tensor/id_check.h"

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/memory/dtypes.h"
#include "core/memory/kernel_calls.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/queued_id_checks.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace shardlens {

std::string globalPosition(const Spec& spec, int rank, std::int64_t flat) {
  const auto runs = ownedRuns(spec.meta.shape, *spec.mesh, spec.placements, rank);
  Shape position(runs.size());
  for (std::size_t dim = runs.size(); dim-- > 0;) {
    const std::int64_t length = totalLength(runs[dim]);
    std::int64_t local = flat % length;
    flat /= length;
    for (const auto& run : runs[dim]) {
      if (local < run.length) {
        position[dim] = run.begin + local;
        break;
      }
      local -= run.length;
    }
  }
  return toText(position);
}

std::string outOfRange(const std::string& where, std::int64_t id, const std::string& position,
                       std::int64_t least, std::int64_t rows) {
  return fmt::format("{}: index {} at position {} of the ids is out of range, expected {} to {}",
                     where, id, position, least, rows - 1);
}

namespace {

struct BadId {
  std::int64_t id;
  std::string position;
};

// Valid ids are least <= id < end, and the value `ignored`.
struct IdRange {
  std::int64_t least;
  std::int64_t end;
  std::optional<std::int64_t> ignored = {};
};

const Buffers& originalIds(const DTensorImpl& ids) {
  return ids.areMaskedIds() ? ids.unmasked() : ids.locals();
}

// Returns true for ids that have data and are not those of the previous rank.
bool areToBeChecked(const Buffers& locals, std::size_t i) {
  return !locals[i].is_meta() && (i == 0 || !areShared(locals[i], locals[i - 1]));
}

// Returns the first id of the hosted ranks that is out of range, or nullopt.
std::optional<BadId> badId(const DTensorImpl& ids, const IdRange& range) {
  const Buffers& locals = originalIds(ids);
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (!areToBeChecked(locals, i)) continue;
    const auto local = locals[i].contiguous();
    const auto counting = range.ignored ? local.masked_fill(local.eq(*range.ignored), 0) : local;
    const auto fromZero = range.least == 0 ? counting : counting - range.least;
    const auto bad = kernel_calls::checkIds(fromZero, kernelIds(fromZero), range.end - range.least);
    if (!bad) continue;
    const int rank = ids.runtime().comm().hosted()[i];
    return BadId{local.reshape({-1})[*bad].item<std::int64_t>(),
                 globalPosition(ids.spec(), rank, *bad)};
  }
  return std::nullopt;
}

void refuseOtherDType(const std::string& where, const DTensorImpl& ids) {
  const DType dtype = ids.spec().meta.dtype;
  if (dtype == DType::Int64 || dtype == DType::Int32) return;
  throw Refusal(where + ": got ids of " + std::string(dtypeName(dtype)) +
                ", expected int64 or int32");
}

}  // namespace

void refuseBadIds(const std::string& where, const DTensorImpl& ids, std::int64_t rows,
                  FromEnd fromEnd) {
  refuseOtherDType(where, ids);
  const std::int64_t least = fromEnd == FromEnd::Allowed ? -rows : 0;
  std::string wrong;
  if (!ids.areKnownIds(rows)) {
    if (const auto bad = badId(ids, {least, rows})) {
      wrong = outOfRange(where, bad->id, bad->position, least, rows);
    } else if (least == 0) {
      ids.setKnownIds(rows);
    }
  }
  refuseTogether(ids.runtime().comm(), wrong);
}

void refuseBadLookupIds(const std::string& where, const DTensorImpl& ids, std::int64_t rows) {
  Runtime& runtime = ids.runtime();
  const bool isQueued = runtime.comm().deviceType() == at::kCUDA && runtime.comm().isAlone();
  if (!isQueued) return refuseBadIds(where, ids, rows);
  refuseOtherDType(where, ids);
  if (ids.areKnownIds(rows)) return;
  QueuedIdChecks::Lookup lookup{where, ids.layout(), rows, runtime.recorder().step(), nullptr, {}};
  const Buffers& locals = originalIds(ids);
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (!areToBeChecked(locals, i)) continue;
    const auto local = locals[i].contiguous();
    auto check = kernel_calls::queueIdCheck(local, kernelIds(local), rows);
    lookup.parts.push_back({local, runtime.comm().hosted()[i], std::move(check)});
  }
  lookup.known = ids.setKnownIds(rows);
  runtime.idChecks().add(std::move(lookup));
}

void refuseBadTargets(const std::string& where, const DTensorImpl& target, std::int64_t classes,
                      std::int64_t ignored) {
  refuseOtherDType(where + ": target", target);
  std::string wrong;
  if (const auto bad = badId(target, {0, classes, ignored})) {
    wrong = fmt::format(
        "{}: Target {} is out of bounds at position {}, expected 0 to {}, or {} to be ignored",
        where, bad->id, bad->position, classes - 1, ignored);
  }
  refuseTogether(target.runtime().comm(), wrong);
}

}  // namespace shardlens
