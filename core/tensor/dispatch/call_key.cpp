#include "core/tensor/dispatch/call_key.h"

#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>

#include <sstream>

namespace shardlens {
namespace {

// Appends values to a key, each after a tag for its kind. The encoding is unambiguous: different
// argument lists give different keys.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& key) : key_(key) { key_.clear(); }

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

  void tensor(const at::Tensor& tensor) {
    if (!tensor.defined()) {
      key_.push_back('u');
    } else if (isDTensor(tensor)) {
      raw('t', dtensorImpl(tensor).layout().get());
    } else {
      raw('p', static_cast<std::int8_t>(tensor.scalar_type()));
      list('s', tensor.sizes());
      list('d', tensor.strides());
      raw('w', tensor.unsafeGetTensorImpl()->is_wrapped_number());
    }
  }

  void argument(const c10::IValue& arg) {
    if (arg.isTensor()) {
      tensor(arg.toTensor());
    } else if (arg.isTensorList() || arg.isOptionalTensorList()) {
      const auto items = arg.toListRef();
      raw('l', items.size());
      for (const auto& item : items) tensor(item.isNone() ? at::Tensor() : item.toTensor());
    } else if (arg.isInt()) {
      raw('i', arg.toInt());
    } else if (arg.isDouble()) {
      raw('f', arg.toDouble());
    } else if (arg.isBool()) {
      raw('b', arg.toBool());
    } else if (arg.isIntList()) {
      list('v', arg.toIntVector());  // copied, because the list has no contiguous view
    } else if (arg.isNone()) {
      key_.push_back('n');
    } else {
      std::ostringstream out;
      out << arg;
      text('x', out.str());
    }
  }

 private:
  std::string& key_;
};

}  // namespace

const std::string& callKey(const OpEntry& entry, at::ArrayRef<c10::IValue> args) {
  thread_local std::string key;
  KeyWriter writer(key);
  writer.raw('o', &entry);
  auto free = entry.freeNumbers.begin();
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool isFree = free != entry.freeNumbers.end() && *free == i;
    if (isFree) ++free;
    if (isFree && !args[i].isNone()) {
      writer.text('k', freeNumberText(args[i], args));
    } else {
      writer.argument(args[i]);
    }
  }
  return key;
}

}  // namespace shardlens
