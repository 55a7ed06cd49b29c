#include "core/trace/snapshot/snapshot_json.h"

#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/trace_rows.h"
#include "core/trace/snapshot/cache_key.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace shardlens {

namespace {

using nlohmann::ordered_json;

ordered_json numberJson(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

ordered_json elementsJson(DType dtype, const std::vector<std::byte>& data) {
  const auto count = static_cast<std::int64_t>(data.size()) / dtypeSize(dtype);
  ordered_json elements = ordered_json::array();
  for (std::int64_t i = 0; i < count; ++i) {
    if (isFloating(dtype)) {
      elements.push_back(numberJson(elementAt(dtype, data.data(), i)));
    } else if (isComplex(dtype)) {
      elements.push_back(elementText(dtype, data.data(), i));
    } else if (dtype == DType::Bool) {
      elements.push_back(elementAt(dtype, data.data(), i) != 0);
    } else {
      elements.push_back(std::stoll(elementText(dtype, data.data(), i)));
    }
  }
  return elements;
}

ordered_json statisticsJson(const Statistics& statistics) {
  return {{"min", numberJson(statistics.min)},
          {"max", numberJson(statistics.max)},
          {"mean", numberJson(statistics.mean)},
          {"nans", statistics.nans},
          {"zeros", statistics.zeros}};
}

ordered_json valuesJson(const Journal& journal, TensorId id, EventId position) {
  ordered_json values = ordered_json::array();
  if (id == 0) return values;
  for (const int rank : journal.ranksOf(id)) {
    const auto value = journal.value(id, rank, position);
    if (!value) continue;
    ordered_json one = {{"rank", rank}, {"shape", value->shape}};
    if (const auto elements = journal.elements(*value)) {
      one["data"] = elementsJson(journal.tensor(id).dtype, *elements);
    } else {
      one["statistics"] = statisticsJson(value->statistics);
    }
    values.push_back(std::move(one));
  }
  return values;
}

ordered_json tensorJson(const Journal& journal, const TensorState& state, EventId position) {
  const TensorRecord tensor = journal.tensor(state.id);
  ordered_json placements = ordered_json::array();
  for (const auto& placement : tensor.placements) placements.push_back(toText(placement));
  ordered_json json = {{"id", state.id},
                       {"name", tensor.name},
                       {"shape", tensor.shape},
                       {"dtype", dtypeName(tensor.dtype)},
                       {"placements", std::move(placements)}};
  if (tensor.mesh) json["mesh"] = ordered_json::parse(meshJson(*tensor.mesh));
  json["born"] = state.born;
  json["changed"] = state.changed;
  json["mask"] = state.mask;
  json["buffer"] = state.buffer;
  json["locals"] = valuesJson(journal, state.id, position);
  return json;
}

ordered_json bufferJson(const Journal& journal, const BufferState& state, EventId position) {
  return {{"id", state.id},           {"refcount", state.refcount},
          {"holders", state.holders}, {"tensors", state.tensors},
          {"mask", state.mask},       {"masked", valuesJson(journal, state.mask, position)}};
}

ordered_json cacheJson(const Journal& journal, const CacheState& cache) {
  ordered_json entries = ordered_json::array();
  for (const auto& entry : cache.entries) {
    entries.push_back({{"key", cacheKey(journal, entry.made)},
                       {"hits", entry.hits},
                       {"first_use", entry.made},
                       {"last_use", entry.lastUse}});
  }
  return {{"hits", cache.hits}, {"misses", cache.misses}, {"entries", std::move(entries)}};
}

ordered_json eventJson(const Journal& journal, EventId id) {
  if (id == 0) return nullptr;
  const Event& event = journal.at(id);
  ordered_json json = {{"kind", kindName(event.kind)}, {"name", journal.name(event)}};
  if (event.verdict != Verdict::None) json["verdict"] = verdictName(event.verdict);
  return json;
}

}  // namespace

ordered_json snapshotJson(const Journal& journal, const Snapshot& snapshot) {
  ordered_json tensors = ordered_json::array();
  for (const auto& tensor : snapshot.tensors) {
    tensors.push_back(tensorJson(journal, tensor, snapshot.position));
  }
  ordered_json buffers = ordered_json::array();
  for (const auto& buffer : snapshot.buffers) {
    buffers.push_back(bufferJson(journal, buffer, snapshot.position));
  }
  ordered_json error = nullptr;
  if (!snapshot.error.empty()) error = snapshot.error;
  return {{"position", snapshot.position},
          {"positions", journal.size()},
          {"step", stepNumber(snapshot.step)},
          {"line", snapshot.line},
          {"hosted", hostedRanks(journal)},
          {"event", eventJson(journal, snapshot.position)},
          {"open", snapshot.open},
          {"tensors", std::move(tensors)},
          {"buffers", std::move(buffers)},
          {"strategy_cache", cacheJson(journal, snapshot.strategyCache)},
          {"plan_cache", cacheJson(journal, snapshot.planCache)},
          {"bytes_moved", snapshot.bytesMoved},
          {"error", std::move(error)}};
}

}  // namespace shardlens
