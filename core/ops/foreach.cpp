#include "core/ops/foreach.h"

#include <algorithm>

namespace shardlens {
namespace {

std::size_t listLength(const OpSchema& call) {
  for (const auto& arg : call.args) {
    if (const auto* list = std::get_if<std::vector<TensorIndex>>(&arg.value)) return list->size();
  }
  return 0;
}

Element elementAt(const OpSchema& call, std::size_t at, std::size_t count) {
  Element element{{call.name, call.mesh, {}, {}, {}, {}}, {}};
  const auto take = [&](TensorIndex tensor) {
    element.inputs.push_back(tensor.index);
    element.call.inputs.push_back(call.inputs[tensor.index]);
    return TensorIndex{element.inputs.size() - 1};
  };
  for (const auto& [name, value] : call.args) {
    const auto* list = std::get_if<std::vector<TensorIndex>>(&value);
    const auto* single = std::get_if<TensorIndex>(&value);
    if (list != nullptr && at < list->size()) {
      element.call.args.push_back({name, take((*list)[at])});
    } else if (single != nullptr) {
      element.call.args.push_back({name, take(*single)});
    } else {
      element.call.args.push_back({name, value});
    }
  }
  for (std::size_t k = at; k < call.outputs.size(); k += count) {
    element.call.outputs.push_back(call.outputs[k]);
  }
  for (std::size_t k = at; k < call.written.size(); k += count) {
    const auto own = std::find(element.inputs.begin(), element.inputs.end(), call.written[k]);
    element.call.written.push_back(static_cast<std::size_t>(own - element.inputs.begin()));
  }
  return element;
}

}  // namespace

std::vector<Element> elementsOf(const OpSchema& call) {
  const std::size_t count = listLength(call);
  std::vector<Element> elements;
  elements.reserve(count);
  for (std::size_t i = 0; i < count; ++i) elements.push_back(elementAt(call, i, count));
  return elements;
}

OpStrategy joined(const OpSchema& call, const std::vector<Element>& elements,
                  const std::vector<OpStrategy>& strategies) {
  OpStrategy whole;
  whole.outputs.resize(call.outputs.size());
  whole.inputs.resize(call.inputs.size());
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const auto& strategy = strategies[i];
    if (whole.name.empty()) whole.name = strategy.name;
    whole.cost += strategy.cost;
    whole.bytes += strategy.bytes;
    for (std::size_t k = 0; k < strategy.outputs.size(); ++k) {
      whole.outputs[i + k * strategies.size()] = strategy.outputs[k];
    }
    const auto& own = elements[i].inputs;
    for (std::size_t k = 0; k < own.size(); ++k) whole.inputs[own[k]] = strategy.inputs[k];
  }
  return whole;
}

}  // namespace shardlens
