#include "core/session/scenario/step_reader.h"

#include "core/base/json_text.h"
#include "core/base/refusal.h"
#include "core/model/spec.h"
#include "core/session/scenario/mesh_reader.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <charconv>

namespace shardlens {
namespace {

using nlohmann::json;

Refusal refused(const std::string& key, const json& got, const std::string& expected) {
  return Refusal(key + ": got " + shown(got) + ", expected " + expected);
}

std::optional<int> numberOf(const std::string& text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace

const json* StepReader::find(const char* key) const {
  const auto it = body_.find(key);
  return it == body_.end() ? nullptr : &*it;
}

std::string StepReader::call() const {
  const json& call = body_.at("call");
  return call.is_string() ? call.get<std::string>() : call.dump();
}

json StepReader::args() const {
  const json* args = find("args");
  if (args == nullptr) return json::array();
  if (!args->is_array()) throw refused("args", *args, "a list");
  return *args;
}

json StepReader::kwargs() const {
  const json* kwargs = find("kwargs");
  return kwargs == nullptr ? json::object() : *kwargs;
}

at::Tensor StepReader::named(std::string_view name) const {
  const auto it = values_.find(name);
  if (it != values_.end()) return it->second;
  throw Refusal("$" + std::string(name) + ": no step before this one has that name");
}

at::Tensor StepReader::tensorArg(std::size_t i) const {
  const auto list = args();
  if (i >= list.size()) throw refused("args", list, "a tensor");
  if (!list[i].is_string() || !list[i].get_ref<const std::string&>().starts_with('$')) {
    throw refused("args", list[i], "a reference like \"$x\"");
  }
  return named(std::string_view(list[i].get_ref<const std::string&>()).substr(1));
}

Placements StepReader::placements(const DeviceMesh& mesh, int ndim) const {
  auto placements = orRefuse(verifyPlacements(writtenPlacements(), mesh, ndim));
  const json* order = find("shard_order");
  if (order == nullptr) return placements;
  return orRefuse(placementsInOrder(std::move(placements), shardOrder(*order, ndim), mesh));
}

Placements StepReader::writtenPlacements() const {
  const json* list = find("placements");
  if (list == nullptr || !list->is_array()) {
    throw Refusal("placements: got " + (list == nullptr ? "none" : shown(*list)) +
                  ", expected one placement for each mesh dimension");
  }
  Placements placements;
  for (const auto& item : *list) {
    if (!item.is_string()) throw refused("placements", item, "text");
    placements.push_back(orRefuse(parsePlacement(item.get<std::string>())));
  }
  return placements;
}

ShardOrder StepReader::shardOrder(const json& written, int ndim) const {
  const std::string expected = R"({"0": [1, 0]}: a tensor dimension, and the mesh dimensions in )"
                               "the order in which they cut it";
  if (!written.is_object()) throw refused("shard_order", written, expected);
  ShardOrder order;
  for (const auto& [key, list] : written.items()) {
    const auto dim = numberOf(key);
    auto meshDims = readNumbers(list);
    if (!dim || !meshDims) throw refused("shard_order", written, expected);
    if (*dim < -ndim || *dim >= ndim) {
      throw Refusal(fmt::format("shard_order: got tensor dimension {} of a tensor of {} dimensions",
                                key, ndim));
    }
    if (!order.emplace(*dim < 0 ? *dim + ndim : *dim, std::move(*meshDims)).second) {
      throw refused("shard_order", written, "each tensor dimension once");
    }
  }
  return order;
}

std::optional<DeviceMesh> StepReader::mesh(const DeviceMesh& usual) const {
  if (const json* mesh = find("mesh")) return orRefuse(readMesh(*mesh));
  const json* order = find("ranks");
  if (order == nullptr) return std::nullopt;
  auto ranks = readNumbers(*order);
  if (!ranks) throw refused("ranks", *order, "a list of ranks");
  return orRefuse(DeviceMesh::make(usual.shape(), usual.names(), std::move(*ranks)));
}

std::optional<int> StepReader::source() const {
  const json* source = find("source");
  if (source == nullptr) return std::nullopt;
  const auto rank = readNumbers(json::array({*source}));
  if (!rank) throw refused("source", *source, "a rank");
  return rank->front();
}

std::optional<DType> StepReader::dtype(const char* key) const {
  const json* name = find(key);
  if (name == nullptr) return std::nullopt;
  const auto dtype = name->is_string() ? parseDType(name->get<std::string>()) : std::nullopt;
  if (!dtype) throw refused(key, *name, "one like float32 or int64");
  return dtype;
}

RedistributeTypes StepReader::types() const {
  return {dtype("forward_dtype"), dtype("backward_dtype")};
}

at::Tensor StepReader::withGradient(at::Tensor tensor) const {
  const json* flag = find("requires_grad");
  if (flag == nullptr) return tensor;
  if (!flag->is_boolean()) throw refused("requires_grad", *flag, "true or false");
  return tensor.requires_grad_(flag->get<bool>());
}

}  // namespace shardlens
