#include "core/edit/placement_choices.h"

#include "core/base/json_text.h"
#include "core/edit/json_edit.h"
#include "core/edit/program_edit.h"

#include <algorithm>
#include <set>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

// Returns true if the step with this id makes the tensor: "m" itself, or "m.0", one of its results.
bool makes(const std::string& id, std::string_view tensor) {
  return tensor == id ||
         (tensor.starts_with(id + ".") &&
          tensor.find_first_not_of("0123456789", id.size() + 1) == std::string_view::npos);
}

// Replaces the string `from` by `to` everywhere in the value. Returns true if anything changed.
bool rename(Json& value, const std::string& from, const std::string& to) {
  if (value == from) {
    value = to;
    return true;
  }
  bool isChanged = false;
  if (value.is_structured()) {
    for (Json& item : value) isChanged = rename(item, from, to) || isChanged;
  }
  return isChanged;
}

std::string freeName(const Json& steps, std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  name += "_placed";
  std::set<std::string> taken;
  for (std::size_t i = 0; i < steps.size(); ++i) taken.insert(stepName(steps[i], i));
  std::string one = name;
  for (int number = 2; taken.contains(one); ++number) one = name + std::to_string(number);
  return one;
}

// Writes the default names ("step3") of the steps from `from` on as explicit ids, because an
// inserted step shifts their positions. Skips names that the text does not reference.
std::string withNames(std::string text, const Json& steps, std::size_t from) {
  for (std::size_t i = from; i < steps.size(); ++i) {
    const std::string id = stepName(steps[i], i);
    if (!textOf(steps[i], "id").empty() || text.find("$" + id) == std::string::npos) continue;
    text = withMember(std::move(text), stepPlace(static_cast<int>(i)), "id", id);
  }
  return text;
}

// Makes the steps from `from` on read `other` instead of `tensor`, up to a step that makes `tensor`
// again. Skips `grad` steps, because they request the gradient of `tensor` itself.
std::string withReaders(std::string text, const Json& steps, std::size_t from,
                        const std::string& tensor, const std::string& other) {
  for (std::size_t i = from; i < steps.size(); ++i) {
    for (const char* key : {"args", "kwargs"}) {
      if (!steps[i].contains(key) || textOf(steps[i], "call") == "grad") continue;
      Json value = steps[i][key];
      if (!rename(value, "$" + tensor, "$" + other)) continue;
      text = withValue(std::move(text), stepPlace(static_cast<int>(i)) + "/" + key, value);
    }
    if (makes(stepName(steps[i], i), tensor)) break;
  }
  return text;
}

}  // namespace

PlacementChoices::PlacementChoices(int meshDims, int tensorDims)
    : each_{Replicate{}}, meshDims_(static_cast<std::size_t>(meshDims)) {
  for (int dim = 0; dim < tensorDims; ++dim) each_.emplace_back(Shard{dim});
  each_.emplace_back(Partial{});
  for (int dim = 0; dim < meshDims && size_ <= kMost; ++dim) size_ *= each_.size();
  size_ = std::min(size_, kMost + 1);
}

Placements PlacementChoices::operator[](std::size_t place) const {
  Placements placements(meshDims_);
  for (std::size_t dim = meshDims_; dim > 0; --dim) {
    placements[dim - 1] = each_[place % each_.size()];
    place /= each_.size();
  }
  return placements;
}

Result<PlacedProgram> withPlacements(const std::string& text, std::string_view tensor,
                                     const Placements& placements) {
  const auto program = readProgram(text);
  if (!program) return tl::unexpected(program.error());
  const Json& steps = (*program)["steps"];
  std::size_t at = steps.size();
  while (at > 0 && !makes(stepName(steps[at - 1], at - 1), tensor)) --at;
  if (at == 0) {
    return fail("got " + std::string(tensor) +
                ", expected a tensor that a step of the program makes");
  }
  const Json& step = steps[at - 1];
  const std::string place = stepPlace(static_cast<int>(at - 1));
  Json written = Json::array();
  for (const Placement& each : placements) written.push_back(toText(each));
  PlacedProgram placed{
      .text = text, .step = static_cast<int>(at - 1), .tensor = std::string(tensor)};
  const std::string call = textOf(step, "call");
  if (step.contains("placements") && (call == "tensor" || call == "redistribute")) {
    placed.text = withMember(std::move(placed.text), place, "placements", written);
    placed.text = withoutMember(std::move(placed.text), place, "shard_order");
    return placed;
  }
  placed.tensor = freeName(steps, std::string(tensor));
  ++placed.step;
  placed.text = withNames(std::move(placed.text), steps, at);
  placed.text = withReaders(std::move(placed.text), steps, at, std::string(tensor), placed.tensor);
  placed.text = withItem(std::move(placed.text), "/steps", at - 1,
                         {{"id", placed.tensor},
                          {"call", "redistribute"},
                          {"args", Json::array({"$" + std::string(tensor)})},
                          {"placements", written}});
  return placed;
}

}  // namespace shardlens
