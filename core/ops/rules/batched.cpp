// Operators on stacks of matrices and vectors, described by signatures like those of NumPy's
// generalized ufuncs: "(m,n)->(m,k),(k)" names the last dimensions of each tensor. The dimensions
// before these are the stack. Its members are independent, so it may be sharded, and so may
// dimensions in capital letters.

#include "core/ops/rules/rules.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

namespace shardlens {
namespace {

struct Signed {
  std::string_view name;
  std::string_view signature;
};

// libtorch has C++ meta functions for these.
constexpr Signed kWithMetas[] = {
    {"aten._euclidean_dist", "(P,m),(R,m)->(P,R)"},
    {"aten._linalg_det", "(n,n)->(),(n,n),(n)"},
    {"aten._linalg_eigh", "(n,n)->(n),(n,n)"},
    {"aten._linalg_slogdet", "(n,n)->(),(),(n,n),(n)"},
    {"aten._linalg_svd", "(m,n)->(m,k),(k),(k,n)"},
    {"aten.linalg_cholesky_ex", "(n,n)->(n,n),()"},
    {"aten.linalg_inv_ex", "(n,n)->(n,n),()"},
    {"aten.linalg_ldl_factor_ex", "(n,n)->(n,n),(n),()"},
    {"aten.linalg_ldl_solve", "(n,n),(n),(n,k)->(n,k)"},
    {"aten.linalg_lu", "(m,n)->(m,m),(m,k),(k,n)"},
    {"aten.linalg_lu_factor_ex", "(m,n)->(m,n),(k),()"},
    {"aten.linalg_lu_solve", "(n,n),(n),(n,k)->(n,k)"},
    {"aten.linalg_polar", "(m,n)->(m,n),(n,n)"},
    {"aten.linalg_qr", "(m,n)->(m,k),(k,n)"},
    {"aten.lu_unpack", "(m,n),(k)->(m,m),(m,k),(k,n)"},
    {"aten.triangular_solve", "(n,k),(n,n)->(n,k),(n,n)"},
};

// Without meta functions. The outputs of these have only dimensions of the inputs.
constexpr Signed kWithoutMetas[] = {
    {"aten._cdist_backward", "(P,r),(P,m),(r,m),(P,r)->(P,m)"},
    {"aten._cdist_forward", "(P,m),(R,m)->(P,R)"},
    {"aten.cholesky_inverse", "(n,n)->(n,n)"},
    {"aten.cholesky_solve", "(n,K),(n,n)->(n,K)"},
    {"aten.linalg_householder_product", "(m,n),(k)->(m,n)"},
    {"aten.linalg_matrix_exp", "(n,n)->(n,n)"},
    {"aten.linalg_matrix_sqrth", "(n,n)->(n,n)"},
    {"aten.linalg_pinv.atol_rtol_tensor", "(m,n),(),()->(n,m)"},
    {"aten.linalg_solve_triangular", "(n,n),(m,k)->(m,k)"},
    {"aten.ormqr", "(m,n),(k),(p,q)->(p,q)"},
};

constexpr std::string_view kEigenvalues = "aten._linalg_eigvals";

constexpr std::string_view kGeqrf = "(m,n)->(m,n),(k)";
constexpr std::string_view kSolve = "(n,n),(n,k)->(n,k),(n,n),(n),()";
constexpr std::string_view kSolveVectors = "(n,n),(n)->(n),(n,n),(n),()";

struct Signature {
  std::vector<std::string> inputs;  // a letter per dimension
  std::vector<std::string> outputs;
};

Signature parsed(std::string_view text) {
  Signature signature;
  auto* tensors = &signature.inputs;
  for (const char letter : text) {
    if (letter == '>') tensors = &signature.outputs;
    if (letter == '(') tensors->emplace_back();
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0) tensors->back().push_back(letter);
  }
  return signature;
}

const Signature& signatureOf(const OpSchema& call) {
  static const auto kSignatures = [] {
    std::unordered_map<std::string_view, Signature> signatures;
    for (const auto& [name, text] : kWithMetas) signatures.emplace(name, parsed(text));
    for (const auto& [name, text] : kWithoutMetas) signatures.emplace(name, parsed(text));
    signatures.emplace(kEigenvalues, parsed("(n,n)->(n)"));
    return signatures;
  }();
  return kSignatures.at(call.name);
}

Shape stackOf(const TensorMeta& meta, const std::string& letters) {
  return Shape(meta.shape.begin(), meta.shape.end() - static_cast<std::ptrdiff_t>(letters.size()));
}

// Returns the shape that the stacks of the inputs broadcast to, or nullopt if they do not. Also
// nullopt if the call has more tensors than its signature, as in a damaged recording.
std::optional<Shape> stackOf(const OpSchema& call, const Signature& signature) {
  if (call.inputs.size() > signature.inputs.size()) return std::nullopt;
  if (call.outputs.size() > signature.outputs.size()) return std::nullopt;
  OpSchema stacks;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.input(i).shape.size() < signature.inputs[i].size()) return std::nullopt;
    stacks.inputs.push_back(call.inputs[i]);
    stacks.inputs.back().meta.shape = stackOf(call.input(i), signature.inputs[i]);
  }
  auto stack = broadcastShape(stacks);
  for (const auto& input : stacks.inputs) {
    const auto& own = input.meta.shape;
    const bool fits =
        std::equal(own.rbegin(), own.rend(), stack.rbegin(),
                   [](auto size, auto stretched) { return size == 1 || size == stretched; });
    if (!fits) return std::nullopt;
  }
  return stack;
}

