#include "core/tensor/local/written_locals.h"

#include "core/base/check.h"
#include "core/tensor/values/ivalues.h"

#include <c10/core/impl/COW.h>

namespace shardlens {
namespace {

bool isLazyClone(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() &&
         c10::impl::cow::is_cow_data_ptr(tensor.storage().data_ptr());
}

}  // namespace

void materialize(const at::Tensor& tensor) {
  if (isLazyClone(tensor)) tensor.storage().unsafeGetStorageImpl()->mutable_data();
}

void checkMaterialized(const c10::Argument& argument, const c10::IValue& value) {
  if (argument.alias_info() == nullptr || !argument.alias_info()->isWrite()) return;
  forEachTensor(value, [&](const at::Tensor& tensor) {
    SL_CHECK(!isLazyClone(tensor), "the written argument " + argument.name() +
                                       ": got a lazy clone, expected a tensor " +
                                       "with separate memory");
  });
}

}  // namespace shardlens
