#include "core/tensor/local/embedding.h"

#include "core/base/check.h"
#include "core/base/refusal.h"
#include "core/memory/parallel_for.h"
#include "core/memory/row_lookup.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/id_check.h"
#include "core/tensor/local/families.h"
#include "core/tensor/local/masked.h"
#include "core/tensor/owned_rows.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;

// Returns the mask placement of the ids, or nullopt.
std::optional<MaskPartial> maskOf(const Placements& ids) {
  const auto it = std::find_if(ids.begin(), ids.end(), isMaskPartial);
  return it == ids.end() ? std::nullopt : std::optional(std::get<MaskPartial>(*it));
}

// Returns true for sharded ids, except those that were checked when they were masked for a table of
// this size.
bool areUnchecked(const at::Tensor& ids, std::int64_t rows) {
  if (!isDTensor(ids)) return false;
  const auto masked = maskOf(specOf(ids).placements);
  return !masked || masked->offsetShape[static_cast<std::size_t>(masked->offsetDim)] != rows;
}

void checkEmbedding(Args, const std::vector<at::Tensor>& inputs) {
  refuseOtherTable("aten.embedding", inputs[0]);
  const std::int64_t rows = inputs[0].size(0);
  if (areUnchecked(inputs[1], rows)) {
    refuseBadLookupIds("aten.embedding", dtensorImpl(inputs[1]), rows);
  }
}

void checkDenseBackward(Args args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten.embedding_dense_backward";
  const auto& gradient = inputs[0];
  const auto& ids = inputs[1];
  if (gradient.dim() != ids.dim() + 1 ||
      gradient.sizes().slice(0, static_cast<std::size_t>(ids.dim())) != ids.sizes()) {
    throw Refusal(name + ": got a gradient of shape " + toText(gradient.sizes().vec()) +
                  " for ids of shape " + toText(ids.sizes().vec()) +
                  ", expected that shape and a width");
  }
  const std::int64_t rows = args[2].toInt();
  // Other kernels than ours may not see ids outside the table.
  const bool byFrequency = args[4].toBool();
  if (byFrequency || !hasRowGradients(gradient.scalar_type())) {
    return refuseIdsOutside(name, ids, rows);
  }
  if (areUnchecked(ids, rows)) refuseBadLookupIds(name, dtensorImpl(ids), rows);
}

// The shards of a table in one group, whose members have the same ids. Looks up the rows of the
// members that this process hosts.
class RowsOfGroup {
 public:
  RowsOfGroup(const LocalCall& call, const MaskedLookup& lookup, const std::vector<int>& ranks)
      : call_(call), shards_(ranks.size()) {
    for (const int rank : ranks) {
      const Chunk rows = lookup.rows(rank);
      SL_CHECK(rows.length == 0 || rows.begin == bounds_.back(), "rows in the order of the ranks");
      bounds_.push_back(bounds_.back() + rows.length);
    }
  }

  // Adds the i-th hosted rank as a member of the group.
  void add(std::size_t i, std::size_t member) {
    const auto& table = tables_.emplace_back(call_.local(0, i).contiguous());
    shards_[member] = {table.const_data_ptr(), rowBytesOf(table), {bounds_[member], table.size(0)}};
    if (!ids_.defined()) ids_ = call_.local(1, i).contiguous();
  }

  SharedRows lookUp() {
    SharedRows found{emptyRows(tables_.front(), ids_),
                     at::empty(ids_.sizes(), ids_.options().dtype(at::kInt)),
                     std::vector<std::int64_t>(shards_.size())};
    if (found.rows.is_meta()) return found;
    const std::int64_t rowBytes = rowBytesOf(found.rows);
    for (auto& shard : shards_) shard.rowBytes = rowBytes;
    auto* owners = found.owners.mutable_data_ptr<std::int32_t>();
    auto* rows = static_cast<std::byte*>(found.rows.mutable_data_ptr());
    kernels::findOwners(kernelIds(ids_), bounds_, owners, found.counts.data());
    const auto ids = kernelIds(ids_);
    parallelFor({{ids.count, 2 * rowBytes + 8}}, [&](std::size_t, std::int64_t begin,
                                                     std::int64_t end) {
      kernels::ownedLookup(shards_, ids.part(begin, end), owners + begin, rows + begin * rowBytes);
    });
    return found;
  }

 private:
  const LocalCall& call_;
  std::vector<std::int64_t> bounds_ = {0};
  std::vector<kernels::TableShard> shards_;
  Buffers tables_;
  at::Tensor ids_;
};

std::size_t hashOf(const at::Tensor& ids) {
  const auto list = ids.contiguous();
  return std::hash<std::string_view>{}(
      {static_cast<const char*>(list.const_data_ptr()), list.nbytes()});
}

// Returns true if the result is stored as owned rows. On GPUs each rank computes its partial value.
bool isWorthPacking(const LocalCall& call) {
  const bool areOnGpus = call.runtime.comm().deviceType() == at::kCUDA;
  return !areOnGpus && isWorthMovingRows(call.plan.outputs.front()->spec);
}