// Returns the shard of the dimension with this letter, or R if the tensor has none.
Placement shardAt(const TensorMeta& meta, const std::string& letters, char letter,
                  const Placement& shard) {
  const auto at = letters.find(letter);
  if (at == std::string::npos) return Replicate{};
  return alongDim(shard, meta.ndim() - static_cast<int>(letters.size() - at));
}

std::string capitalsOf(const Signature& signature) {
  std::string capitals;
  for (const auto& letters : signature.outputs) {
    for (const char letter : letters) {
      if (std::isupper(static_cast<unsigned char>(letter)) != 0) capitals.push_back(letter);
    }
  }
  return capitals;
}

std::vector<SingleDimStrategy> perMatrix(const OpSchema& call, const Signature& signature) {
  const auto stack = stackOf(call, signature);
  // An error must report the position in the whole stack, so checked calls are replicated.
  const auto* checks = call.findArg("check_errors");
  if (!stack || (checks != nullptr && std::get<bool>(*checks))) return {};
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, auto input, auto output) {
    for (const auto& shard : shardsOf(call, 0)) {
      SingleDimStrategy strategy{name, {}, {}};
      for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        strategy.outputs.push_back(output(call.outputs[i], signature.outputs[i], shard));
      }
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        strategy.inputs.push_back(input(call.input(i), signature.inputs[i], shard));
      }
      strategies.push_back(std::move(strategy));
    }
  };
  for (int dim = 0; dim < static_cast<int>(stack->size()); ++dim) {
    add(
        "stack",
        [&](const TensorMeta& meta, const std::string& letters, const Placement& shard) {
          return alongside(stackOf(meta, letters), *stack, dim, shard);
        },
        // An output that was not requested has shape [0] and no stack.
        [&](const TensorMeta& meta, const std::string& letters, const Placement& shard) {
          const bool stacked = meta.shape.size() == stack->size() + letters.size();
          return stacked ? alongDim(shard, dim) : Placement(Replicate{});
        });
  }
  for (const char letter : capitalsOf(signature)) {
    const auto sharded = [&](const TensorMeta& meta, const std::string& letters,
                             const Placement& shard) {
      return shardAt(meta, letters, letter, shard);
    };
    add("rows", sharded, sharded);
  }
  return strategies;
}

std::vector<SingleDimStrategy> batched(const OpSchema& call) {
  return perMatrix(call, signatureOf(call));
}

// Returns the metadata of an output. The sizes of its letters are those of the inputs.
TensorMeta stacked(const OpSchema& call, const Signature& signature, std::size_t output) {
  auto shape = stackOf(call, signature).value_or(Shape());
  for (const char letter : signature.outputs[output]) {
    for (std::size_t i = 0; i < std::min(call.inputs.size(), signature.inputs.size()); ++i) {
      const auto& letters = signature.inputs[i];
      const auto at = letters.find(letter);
      if (at == std::string::npos || call.input(i).shape.size() < letters.size()) continue;
      shape.push_back(
          *(call.input(i).shape.end() - static_cast<std::ptrdiff_t>(letters.size() - at)));
      break;
    }
  }
  return inOrder(shape, call.input(0).dtype);
}

