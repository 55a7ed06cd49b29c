// Multi-tensor operators in place, on ranks that share memory until it is written.

#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/ranks.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>
#include <set>

namespace shardlens {
namespace {

using List = std::vector<at::Tensor>;
using Stack = torch::jit::Stack;
using Place = std::function<at::Tensor(const at::Tensor&)>;  // shards a plain tensor

// Two ranks on each of two fake GPUs.
std::shared_ptr<Runtime> ranksOnGpus() {
  return makeRuntime(*DeviceMesh::make({4}), fake_cuda::communicator(4));
}

// Between 0 and 1, where every operator is defined.
List tensors(int seed) {
  List list;
  for (const int rows : {3, 5}) list.push_back(numbered({rows, 4}, 11 + seed).add(1).div(32));
  return list;
}

c10::List<at::Tensor> placedList(int seed, const Place& place) {
  c10::List<at::Tensor> list;
  for (const auto& tensor : tensors(seed)) list.push_back(place(tensor));
  return list;
}

// Returns an argument for a formal one by its type; nullopt for a type that no operator here needs.
std::optional<c10::IValue> argumentFor(const c10::Argument& formal, int seed, const Place& place) {
  if (formal.default_value()) return formal.default_value();
  const auto type = formal.type()->str();
  if (type == "Tensor[]") return placedList(seed, place);
  if (type == "Scalar") return at::Scalar(0.5);
  if (type == "Tensor") return at::full({}, 0.5);
  if (type == "Scalar[]") return c10::List<at::Scalar>({at::Scalar(0.5), at::Scalar(0.25)});
  return std::nullopt;
}

// Calls the operator and returns what it wrote. nullopt if the test has no arguments for it.
std::optional<List> written(const c10::OperatorHandle& op, const Place& place) {
  Stack stack;
  for (const auto& formal : op.schema().arguments()) {
    auto value = argumentFor(formal, static_cast<int>(stack.size()), place);
    if (!value) return std::nullopt;
    stack.push_back(*std::move(value));
  }
  const auto self = stack.front().toTensorVector();
  op.callBoxed(&stack);
  return self;
}

bool isInPlace(const c10::OperatorName& name) {
  return name.name.starts_with("aten::_foreach_") && name.name.ends_with('_');
}

TEST(ForeachOnGpus, ChangeEachRanksTensorOnce) {
  const auto runtime = ranksOnGpus();
  std::set<std::string> compared;
  for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!isInPlace(name)) continue;
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op || op->schema().arguments().size() == 0) continue;
    SCOPED_TRACE(c10::toString(name));
    std::optional<List> expected;
    try {
      expected = written(*op, [](const at::Tensor& tensor) { return tensor.clone(); });
    } catch (const c10::Error&) {  // a list of numbers that is a tensor, and more
      continue;
    }
    if (!expected) continue;
    for (const char* placement : {"R", "S(0)"}) {
      const auto got = written(*op, [&](const at::Tensor& tensor) {
        return distribute(runtime, tensor, placed({placement}));
      });
      for (std::size_t i = 0; i < expected->size(); ++i) {
        EXPECT_TRUE(at::allclose(whole((*got)[i]), (*expected)[i], 1e-6, 1e-7, /*equal_nan=*/true))
            << placement;
      }
    }
    compared.insert(c10::toString(name));
  }
  EXPECT_GE(compared.size(), 60U);
}

// A snapshot shares the memory of the tensor until either is written.
TEST(ForeachOnGpus, LeaveSnapshotsAlone) {
  const auto x = distribute(ranksOnGpus(), numbered({8}), placed({"S(0)"}));
  const at::Tensor before(dtensorImpl(x).snapshot());
  at::_foreach_mul_({x}, 3);
  EXPECT_TRUE(at::equal(whole(before), numbered({8})));
  EXPECT_TRUE(at::equal(whole(x), numbered({8}) * 3));
}

}  // namespace
}  // namespace shardlens
