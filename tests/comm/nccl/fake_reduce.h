#pragma once

#include <nccl.h>

#include <string>
#include <vector>

namespace shardlens {

// The arithmetic of the fake NCCL.

// An input of a reduction, scaled by a factor.
struct FakeTerm {
  const void* data;
  double factor;
};

std::size_t fakeSizeOf(ncclDataType_t type);
std::string fakeTypeName(ncclDataType_t type);
std::string fakeOpName(ncclRedOp_t op);
double fakeLoad(const void* data, std::size_t i, ncclDataType_t type);
std::vector<char> fakeReduce(const std::vector<FakeTerm>& terms, std::size_t items,
                             ncclDataType_t type, ncclRedOp_t op);

}  // namespace shardlens
