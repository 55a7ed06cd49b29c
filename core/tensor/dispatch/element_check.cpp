#include "core/tensor/dispatch/element_check.h"

#include "core/base/refusal.h"
#include "core/ops/foreach.h"

#include <ATen/ExpandUtils.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

bool isFused(const OpEntry& entry) { return entry.name.starts_with("aten._fused_"); }

void refuseOtherResult(const OpEntry& entry, const OpSchema& element, const std::string& where) {
  const Shape& written = element.input(element.written.front()).shape;
  const Shape result = stretchedShape(entry, element);
  if (result == written) return;
  throw Refusal(where + ": output with shape " + toText(written) +
                " doesn't match the broadcast shape " + toText(result));
}

bool isExpanded(const TensorMeta& meta) {
  for (std::size_t dim = 0; dim < meta.shape.size(); ++dim) {
    if (meta.shape[dim] > 1 && meta.strides[dim] == 0) return true;
  }
  return false;
}

// Checks the tensors of one element as a fused kernel reads them: tensors of one shape without
// expanded dimensions; single numbers for "state_steps" and for arguments that are no lists.
void refuseOtherShapes(const OpSchema& whole, const OpSchema& element, const std::string& where) {
  const Shape& expected = element.input(0).shape;
  for (std::size_t i = 0; i < whole.args.size(); ++i) {
    const auto& [name, value] = whole.args[i];
    const auto* tensor = std::get_if<TensorIndex>(&element.args[i].value);
    if (tensor == nullptr) continue;
    const TensorMeta& meta = element.input(tensor->index);
    const std::string got = where + ": " + name + ": got shape " + toText(meta.shape);
    const bool isNumber =
        name == "state_steps" || !std::holds_alternative<std::vector<TensorIndex>>(value);
    if (isNumber && elementCount(meta.shape) != 1) throw Refusal(got + ", expected one number");
    if (isNumber) continue;
    if (meta.shape != expected) throw Refusal(got + ", expected " + toText(expected));
    if (isExpanded(meta)) throw Refusal(got + ", expanded, expected all its numbers in memory");
  }
}

}  // namespace

Shape stretchedShape(const OpEntry& entry, const OpSchema& call) {
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const bool isOut = entry.writesOut && std::count(call.written.begin(), call.written.end(), i);
    if (!isOut) shape = at::infer_size(shape, call.input(i).shape);
  }
  return shape;
}

void refuseUnlikeLengths(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  const auto& formal = entry.op.schema().arguments();
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].isList()) continue;
    const std::size_t length = args[i].toListRef().size();
    const std::string where = entry.name + ": argument " + formal[i].name();
    if (!first) {
      if (length == 0) throw Refusal(where + ": Tensor list must have at least one tensor.");
      first = i;
    }
    const std::size_t expected = args[*first].toListRef().size();
    if (length == expected || (length == 0 && isFused(entry))) continue;
    throw Refusal(fmt::format(
        "{}: Tensor lists must have the same number of tensors: got {}, expected {} as {} has",
        where, length, expected, formal[*first].name()));
  }
}

void refuseNumbers(const OpEntry& entry, const OpSchema& call) {
  for (const auto& input : call.inputs) {
    if (input.meta.ndim() > 0) continue;
    throw Refusal(entry.name + ": got a tensor without dimensions, expected 1 dimension or more");
  }
}

void refuseUnlikeElements(const OpEntry& entry, const OpSchema& call) {
  if (!isFused(entry) && (call.written.empty() || !entry.use.rule->elementwise)) return;
  const auto elements = elementsOf(call);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::string where = fmt::format("element {} of a list of {}", i, entry.name);
    if (isFused(entry)) {
      refuseOtherShapes(call, elements[i].call, where);
    } else {
      refuseOtherResult(entry, elements[i].call, where);
    }
  }
}

}  // namespace shardlens
