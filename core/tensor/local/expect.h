#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// Each throws Refusal unless a tensor is as an operator's kernel requires: its number of
// dimensions, its exact shape, one element in any shape, or its dtype. For arguments that neither
// the kernel nor a meta function checks. `where` begins the message: it names the operator and the
// argument.
void expectDims(const std::string& where, const at::Tensor& tensor, std::int64_t dims);
void expectShape(const std::string& where, const at::Tensor& tensor, at::IntArrayRef shape);
void expectNumber(const std::string& where, const at::Tensor& tensor);  // one element
void expectDType(const std::string& where, const at::Tensor& tensor, at::ScalarType dtype);

// Throws Refusal unless the value is 0 (none), 1 (mean) or 2 (sum). libtorch would treat another
// number as one of them, and return another shape. `name` is the operator's.
void expectReduction(const std::string& name, std::int64_t reduction);

}  // namespace shardlens
