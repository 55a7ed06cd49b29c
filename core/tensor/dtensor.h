#pragma once

#include "core/comm/communicator.h"
#include "core/model/spec.h"
#include "core/tensor/layout/layout.h"
#include "core/tensor/masking/mask_hold.h"

#include <c10/core/TensorImpl.h>

#include <memory>
#include <optional>

namespace shardlens {

class OwnedRows;
class Runtime;

// A tensor laid out over the ranks of a mesh, as libtorch sees it: the whole tensor's sizes,
// strides and dtype, the device of its parts, and no storage of its own. It holds the parts of the
// ranks that this process hosts. Its dispatch key brings every operator to dispatch.cpp; autograd
// works above that as on any tensor.
class DTensorImpl final : public c10::TensorImpl {
 public:
  DTensorImpl(std::shared_ptr<Runtime> runtime, LayoutPtr layout, Buffers locals);
  DTensorImpl(std::shared_ptr<Runtime> runtime, LayoutPtr layout, std::shared_ptr<OwnedRows> rows);

  Runtime& runtime() const { return *runtime_; }
  const std::shared_ptr<Runtime>& sharedRuntime() const { return runtime_; }
  const LayoutPtr& layout() const { return layout_; }
  const Spec& spec() const { return layout_->spec; }
  // For callers that may write on them or make views.
  const Buffers& locals() const;
  // For callers that only read: rows with one owner are not made into terms.
  Buffers lookAtLocals() const;
  std::int64_t localBytes() const;
  // See Note [Rows with one owner]; null where the tensor has its locals.
  std::shared_ptr<const OwnedRows> ownedRows() const;

  // The collective that fills the locals may still run: reading them waits for it.
  void setUnderWay(std::uint64_t number) { underWay_ = number; }

  // Shows the same data as another tensor from now on.
  void become(LayoutPtr layout, Buffers locals);

  // The hold on the masks of ids, or of a result that is not yet masked, see Note [The mask is the
  // tensor's].
  const std::shared_ptr<MaskHold>& pending() const { return pending_; }
  void setPending(std::shared_ptr<MaskHold> pending) { pending_ = std::move(pending); }

  // Of masked ids: their original values, replicated along the mesh dimensions that mask them. A
  // pending lookup's result has the same placements but no such values.
  bool areMaskedIds() const { return unmasked_.has_value(); }
  const Buffers& unmasked() const { return *unmasked_; }
  void setUnmasked(Buffers unmasked) { unmasked_ = std::move(unmasked); }

  // A view that a formula of libtorch's made, of what had to be redistributed for it: written on,
  // it would not reach the tensor that it was taken of.
  bool isCopiedView() const { return isCopiedView_; }
  void setCopiedView() { isCopiedView_ = true; }

  // What the recording calls it; 0 and empty until it was recorded.
  TensorId record() const { return isRecorded() ? record_ : 0; }
  const std::string& name() const { return name_; }
  void setRecord(TensorId record, std::string name);
  // The bits of its mask in the recording, where a fused lookup masked it; 0 is none.
  TensorId maskRecord() const { return isRecorded() ? maskRecord_ : 0; }
  void setMaskRecord(TensorId record);

  // Another tensor on the same data.
  c10::intrusive_ptr<DTensorImpl> aliased() const;
  // Another tensor with the values of now: the data is shared until somebody writes on either. It
  // waits for no collective and holds no mask.
  c10::intrusive_ptr<DTensorImpl> snapshot() const;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      const c10::VariableVersion& version, bool allowMetadataChange) const override;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      c10::VariableVersion&& version, bool allowMetadataChange) const override;
  void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& impl) override;

 private:
  void settle() const;
  bool isRecorded() const;  // in the recording of now, not an earlier one

  std::shared_ptr<Runtime> runtime_;
  LayoutPtr layout_;
  Buffers locals_;
  mutable std::uint64_t underWay_ = 0;  // the number of that collective; 0 is none
  std::shared_ptr<OwnedRows> rows_;     // instead of locals; aliases share them
  std::shared_ptr<MaskHold> pending_;
  std::optional<Buffers> unmasked_;
  bool isCopiedView_ = false;
  TensorId record_ = 0;
  TensorId maskRecord_ = 0;
  std::uint32_t recordedIn_ = 0;  // see Recorder::recording()
  std::string name_;
};

bool isDTensor(const at::Tensor& tensor);
// Both check that the tensor is sharded.
DTensorImpl& dtensorImpl(const at::Tensor& tensor);
inline const Spec& specOf(const at::Tensor& tensor) { return dtensorImpl(tensor).spec(); }

// Refuses a local tensor that is not of the shape the placements give the rank.
void refuseOtherShape(const Spec& spec, int rank, const at::Tensor& local);

// Refuses locals that are not of the shapes the placements give them.
at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, LayoutPtr layout, Buffers locals);
at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, const Spec& spec, Buffers locals);
at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, LayoutPtr layout,
                       std::shared_ptr<OwnedRows> rows);

// Whether two ranks' parts are one memory: replicas of each other that nobody has written on.
bool areShared(const at::Tensor& a, const at::Tensor& b);

}  // namespace shardlens
