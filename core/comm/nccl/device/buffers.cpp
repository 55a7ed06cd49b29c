#include "core/comm/nccl/device/buffers.h"

#include "core/base/check.h"
#include "kernels/float16.h"

#include <algorithm>
#include <cstring>

namespace shardlens {
namespace {

template <class T>
std::vector<char> bytesOfValue(T value) {
  std::vector<char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

bool isFloating(ncclDataType_t type) {
  return type == ncclFloat16 || type == ncclBfloat16 || type == ncclFloat32 || type == ncclFloat64;
}

}  // namespace

bool areContiguous(const Blocks& blocks) {
  return std::adjacent_find(blocks.begin(), blocks.end(),
                            [](const DeviceBlock& one, const DeviceBlock& next) {
                              return static_cast<char*>(one.data) + one.bytes != next.data;
                            }) == blocks.end();
}

bool haveEqualSizes(const Blocks& blocks) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const DeviceBlock& block) { return block.bytes == blocks.front().bytes; });
}

std::int64_t bytesOf(const Blocks& blocks) {
  std::int64_t bytes = 0;
  for (const auto& block : blocks) bytes += block.bytes;
  return bytes;
}

bool canReduce(const BlockReduction& how) {
  if (!how.type) return false;
  switch (how.reduction.op) {
    case ReduceOp::Sum:
    case ReduceOp::Product:
      return true;
    // NaN wins in the engine's other reductions, which NCCL does not guarantee.
    case ReduceOp::Min:
    case ReduceOp::Max:
      return !isFloating(*how.type);
    case ReduceOp::Avg:
    case ReduceOp::PremulSum:
      return isFloating(*how.type);
    default:
      return false;
  }
}

std::vector<char> scalarOf(ncclDataType_t type, double factor) {
  SL_CHECK(isFloating(type), "only terms that are floats are scaled by NCCL");
  const auto narrow = static_cast<float>(factor);
  if (type == ncclFloat64) return bytesOfValue(factor);
  if (type == ncclFloat32) return bytesOfValue(narrow);
  if (type == ncclFloat16) return bytesOfValue(kernels::Float16::from(narrow));
  return bytesOfValue(kernels::BFloat16::from(narrow));
}

}  // namespace shardlens