std::vector<TensorMeta> stackedOutputs(const OpSchema& call) {
  return {stacked(call, signatureOf(call), 0)};
}

// Real matrices, too, may have complex eigenvalues.
std::vector<TensorMeta> eigenvalues(const OpSchema& call) {
  auto shape = call.input(0).shape;
  if (!shape.empty()) shape.pop_back();
  return {inOrder(shape, complexDType(call.input(0).dtype))};
}

std::vector<SingleDimStrategy> geqrf(const OpSchema& call) {
  return perMatrix(call, parsed(kGeqrf));
}

// There are as many reflectors as the smaller side of the matrix.
std::vector<TensorMeta> geqrfOutputs(const OpSchema& call) {
  auto shape = call.input(0).shape;
  const TensorMeta factors = inOrder(shape, call.input(0).dtype);
  if (shape.size() < 2) return {factors, factors};
  const auto least = std::min(shape[shape.size() - 2], shape.back());
  shape.pop_back();
  shape.back() = least;
  return {factors, inOrder(shape, factors.dtype)};
}

// x = A^-1 b. Whether b is a stack of vectors depends on its shape, which may differ for a shard.
// In that case shards nothing.
std::vector<SingleDimStrategy> solve(const OpSchema& call) {
  if (call.inputs.size() != 2) return {};
  const auto &a = call.input(0).shape, &b = call.input(1).shape;
  if (a.empty()) return {};
  const bool mayBeVectors = b.size() + 1 == a.size();
  const bool areVectors =
      b.size() == 1 || (mayBeVectors && std::equal(b.begin(), b.end(), a.begin()));
  if (mayBeVectors && !areVectors) return {};
  return perMatrix(call, parsed(areVectors ? kSolveVectors : kSolve));
}

// The cross product along one dimension. All other dimensions are a stack.
std::vector<SingleDimStrategy> cross(const OpSchema& call) {
  const auto& output = call.outputs.front();
  const int along = dimArg(call, "dim", output.ndim());
  auto strategies = shardAlike(call, output.shape);
  std::erase_if(strategies, [&](const SingleDimStrategy& strategy) {
    return shardedDim(strategy.outputs.front()) == along;
  });
  return strategies;
}

std::vector<TensorMeta> pairs(const OpSchema& call) {
  const auto n = call.input(0).ndim() == 0 ? 0 : call.input(0).shape[0];
  return {{{n * (n - 1) / 2}, {1}, call.input(0).dtype}};
}

}  // namespace

std::vector<NamedRule> batchedRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  std::vector<NamedRule> rules;
  for (const auto& [name, signature] : kWithMetas) {
    rules.push_back({std::string(name), {.singleDimStrategies = batched, .emptyShards = kKept}});
  }
  for (const auto& [name, signature] : kWithoutMetas) {
    rules.push_back(
        {std::string(name),
         {.singleDimStrategies = batched, .emptyShards = kKept, .outputs = stackedOutputs}});
  }
  rules.push_back({std::string(kEigenvalues),
                   {.singleDimStrategies = batched, .emptyShards = kKept, .outputs = eigenvalues}});
  // All ranks raise the same error.
  rules.push_back(
      {"aten._linalg_check_errors", {.singleDimStrategies = onlyWhole, .outputs = noTensor}});
  rules.push_back({"aten._linalg_solve_ex", {.singleDimStrategies = solve, .emptyShards = kKept}});
  rules.push_back(
      {"aten._pdist_backward", {.singleDimStrategies = onlyWhole, .outputs = likeSecond}});
  rules.push_back({"aten._pdist_forward", {.singleDimStrategies = onlyWhole, .outputs = pairs}});
  rules.push_back({"aten.geqrf",
                   {.singleDimStrategies = geqrf, .emptyShards = kKept, .outputs = geqrfOutputs}});
  rules.push_back({"aten.linalg_cross", {.singleDimStrategies = cross, .emptyShards = kKept}});
  return rules;
}

}  // namespace shardlens
