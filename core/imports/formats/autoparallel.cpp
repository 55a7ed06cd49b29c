#include "core/imports/formats/autoparallel.h"

#include "core/imports/collectives.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/plain_value.h"
#include "core/imports/placement_texts.h"
#include "core/model/mesh.h"
#include "core/trace/records/trace_rows.h"

#include <unordered_map>

namespace shardlens {

namespace {

// Reads one solution file and adds its events.
class Solution {
 public:
  Solution(JsonReader& json, ImportedRank& rank) : json_(json), rank_(rank) {}
  void read();

 private:
  // Records the mesh and, as hosted ranks, all ranks of the mesh.
  void setMesh(const PlainValue& shape, const PlainValue& names);
  // Reads save_solution's placements by node: one operator and strategy per node.
  void readPlacements();
  // Adds an operator, its strategy, its implicit redistributions and its result.
  void addNode(const PlainValue& node);
  // Adds the node's result tensor. Returns 0 if dtype, shape or placements are missing or do not
  // fit.
  TensorId addResult(const PlainValue& node, EventId id);
  EventId add(EventKind kind, EventId parent, const std::string& name);

  JsonReader& json_;
  ImportedRank& rank_;
  PlainValue shape_, names_;
  std::size_t ndim_ = 0;
  std::unordered_map<std::string, TensorId> tensors_;  // result tensors by node name
};

void Solution::read() {
  json_.object([&](std::string_view key) {
    if (key == "mesh_shape") {
      shape_ = readPlain(json_);
    } else if (key == "mesh_dim_names") {
      setMesh(shape_, readPlain(json_));
    } else if (key == "mesh") {
      const PlainValue mesh = readPlain(json_);
      setMesh(mesh["shape"], mesh["dim_names"]);
    } else if (key == "placements") {
      readPlacements();
    } else if (key == "nodes") {
      json_.list([&] { addNode(readPlain(json_)); });
    } else {
      json_.skip();
    }
  });
  json_.end();
}

void Solution::setMesh(const PlainValue& shape, const PlainValue& names) {
  std::string text;
  for (const auto& size : shape.list()) {
    text += (text.empty() ? "" : "x") + std::to_string(size.integer());
  }
  std::string axes;
  for (const auto& name : names.list()) axes += (axes.empty() ? ":" : ",") + name.text();
  const auto mesh = parseMesh(text + axes);
  if (!mesh) throw BadDump("the mesh: " + mesh.error().message);
  ndim_ = static_cast<std::size_t>(mesh->ndim());
  rank_.meta("mesh", text + axes);
  rank_.meta("hosted", "0-" + std::to_string(mesh->size() - 1));
}

EventId Solution::add(EventKind kind, EventId parent, const std::string& name) {
  Event event;
  event.kind = kind;
  event.parent = parent;
  event.name = rank_.intern(name);
  return rank_.add(event);
}

void Solution::readPlacements() {
  json_.object([&](std::string_view key) {
    const EventId node = add(EventKind::Operator, 0, std::string(key));
    CandidateRecord chosen;
    chosen.outputs = {std::string(json_.text())};
    rank_.addStrategy(node, std::move(chosen));
  });
}

void Solution::addNode(const PlainValue& node) {
  const std::string& name = node["name"].text();
  if (name.empty()) json_.refuse("a node with a name before");
  const PlainValue& source = node["source"];
  std::vector<TensorId> inputs;
  CandidateRecord chosen;
  for (const auto& input : node["inputs"].list()) {
    const auto known = tensors_.find(input["name"].text());
    inputs.push_back(known == tensors_.end() ? 0 : known->second);
    const std::string& destination = input["dst_placement"].text();
    if (!destination.empty()) chosen.inputs.push_back(destination);
    if (const PlainValue& cost = input["comm_cost"]; !cost.isMissing()) {
      chosen.cost = chosen.cost.value_or(0) + cost.number();
    }
  }
  Event event;
  event.kind = EventKind::Operator;
  event.name = rank_.intern(operatorName(node["op"].text().empty() ? name : node["op"].text()));
  event.site = rank_.intern(siteText({.file = source["file"].text(),
                                      .line = static_cast<int>(source["line"].integer()),
                                      .module = node["module_path"].text(),
                                      .pass = node["phase"].text(),
                                      .caller = source["func"].text()}));
  const EventId id = rank_.add(event, inputs);
  if (!node["placement"].text().empty()) {
    chosen.outputs = {node["placement"].text()};
    rank_.addStrategy(id, std::move(chosen));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PlainValue& input = node["inputs"].list()[i];
    const std::string& from = input["src_placement"].text();
    const std::string& to = input["dst_placement"].text();
    if (from.empty() || to.empty() || from == to) continue;
    const auto before = placementsOf(from), after = placementsOf(to);
    Event change = rank_.makeRedistribute(before && after ? Route{*before, *after} : Route(),
                                          from + " -> " + to, Verdict::Implicit);
    change.parent = id;
    change.subject = inputs[i];
    rank_.add(change);
  }
  if (const TensorId made = addResult(node, id); made != 0) tensors_[name] = made;
}

TensorId Solution::addResult(const PlainValue& node, EventId id) {
  const auto dtype = parseDType(node["dtype"].text());
  auto placements = placementsOf(node["placement"].text());
  std::string sizes;
  for (const auto& size : node["shape"].list()) {
    sizes += (sizes.empty() ? "" : ",") + std::to_string(size.integer());
  }
  auto shape = node["shape"].isMissing() ? std::nullopt : parseShapeJson("[" + sizes + "]");
  if (!dtype || !shape || !placements || placements->size() != ndim_ || !fit(*placements, *shape)) {
    return 0;
  }
  const Spec spec(*dtype, std::move(*shape), std::move(*placements));
  Event event;
  event.kind = EventKind::Result;
  event.parent = id;
  event.name = rank_.intern(node["name"].text());
  event.subject = rank_.addTensor(node["name"].text(), spec);
  rank_.add(event);
  return event.subject;
}

}  // namespace

void importAutoParallel(ByteSource& source, ImportedRank& rank) {
  JsonReader json(source);
  Solution(json, rank).read();
}

}  // namespace shardlens