// Looks up with one shared buffer per group, into which each rank writes the rows it owns.
LocalResult packedEmbedding(const LocalCall& call, const MaskedLookup& lookup) {
  const auto dims = lookup.meshDims();
  const MeshGroups& groups = call.runtime.groups(dims);
  const auto& hosted = call.runtime.comm().hosted();
  std::map<std::size_t, RowsOfGroup> lookups;
  std::vector<int> members;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    const auto& ranks = groups.groupOf(hosted[i]);
    const auto member = std::find(ranks.begin(), ranks.end(), hosted[i]) - ranks.begin();
    members.push_back(static_cast<int>(member));
    const auto group = lookups.try_emplace(groups.numberOf(hosted[i]), call, lookup, ranks).first;
    group->second.add(i, static_cast<std::size_t>(member));
  }
  std::map<std::size_t, std::shared_ptr<const SharedRows>> found;
  for (auto& [number, group] : lookups) {
    found[number] = std::make_shared<const SharedRows>(group.lookUp());
  }
  LocalResult result{{Buffers()}};
  std::vector<OwnedRows::Part> parts;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    parts.push_back({found[groups.numberOf(hosted[i])], members[i]});
    if (lookup.looks()) result.masks.push_back(parts.back().group->mask(members[i]));
  }
  result.rows = std::make_shared<OwnedRows>(std::move(parts));
  return result;
}

// Returns true if all ranks of each group have the same ids. They differ only if replicas diverged;
// the lookup then shows this. Collective, with one answer for all processes. True without data.
bool haveSameIds(const LocalCall& call, const MeshGroups& groups) {
  if (call.runtime.comm().deviceType() == at::kMeta) return true;
  const auto& hosted = call.runtime.comm().hosted();
  const bool areAllHere = static_cast<int>(hosted.size()) == call.runtime.mesh()->size();
  std::map<std::size_t, at::Tensor> known;
  std::string words;
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    const auto& ids = call.local(1, i);
    const auto [group, isNew] = known.try_emplace(groups.numberOf(hosted[i]), ids);
    if (isNew && !areAllHere) {
      words += fmt::format("{}:{} ", group->first, hashOf(ids));
    } else if (!isNew && !areShared(group->second, ids) && !at::equal(group->second, ids)) {
      words += fmt::format("{}:differ ", group->first);
    }
  }
  std::map<std::string, std::string> hashes;
  for (const auto& each : call.runtime.comm().allGatherStrings(words)) {
    std::istringstream stream(each);
    for (std::string word; stream >> word;) {
      const auto colon = word.find(':');
      const auto hash = word.substr(colon + 1);
      const auto first = hashes.try_emplace(word.substr(0, colon), hash).first;
      if (hash == "differ" || first->second != hash) return false;
    }
  }
  return true;
}

LocalResult embedding(const LocalCall& call) {
  const auto lookup = MaskedLookup::of(call);
  if (lookup && isWorthPacking(call)) {
    const MeshGroups& groups = call.runtime.groups(lookup->meshDims());
    if (groups.groupSize() > 1 && haveSameIds(call, groups)) return packedEmbedding(call, *lookup);
  }
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto& table = call.local(0, i);
    const auto& ids = call.local(1, i);
    const Chunk rows =
        lookup ? lookup->rows(call.runtime.comm().hosted()[i]) : Chunk{0, table.size(0)};
    at::Tensor mask;
    if (lookup && lookup->looks()) {
      mask = at::empty(ids.sizes(), ids.options().dtype(at::kBool));
      result.masks.push_back(mask);
    }
    result.outputs.front().push_back(lookUp(table, ids, rows, mask));
  }
  return result;
}

// Ranks whose gradient and ids share memory share the result, too.
LocalResult wholeGradients(const LocalCall& call, std::int64_t padding, bool byFrequency) {
  if (byFrequency || !hasRowGradients(call.inputs[0].scalar_type())) return runPlain(call);
  LocalResult result{{Buffers()}};
  auto& sums = result.outputs.front();
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto& gradient = call.local(0, i);
    const auto& ids = call.local(1, i);
    const bool known =
        i > 0 && areShared(gradient, call.local(0, 0)) && areShared(ids, call.local(1, 0));
    sums.push_back(known ? at::_lazy_clone(sums.front())
                         : addUp(gradient, ids, {0, call.args[2].toInt()}, padding));
  }
  return result;
}

LocalResult denseBackward(const LocalCall& call) {
  const Placements& placements = call.plan.strategy.inputs[1];
  const auto masked = maskOf(placements);
  const auto padding = call.args[3].toInt();
  const bool byFrequency = call.args[4].toBool();
  if (!masked) return wholeGradients(call, padding, byFrequency);
  const auto& given = dtensorImpl(call.inputs[1]);
  LocalResult result{{Buffers()}};
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const Chunk rows =
        ownedRows(*call.runtime.mesh(), placements, *masked, call.runtime.comm().hosted()[i]);
    const auto& ids = given.areMaskedIds() ? given.unmasked()[i] : call.local(1, i);
    auto table = addUp(call.local(0, i), ids, rows, padding);
    if (byFrequency) {
      const auto own =
          ids.masked_select(ids.ge(rows.begin).bitwise_and_(ids.lt(rows.begin + rows.length)));
      table.div_(at::bincount(own.sub(rows.begin), {}, rows.length).clamp_min_(1).unsqueeze(1));
    }
    result.outputs.front().push_back(std::move(table));
  }
  return result;
}

}  // namespace

void refuseOtherTable(const std::string& name, const at::Tensor& weight) {
  if (weight.dim() == 2) return;
  throw Refusal(fmt::format("{}: got a weight of {} dimensions, expected 2", name, weight.dim()));
}

void refuseIdsOutside(const std::string& name, const at::Tensor& ids, std::int64_t rows) {
  if (areUnchecked(ids, rows)) refuseBadIds(name, dtensorImpl(ids), rows);
}

std::vector<NamedKernel> embeddingKernels() {
  return {{"aten.embedding",
           {.check = checkEmbedding, .run = embedding, .masks = true, .runsDry = true}},
          {"aten.embedding_dense_backward",
           {.check = checkDenseBackward, .run = denseBackward, .masks = true}}};
}

}  // namespace shardlens
