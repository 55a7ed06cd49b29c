#pragma once

#include <nccl.h>

#include <string>
#include <vector>

namespace shardlens {

// The arithmetic of the fake NCCL. All values are computed as double, so an int64 above 2^53 loses
// digits.

// An input of a reduction, scaled by a factor.
struct FakeTerm {
  const void* data;
  double factor;
};

// Returns the size of an element, and the names of types and operations: "float32", "sum". Created
// operations are "premul_sum".
std::size_t fakeSizeOf(ncclDataType_t type);
std::string fakeTypeName(ncclDataType_t type);
std::string fakeOpName(ncclRedOp_t op);
// Returns element `i` of an array of this type.
double fakeLoad(const void* data, std::size_t i, ncclDataType_t type);
// Reduces `items` elements of all addends, in their order. Returns the bytes of the result.
// Requires at least one addend.
std::vector<char> fakeReduce(const std::vector<FakeTerm>& terms, std::size_t items,
                             ncclDataType_t type, ncclRedOp_t op);

}  // namespace shardlens
