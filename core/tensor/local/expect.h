#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// Refuse a tensor that is not as an operator's kernel takes it to be, where neither the kernel nor
// a meta function looks. `where` names the operator and the argument.
void expectDims(const std::string& where, const at::Tensor& tensor, std::int64_t dims);
void expectShape(const std::string& where, const at::Tensor& tensor, at::IntArrayRef shape);
void expectNumber(const std::string& where, const at::Tensor& tensor);  // of any dimensions
void expectDType(const std::string& where, const at::Tensor& tensor, at::ScalarType dtype);

// libtorch takes another number for one of those that it has, and gives a result of another shape.
void expectReduction(const std::string& name, std::int64_t reduction);

}  // namespace shardlens
