#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

namespace shardlens {

// Note [Written locals]
// Replicas and snapshots share memory (at::_lazy_clone). libtorch copies it when a writer calls
// mutable_data_ptr(). The CUDA launchers of multi-tensor operators (_foreach_*_, _fused_*_,
// _amp_foreach_*) call const_data_ptr() for written tensors, too, so that they write into the
// memory of all sharers. Dispatch therefore materialises the locals of written arguments before it
// runs a local kernel. LocalCall::arguments() checks this on every device, because operators on
// the processor materialise their arguments themselves and would hide an omission.

// Copies the tensor's memory if it is shared lazily; else does nothing. Another tensor with the
// same storage sees the copy, too.
void materialize(const at::Tensor& tensor);

// Throws CheckFailed if the schema's argument is written and a tensor in `value` is shared lazily.
void checkMaterialized(const c10::Argument& argument, const c10::IValue& value);

}  // namespace shardlens
