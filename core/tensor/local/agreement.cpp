#include "core/comm/refuse_together.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/local/families.h"
#include "core/tensor/queued_id_checks.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns the mesh dimensions along which any of the tensors is not replicated.
std::vector<int> shardedMeshDims(const std::vector<at::Tensor>& tensors, const DeviceMesh& mesh) {
  std::vector<int> dims;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const bool cut = std::any_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
      return isDTensor(tensor) &&
             !isReplicate(specOf(tensor).placements[static_cast<std::size_t>(dim)]);
    });
    if (cut) dims.push_back(dim);
  }
  return dims;
}

// Reduces the ranks' answers to their maximum or minimum, in place. Collective.
void agree(const LocalCall& call, const Buffers& answers, ReduceOp op) {
  const auto dims = shardedMeshDims(call.inputs, *call.runtime.mesh());
  if (dims.empty()) return;
  call.runtime.comm().allReduce(call.runtime.groups(dims).set(), answers, answers, {op});
}

// A process that hosts no rank of the mesh gets the answer of the others, because the program reads
// it in every process.
LocalResult equal(const LocalCall& call) {
  auto& comm = call.runtime.comm();
  Buffers answers;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    const auto device = comm.device(comm.hosted()[i]);
    answers.push_back(at::scalar_tensor(call.runPlain(i).front().toBool(),
                                        at::TensorOptions(at::kByte).device(device)));
  }
  agree(call, answers, ReduceOp::Min);
  call.runtime.idChecks().settle();  // the answer is waited for anyway
  const bool same = answers.empty() || answers.front().item<bool>();
  return {{}, {}, {!isTrueAnywhere(comm, !same)}};
}

// Each rank unscales its gradients, with a separate flag for non-finite values. The maximum of the
// flags is copied to the flag that the caller passed.
LocalResult unscale(const LocalCall& call) {
  const std::size_t at = call.inputs.size() - 2;
  Buffers found;
  for (std::size_t i = 0; i < call.hosted(); ++i) {
    auto stack = call.arguments(i);
    found.push_back(call.local(at, i).clone());
    stack[1] = found.back();
    call.op.callBoxed(&stack);
  }
  agree(call, found, ReduceOp::Max);
  for (std::size_t i = 0; i < call.hosted(); ++i) at::Tensor(call.local(at, i)).copy_(found[i]);
  return {};
}

}  // namespace

std::vector<NamedKernel> agreementKernels() {
  return {{"aten.allclose", {.run = equal}},
          {"aten.equal", {.run = equal}},
          {"aten._amp_foreach_non_finite_check_and_unscale_", {.run = unscale, .runsDry = true}}};
}

}  // namespace shardlens
