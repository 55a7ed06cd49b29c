#include "core/tensor/call_key.h"

#include "core/tensor/dtype.h"
#include "core/tensor/runtime.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>

#include <sstream>

namespace shardlens {
namespace {

// Appends values to a key. Each is preceded by what it is, so that no two lists of values read
// alike.
class KeyWriter {
 public:
  std::string take() { return std::move(key_); }

  template <class T>
  void raw(char tag, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    key_.push_back(tag);
    key_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void list(char tag, at::IntArrayRef values) {
    raw(tag, values.size());
    key_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  }
  void text(char tag, std::string_view text) {
    raw(tag, text.size());
    key_.append(text);
  }

  void placement(const Placement& placement) {
    raw('p', static_cast<std::uint8_t>(placement.index()));
    std::visit([this](const auto& p) { fields(p); }, placement);
  }

  void tensor(const at::Tensor& tensor) {
    raw('t', static_cast<std::int8_t>(tensor.scalar_type()));
    list('s', tensor.sizes());
    list('d', tensor.strides());
    if (!isSharded(tensor)) {
      raw('w', tensor.unsafeGetTensorImpl()->is_wrapped_number());
      return;
    }
    for (const auto& p : specOf(tensor).placements) placement(p);
  }

  void argument(const c10::IValue& arg) {
    if (arg.isTensor() || arg.isTensorList() || arg.isOptionalTensorList()) {
      std::size_t count = 0;
      forEachTensor(arg, [&](const at::Tensor& each) {
        tensor(each);
        ++count;
      });
      raw('l', count);
    } else if (arg.isInt()) {
      raw('i', arg.toInt());
    } else if (arg.isDouble()) {
      raw('f', arg.toDouble());
    } else if (arg.isBool()) {
      raw('b', arg.toBool());
    } else if (arg.isIntList()) {
      list('v', arg.toIntVector());
    } else if (arg.isNone()) {
      key_.push_back('n');
    } else {
      std::ostringstream out;
      out << arg;
      text('x', out.str());
    }
  }

 private:
  void fields(const Replicate&) {}
  void fields(const Shard& p) { raw('.', p.dim); }
  void fields(const StridedShard& p) {
    raw('.', p.dim);
    raw('.', p.splitFactor);
  }
  void fields(const Partial& p) {
    raw('.', p.op);
    raw('.', p.factor);
  }
  void fields(const NormPartial& p) { raw('.', p.norm); }
  void fields(const MaskPartial& p) {
    raw('.', p.op);
    list('.', p.offsetShape);
    raw('.', p.offsetDim);
  }

  std::string key_;
};

}  // namespace

std::string callKey(const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> args) {
  KeyWriter writer;
  writer.text('o', op.operator_name().name);
  writer.text('o', op.operator_name().overload_name);
  for (const auto& arg : args) writer.argument(arg);
  return writer.take();
}

}  // namespace shardlens
