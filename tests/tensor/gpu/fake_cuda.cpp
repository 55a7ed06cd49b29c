#include "tests/tensor/gpu/fake_cuda.h"

#include "core/tensor/values/ivalues.h"
#include "tests/tensor/gpu/fake_attention.h"
#include "tests/tensor/gpu/host_view.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/FakeGuardImpl.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

namespace shardlens::fake_cuda {
namespace {

using Stack = torch::jit::Stack;
using Guard = c10::impl::FakeGuardImpl<c10::DeviceType::CUDA>;

// Makes CUDA the accelerator, so that autograd asks for its streams. Counts no device, so that
// seeds are for the processor's generator only.
class Hooks final : public at::CUDAHooksInterface {
 public:
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(at::DeviceIndex) const override { return true; }
  void init() const override {}
  at::DeviceIndex deviceCount() const override { return 0; }
};

void* allocated(std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }

// The blocks of large tensors. They are never given back to the device.
class LargeBlocks {
 public:
  char* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
    }
    if (best == free_.end()) {
      ++counts().largeBlocks;
      best = free_.emplace(static_cast<char*>(allocated(bytes)), bytes).first;
    }
    const auto [block, size] = *best;
    free_.erase(best);
    if (size > bytes) free_.emplace(block + bytes, size - bytes);
    used_.emplace(block, bytes);
    return block;
  }
  // Returns false for a small tensor's memory.
  bool giveBack(void* memory) {
    const std::lock_guard lock(mutex_);
    auto block = used_.extract(static_cast<char*>(memory));
    if (block.empty()) return false;
    free_.insert(std::move(block));
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<char*, std::size_t> free_, used_;
};

LargeBlocks& largeBlocks() {
  static auto& blocks = *new LargeBlocks();  // tensors may outlive other statics
  return blocks;
}

void freeMemory(void* memory) {
  if (!largeBlocks().giveBack(memory)) std::free(memory);
}

// Allocates on the current device.
class Memory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    constexpr std::size_t kLarge = std::size_t{10} << 20;
    void* memory =
        bytes < kLarge ? allocated(bytes) : largeBlocks().take((bytes + 511) / 512 * 512);
    return {memory, memory, &freeMemory, Guard().getDevice()};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &freeMemory; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

Memory memory;

at::Tensor emptyOn(std::optional<at::Device> device, at::IntArrayRef size, at::IntArrayRef strides,
                   at::ScalarType type) {
  const c10::OptionalDeviceGuard guard(device && device->has_index() ? device : std::nullopt);
  return at::detail::empty_strided_generic(size, strides, &memory,
                                           c10::DispatchKeySet(c10::DispatchKey::CUDA), type);
}

at::Tensor emptyStrided(at::IntArrayRef size, at::IntArrayRef strides,
                        std::optional<at::ScalarType> type, std::optional<at::Layout>,
                        std::optional<at::Device> device, std::optional<bool>) {
  return emptyOn(device, size, strides, c10::dtype_or_default(type));
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  const auto like = at::empty(size, at::TensorOptions(at::kMeta), format);
  return emptyOn(device, size, like.strides(), c10::dtype_or_default(type));
}

at::Tensor& copy(at::Tensor& to, const at::Tensor& from, bool) {
  hostView(to, Access::Write).copy_(hostView(from, Access::Read));
  return to;
}

bool isMultiTensor(const std::string& name) {
  const bool isOptimizer = name.starts_with("aten::_fused_") && name.ends_with('_');
  return isOptimizer || name.starts_with("aten::_foreach_") ||
         name.starts_with("aten::_amp_foreach_");
}

bool isWritten(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// Throws for what a GPU cannot run, or would run with another result. Returns the operator's
// device.
at::Device deviceFor(const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> args) {
  const auto& name = op.schema().name();
  TORCH_CHECK(!op.hasTag(at::Tag::nondeterministic_seeded), name,
              ": a GPU draws other numbers than the processor");
  std::optional<at::Device> device;
  const bool takesHostIndices = name.starts_with("aten::index") || name == "aten::_index_put_impl_";
  for (const auto& arg : args) {
    forEachTensor(arg, [&](const at::Tensor& tensor) {
      if (tensor.is_cpu() && (tensor.dim() == 0 || takesHostIndices || isMultiTensor(name))) return;
      if (!device) device = tensor.device();
      TORCH_CHECK(*device == tensor.device(), name, ": got tensors on ", *device, " and ",
                  tensor.device(), ", expected all on one device");
    });
  }
  const bool launchesNoBlocks =
      name == "aten::embedding_renorm_" && args[1].toTensor().numel() == 0;
  TORCH_CHECK(!launchesNoBlocks, "CUDA error: invalid argument");
  return device.value_or(at::Device(at::kCUDA, 0));
}

at::Tensor onDevice(const at::Tensor& result, at::Device device) {
  const auto moved = emptyOn(device, result.sizes(), result.strides(), result.scalar_type());
  hostView(moved, Access::Write).copy_(result);
  return moved;
}

// The arguments of a call on the processor: views of the devices' memory. An `out=` tensor without
// elements may be resized: it is a new tensor, which finish() moves to the device.
class HostCall {
 public:
  HostCall(const c10::FunctionSchema& schema, const Stack& args) : schema_(schema), args_(args) {}

  Stack arguments() {
    Stack stack;
    for (std::size_t i = 0; i < args_.size(); ++i) {
      stack.push_back(args_[i].isDevice() ? c10::IValue(at::Device(at::kCPU)) : hosted(i));
    }
    return stack;
  }

  // Returns the results as the operator on the device would.
  Stack finish(Stack results, at::Device device) {
    for (const auto& [given, made] : resizable_) {
      const auto moved = onDevice(made, device);
      auto* impl = given.unsafeGetTensorImpl();
      impl->set_storage_keep_dtype(moved.storage());
      impl->set_sizes_and_strides(moved.sizes(), moved.strides());
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto* alias = schema_.returns()[i].alias_info();
      TORCH_CHECK(alias == nullptr || alias->isWrite(), schema_.name(),
                  ": a view, which is not faked");
      results[i] =
          alias != nullptr ? written_[next++] : mapTensors(results[i], [&](const at::Tensor& each) {
            return onDevice(each, device);
          });
    }
    return results;
  }

 private:
  c10::IValue hosted(std::size_t i) {
    const auto& formal = schema_.arguments()[i];
    auto access = Access::Read;
    if (isWritten(formal)) {
      written_.push_back(args_[i]);
      access = isMultiTensor(schema_.name()) ? Access::WriteThrough : Access::Write;
    }
    return mapTensors(args_[i], [&](const at::Tensor& tensor) {
      if (!formal.is_out() || !tensor.is_cuda() || tensor.numel() > 0) {
        return hostView(tensor, access);
      }
      return resizable_.emplace_back(tensor, at::empty({0}, tensor.scalar_type())).second;
    });
  }

  const c10::FunctionSchema& schema_;
  const Stack& args_;
  std::vector<c10::IValue> written_;
  std::vector<std::pair<at::Tensor, at::Tensor>> resizable_;  // given, and in its place
};

void fallBack(const c10::OperatorHandle& op, Stack* stack) {
  const auto& schema = op.schema();
  const Stack args(stack->end() - static_cast<std::ptrdiff_t>(schema.arguments().size()),
                   stack->end());
  const auto device = deviceFor(op, args);
  torch::jit::drop(*stack, args.size());
  HostCall call(schema, args);
  auto results = call.arguments();
  op.callBoxed(&results);
  for (auto& result : call.finish(std::move(results), device)) stack->push_back(std::move(result));
}

void registerOperators() {
  // Never destroyed, because tensors may outlive other statics.
  static auto& all =
      *new torch::Library(torch::Library::IMPL, "_", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  static auto& aten =
      *new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  all.fallback(torch::CppFunction::makeFromBoxedFunction<&fallBack>());
  aten.impl("empty.memory_format", empty);
  aten.impl("empty_strided", emptyStrided);
  aten.impl("copy_", copy);
  aten.impl("as_strided", at::native::as_strided_tensorimpl);
  aten.impl("view", at::native::view);
  aten.impl("_reshape_alias", at::native::_reshape_alias);
  aten.impl("unfold", at::native::unfold);
  aten.impl("view_as_real", at::native::view_as_real);
  aten.impl("view_as_complex", at::native::view_as_complex);
  registerAttention(aten);
  // Their kernels for all devices would call an operator per tensor, which writes as it should.
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    if (!isMultiTensor(name.name)) continue;
    const auto full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    aten.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&fallBack>());
  }
}

}  // namespace

Counts& counts() {
  static Counts counts;
  return counts;
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    static const Guard guard;
    c10::impl::registerDeviceGuard(c10::DeviceType::CUDA, &guard);
    c10::SetAllocator(c10::DeviceType::CUDA, &memory);
    at::CUDAHooksRegistry()->Register("CUDAHooks", [](at::CUDAHooksArgs) {
      return std::unique_ptr<at::CUDAHooksInterface>(new Hooks);
    });
    registerOperators();
  });
}

}  // namespace shardlens::fake_cuda
