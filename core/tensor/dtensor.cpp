#include "core/tensor/dtensor.h"

#include "core/base/check.h"
#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/memory/gpu_reserve.h"
#include "core/model/shard_geometry.h"
#include "core/tensor/owned_rows.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <typeinfo>
#include <utility>

namespace shardlens {
namespace {

// Returns the device of the locals. There is no separate device type, so the autograd
// engine needs no hooks, guards or streams for one; the dispatch key alone marks a sharded tensor.
c10::Device deviceOf(const Buffers& locals) {
  return locals.empty() ? c10::Device(c10::kCPU) : locals.front().device();
}

// Returns the dispatch keys, with the key by which autocast finds tensors of that device.
c10::DispatchKeySet keysOn(c10::Device device) {
  const c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
  if (device.is_cpu()) return keys.add(c10::DispatchKey::AutocastCPU);
  return device.is_cuda() ? keys.add(c10::DispatchKey::AutocastCUDA) : keys;
}

// Returns the locals, and reserves memory for more like them on GPUs.
Buffers withReserve(Buffers locals) {
  for (const auto& local : locals) reserveAfter(local);
  return locals;
}

void refuseOtherShapes(Runtime& runtime, const Layout& layout, const Buffers& locals) {
  SL_CHECK(locals.size() == layout.localShapes.size(), "a local tensor a hosted rank");
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].sizes() == at::IntArrayRef(layout.localShapes[i])) continue;
    refuseOtherShape(layout.spec, runtime.comm().hosted()[i], locals[i]);
  }
}

// Sets sizes, strides and storage offset as libtorch sees them. The offset is that of the first
// local.
void show(c10::TensorImpl& tensor, const TensorMeta& meta, const Buffers& locals) {
  tensor.set_sizes_and_strides(meta.shape, meta.strides);
  tensor.set_storage_offset(locals.empty() ? 0 : locals.front().storage_offset());
}

}  // namespace

DTensorImpl::DTensorImpl(std::shared_ptr<Runtime> runtime, LayoutPtr layout, Buffers locals)
    : c10::TensorImpl(keysOn(deviceOf(locals)),
                      c10::scalarTypeToTypeMeta(scalarType(layout->spec.meta.dtype)),
                      deviceOf(locals)),
      runtime_(std::move(runtime)),
      layout_(std::move(layout)),
      locals_(std::move(locals)) {
  show(*this, spec().meta, locals_);
}

DTensorImpl::DTensorImpl(std::shared_ptr<Runtime> runtime, LayoutPtr layout,
                         std::shared_ptr<OwnedRows> rows)
    : DTensorImpl(std::move(runtime), std::move(layout), rows->buffers()) {
  locals_.clear();
  rows_ = std::move(rows);
  show(*this, spec().meta, locals_);
}

void DTensorImpl::settle() const {
  if (runningCollective_ != 0) runtime_->comm().wait(std::exchange(runningCollective_, 0));
}

const Buffers& DTensorImpl::locals() const {
  settle();
  return rows_ == nullptr ? locals_ : rows_->partials();
}

Buffers DTensorImpl::readLocals() const {
  settle();
  return rows_ == nullptr ? locals_ : rows_->readPartials();
}

std::int64_t DTensorImpl::localBytes() const {
  return bytesOf(rows_ == nullptr ? locals_ : rows_->buffers());
}

std::shared_ptr<const OwnedRows> DTensorImpl::ownedRows() const {
  return rows_ == nullptr || rows_->hasPartials() ? nullptr : rows_;
}

std::optional<std::vector<std::uint32_t>> DTensorImpl::versions() const {
  if (locals_.empty() || !locals_.front().is_cuda() || areMaskedIds()) return std::nullopt;
  std::vector<std::uint32_t> versions;
  const auto add = [&](const c10::TensorImpl& tensor) {
    const auto& counter = tensor.version_counter();
    if (counter.enabled()) versions.push_back(counter.current_version());
    return counter.enabled();
  };
  if (!add(*this)) return std::nullopt;
  for (const auto& local : locals_) {
    if (!add(*local.unsafeGetTensorImpl())) return std::nullopt;
  }
  return versions;
}

bool DTensorImpl::areKnownIds(std::int64_t rows) const {
  return knownIds_ != nullptr && knownIds_->rows <= rows && versions() == knownIds_->versions;
}

std::shared_ptr<KnownIds> DTensorImpl::setKnownIds(std::int64_t rows) const {
  auto now = versions();
  knownIds_ = now ? std::make_shared<KnownIds>(KnownIds{rows, *std::move(now)}) : nullptr;
  return knownIds_;
}

void DTensorImpl::become(LayoutPtr layout, Buffers locals) {
  refuseOtherShapes(*runtime_, *layout, locals);
  layout_ = std::move(layout);
  locals_ = std::move(locals);
  runningCollective_ = 0;
  rows_ = nullptr;
  knownIds_ = nullptr;
  show(*this, spec().meta, locals_);
}

