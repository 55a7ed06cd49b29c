#include "core/tensor/local/written_locals.h"

#include "core/base/check.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

const c10::Argument& firstArgumentOf(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "Scalar").schema().arguments()[0];
}

TEST(WrittenLocals, GetSeparateMemory) {
  const auto original = at::ones({3});
  const auto clone = at::_lazy_clone(original);
  EXPECT_EQ(clone.const_data_ptr(), original.const_data_ptr());
  materialize(clone);
  EXPECT_NE(clone.const_data_ptr(), original.const_data_ptr());
  EXPECT_TRUE(at::equal(clone, original));
  const auto* memory = clone.const_data_ptr();
  materialize(clone);
  EXPECT_EQ(clone.const_data_ptr(), memory);
}

// On the processor the operator would copy the memory itself, and hide that dispatch did not.
TEST(WrittenLocals, ThatAreStillSharedFailTheCheckOfACall) {
  const auto original = at::ones({3});
  const c10::List<at::Tensor> shared({at::_lazy_clone(original)});
  const auto& written = firstArgumentOf("aten::_foreach_add_");
  EXPECT_THROW(checkMaterialized(written, shared), CheckFailed);
  EXPECT_NO_THROW(checkMaterialized(firstArgumentOf("aten::_foreach_add"), shared));
  materialize(shared.get(0));
  EXPECT_NO_THROW(checkMaterialized(written, shared));
}

}  // namespace
}  // namespace shardlens
