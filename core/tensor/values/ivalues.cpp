#include "core/tensor/values/ivalues.h"

#include "core/memory/dtypes.h"

namespace shardlens {

TensorMeta metaOf(const at::Tensor& tensor) {
  return {tensor.sizes().vec(), tensor.strides().vec(), dtypeOf(tensor.scalar_type())};
}

}  // namespace shardlens
