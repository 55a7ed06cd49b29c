#pragma once

#include "core/comm/communicator.h"
#include "core/model/spec.h"
#include "core/tensor/layout/layout.h"
#include "core/tensor/masking/mask_hold.h"

#include <c10/core/TensorImpl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace shardlens {

class OwnedRows;
class Runtime;

// A note that all ids of a tensor are in [0, rows) as long as it and its locals have these
// versions.
struct KnownIds {
  std::int64_t rows;
  std::vector<std::uint32_t> versions;

  void withdraw() { versions.clear(); }
};

// A tensor that is sharded over the ranks of a mesh, as libtorch sees it. Has the sizes, strides
// and dtype of the whole tensor, the device of its locals, and no storage. Owns the locals of the
// ranks that this process hosts. Its dispatch key routes every operator to dispatch.cpp; libtorch's
// autograd works above that as for any tensor. Use makeSharded() to create one, because the
// constructors do not check the shapes of the locals.
class DTensorImpl final : public c10::TensorImpl {
 public:
  DTensorImpl(std::shared_ptr<Runtime> runtime, LayoutPtr layout, Buffers locals);
  DTensorImpl(std::shared_ptr<Runtime> runtime, LayoutPtr layout, std::shared_ptr<OwnedRows> rows);

  // A tensor keeps its runtime alive.
  Runtime& runtime() const { return *runtime_; }
  const std::shared_ptr<Runtime>& sharedRuntime() const { return runtime_; }
  const LayoutPtr& layout() const { return layout_; }
  const Spec& spec() const { return layout_->spec; }
  // Returns the locals in the order of hosted(), for callers that may write on them or create
  // views. Waits for the collective that fills them. Converts owned rows to partial values for
  // good.
  const Buffers& locals() const;
  // Returns the locals for callers that only read them. Waits likewise, but keeps owned rows.
  Buffers readLocals() const;
  // Returns the bytes of the hosted ranks' locals, in total. Owned rows count as partial values.
  std::int64_t localBytes() const;
  // Returns the owned rows, see Note [Rows with one owner], or null if the tensor has locals.
  std::shared_ptr<const OwnedRows> ownedRows() const;

  // Sets the number of the asynchronous collective that still fills the locals; locals() waits for
  // it. 0: none.
  void setRunningCollective(std::uint64_t number) { runningCollective_ = number; }

  // Replaces layout and locals in place, for operators such as aten.t_. Throws Refusal if the
  // shapes of the locals do not fit the layout.
  void become(LayoutPtr layout, Buffers locals);

  // Returns the hold on the masks of masked ids, or of a result that is not masked yet; null for
  // any other tensor. See Note [The mask is the tensor's].
  const std::shared_ptr<MaskHold>& pending() const { return pending_; }
  void setPending(std::shared_ptr<MaskHold> pending) { pending_ = std::move(pending); }

  // Returns true for masked ids, whose original values are unmasked(): replicated along the mesh
  // dimensions that mask them. The pending result of a lookup has the same placements but no such
  // values. unmasked() requires them.
  bool areMaskedIds() const { return unmasked_.has_value(); }
  const Buffers& unmasked() const { return *unmasked_; }
  void setUnmasked(Buffers unmasked) { unmasked_ = std::move(unmasked); }

  // Returns true if all ids of this tensor are known to be in [0, rows): setKnownIds() was called
  // with at most `rows`, and neither this tensor nor a local was written since, as far as
  // libtorch's version counters tell. Never true for tensors of the CPU, for masked ids and for
  // inference tensors, which have no version.
  bool areKnownIds(std::int64_t rows) const;
  // Notes that all ids are in [0, rows), as a check has found. Returns the note, so that the caller
  // can withdraw it; null, and notes nothing, for tensors that areKnownIds() excludes.
  std::shared_ptr<KnownIds> setKnownIds(std::int64_t rows) const;

  // Returns true for a view that a gradient formula of libtorch made of a redistributed copy.
  // Writing on it would not reach the tensor that the formula viewed, so dispatch refuses it.
  // Aliases and snapshots start with false.
  bool isCopiedView() const { return isCopiedView_; }
  void setCopiedView() { isCopiedView_ = true; }

  // The tensor's id and name in the recording. record() is 0 unless the tensor was recorded in the
  // current recording; name() is empty until setRecord().
  TensorId record() const { return isRecorded() ? record_ : 0; }
  const std::string& name() const { return name_; }
  void setRecord(TensorId record, std::string name);
  // The id of the recorded bits of the mask that a fused lookup applied to this tensor; 0 if there
  // is none in the current recording.
  TensorId maskRecord() const { return isRecorded() ? maskRecord_ : 0; }
  void setMaskRecord(TensorId record);

  // Returns another tensor with the same locals, owned rows, mask hold and record.
  c10::intrusive_ptr<DTensorImpl> aliased() const;
  // Returns a tensor with the present values, which share memory until either tensor is written.
  // Has no mask hold. Does not wait for a running collective; reading the snapshot's locals does.
  c10::intrusive_ptr<DTensorImpl> snapshot() const;
  // Like aliased(), for libtorch.
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      const c10::VariableVersion& version, bool allowMetadataChange) const override;
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      c10::VariableVersion&& version, bool allowMetadataChange) const override;
  // Shares the data of another sharded tensor, for set_data(). Throws Refusal for a plain tensor.
  void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& impl) override;

 private:
  // Waits for the collective that fills the locals.
  void settle() const;
  bool isRecorded() const;  // in the current recording
  // Returns the versions of this tensor and its locals; nullopt if they have none.
  std::optional<std::vector<std::uint32_t>> versions() const;

  std::shared_ptr<Runtime> runtime_;
  LayoutPtr layout_;
  Buffers locals_;
  // The number of the collective that fills the locals; 0: none.
  mutable std::uint64_t runningCollective_ = 0;
  std::shared_ptr<OwnedRows> rows_;  // null unless the locals are owned rows; shared with aliases
  std::shared_ptr<MaskHold> pending_;
  std::optional<Buffers> unmasked_;
  mutable std::shared_ptr<KnownIds> knownIds_;  // not shared with aliases
  bool isCopiedView_ = false;
  TensorId record_ = 0;
  TensorId maskRecord_ = 0;
  std::uint32_t recordedIn_ = 0;  // see Recorder::recording()
  std::string name_;
};

// Returns true if the tensor is a sharded one; false for an undefined tensor.
bool isDTensor(const at::Tensor& tensor);
// Returns the implementation of a sharded tensor. Throws CheckFailed for any other tensor.
DTensorImpl& dtensorImpl(const at::Tensor& tensor);
inline const Spec& specOf(const at::Tensor& tensor) { return dtensorImpl(tensor).spec(); }

// Throws Refusal if the local's shape is not the one that the placements give to this rank.
void refuseOtherShape(const Spec& spec, int rank, const at::Tensor& local);

// Creates a sharded tensor of the hosted ranks' locals. Throws Refusal if a local has another shape
// than the placements give to its rank. Throws CheckFailed unless there is one local per hosted
// rank. Reserves GPU memory for more tensors like it.
at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, LayoutPtr layout, Buffers locals);
at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, const Spec& spec, Buffers locals);
at::Tensor makeSharded(std::shared_ptr<Runtime> runtime, LayoutPtr layout,
                       std::shared_ptr<OwnedRows> rows);

// Returns true if two locals are the same memory: replicas that were not written since they were
// shared.
bool areShared(const at::Tensor& a, const at::Tensor& b);

}  // namespace shardlens
