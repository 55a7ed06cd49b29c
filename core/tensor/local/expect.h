#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// Throw Refusal unless a tensor is as an operator's kernel requires. For arguments that neither the
// kernel nor a meta function checks. `where` names the operator and the argument.
void expectDims(const std::string& where, const at::Tensor& tensor, std::int64_t dims);
void expectShape(const std::string& where, const at::Tensor& tensor, at::IntArrayRef shape);
void expectNumber(const std::string& where, const at::Tensor& tensor);  // one element
void expectDType(const std::string& where, const at::Tensor& tensor, at::ScalarType dtype);

// Throws Refusal unless the value is an at::Reduction. libtorch would treat another number as one
// of them, and return another shape.
void expectReduction(const std::string& name, std::int64_t reduction);

}  // namespace shardlens