void DTensorImpl::setRecord(TensorId record, std::string name) {
  if (!isRecorded()) maskRecord_ = 0;
  record_ = record;
  recordedIn_ = runtime_->recorder().recording();
  name_ = std::move(name);
}

void DTensorImpl::setMaskRecord(TensorId record) {
  if (!isRecorded()) record_ = 0;
  maskRecord_ = record;
  recordedIn_ = runtime_->recorder().recording();
}

bool DTensorImpl::isRecorded() const { return recordedIn_ == runtime_->recorder().recording(); }

c10::intrusive_ptr<DTensorImpl> DTensorImpl::aliased() const {
  auto copy = c10::make_intrusive<DTensorImpl>(runtime_, layout_, locals_);
  copy->runningCollective_ = runningCollective_;
  copy->rows_ = rows_;
  copy->pending_ = pending_;
  copy->unmasked_ = unmasked_;
  copy->record_ = record_;
  copy->maskRecord_ = maskRecord_;
  copy->recordedIn_ = recordedIn_;
  copy->name_ = name_;
  return copy;
}

c10::intrusive_ptr<DTensorImpl> DTensorImpl::snapshot() const {
  auto copy = aliased();
  copy->pending_ = nullptr;
  copy->unmasked_.reset();
  if (ownedRows() != nullptr) {
    copy->rows_ = std::make_shared<OwnedRows>(*rows_);
    return copy;
  }
  copy->rows_ = nullptr;
  copy->locals_ = rows_ == nullptr ? locals_ : rows_->readPartials();
  for (auto& local : copy->locals_) {
    if (!local.is_meta()) local = at::_lazy_clone(local);
  }
  return copy;
}

c10::intrusive_ptr<c10::TensorImpl> DTensorImpl::shallow_copy_and_detach(
    const c10::VariableVersion& version, bool allowMetadataChange) const {
  auto copy = aliased();
  if (!copy->is_inference()) copy->set_version_counter(version);
  copy->set_allow_tensor_metadata_change(allowMetadataChange);
  return copy;
}

c10::intrusive_ptr<c10::TensorImpl> DTensorImpl::shallow_copy_and_detach(
    c10::VariableVersion&& version, bool allowMetadataChange) const {
  auto copy = aliased();
  if (!copy->is_inference()) copy->set_version_counter(std::move(version));
  copy->set_allow_tensor_metadata_change(allowMetadataChange);
  return copy;
}

void DTensorImpl::shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& impl) {
  auto* source = dynamic_cast<DTensorImpl*>(impl.get());
  if (source == nullptr) throw Refusal("set_data: got a plain tensor, expected a sharded one");
  runtime_ = source->runtime_;
  layout_ = source->layout_;
  locals_ = source->locals_;
  runningCollective_ = source->runningCollective_;
  rows_ = source->rows_;
  pending_ = source->pending_;
  unmasked_ = source->unmasked_;
  knownIds_ = nullptr;
  record_ = source->record_;
  maskRecord_ = source->maskRecord_;
  recordedIn_ = source->recordedIn_;
  name_ = source->name_;
  c10::TensorImpl::shallow_copy_from(impl);  // sizes, strides, dtype, device and dispatch keys
}

bool isDTensor(const at::Tensor& tensor) {
  return tensor.defined() && tensor.key_set().has(c10::DispatchKey::PrivateUse1) &&
         typeid(*tensor.unsafeGetTensorImpl()) == typeid(DTensorImpl);
}

DTensorImpl& dtensorImpl(const at::Tensor& tensor) {
  SL_CHECK(isDTensor(tensor), "a sharded tensor was expected");
  return static_cast<DTensorImpl&>(*tensor.unsafeGetTensorImpl());
}

void refuseOtherShape(const Spec& spec, int rank, const at::Tensor& local) {
  const auto expected = localShape(spec.meta.shape, *spec.mesh, spec.placements, rank);
  if (local.sizes() == at::IntArrayRef(expected)) return;
  throw Refusal(fmt::format("local tensor of rank {}: got shape {}, expected {} under {}", rank,
                            toText(local.sizes().vec()), toText(expected), toText(spec)));
}

at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, LayoutPtr layout, Buffers locals) {
  refuseOtherShapes(*runtime, *layout, locals);
  return at::Tensor(c10::make_intrusive<DTensorImpl>(std::move(runtime), std::move(layout),
                                                     withReserve(std::move(locals))));
}

at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, LayoutPtr layout,
                       std::shared_ptr<OwnedRows> rows) {
  refuseOtherShapes(*runtime, *layout, rows->buffers());
  return at::Tensor(
      c10::make_intrusive<DTensorImpl>(std::move(runtime), std::move(layout), std::move(rows)));
}

at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, const Spec& spec, Buffers locals) {
  auto layout = runtime->layouts().of(spec);
  return makeSharded(std::move(runtime), std::move(layout), std::move(locals));
}

bool areShared(const at::Tensor& a, const at::Tensor& b) {
  return a.const_data_ptr() == b.const_data_ptr() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

}  // namespace shardlens
