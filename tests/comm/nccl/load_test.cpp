#include "core/comm/nccl/device/api.h"
#include "core/comm/nccl/device/probe.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Loads the real library, which requires no driver.
TEST(LoadGpuApi, FindsTheNcclThatThisWasBuiltWith) {
  const auto api = loadGpuApi();
  ASSERT_TRUE(api) << api.error().message;
  EXPECT_EQ(api->ncclVersion / 100, NCCL_VERSION_CODE / 100);
  EXPECT_EQ(api->ncclPath.filename(), "libnccl.so.2");
  EXPECT_STREQ(api->nccl.getErrorString(ncclInvalidUsage),
               "invalid usage (run with NCCL_DEBUG=WARN for details)");
  const auto probe = probeGpus();
  ASSERT_TRUE(probe.nccl) << probe.nccl.error().message;
  EXPECT_EQ(probe.nccl->version, ncclVersionText(api->ncclVersion));
  EXPECT_EQ(probe.nccl->path, api->ncclPath);
}

TEST(LoadGpuApi, CountsGpusOrReportsWhyThereAreNone) {
  const auto api = loadGpuApi();
  ASSERT_TRUE(api) << api.error().message;
  const auto count = countGpus(api->cuda);
  if (count) {
    EXPECT_GE(*count, 1);
  } else {
    EXPECT_EQ(count.error().message.substr(0, 8), "no GPU: ");
  }
}

}  // namespace
}  // namespace shardlens
