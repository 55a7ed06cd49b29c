#pragma once

#include <torch/library.h>

#include <vector>

namespace shardlens {

// Replaces libtorch's composition of an operator for sharded tensors, with and without autograd.
// `function` is a TORCH_FN. Lasts as long as the process. Call it while operators are registered,
// on one thread and once per `name`, an operator of "aten" as "one_hot".
template <class Function>
void registerComposed(const char* name, Function function) {
  for (const auto key : {c10::DispatchKey::AutogradPrivateUse1, c10::DispatchKey::PrivateUse1}) {
    static std::vector<torch::Library> kKept;
    kKept.emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
    kKept.back().impl(name, function);
  }
}

}  // namespace shardlens
