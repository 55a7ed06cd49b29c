#include "app/engine/rule_rows.h"

#include "core/comm/estimated.h"
#include "core/memory/dtypes.h"
#include "core/ops/propagator.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/make_runtime.h"
#include "core/tensor/dispatch/output_metas.h"
#include "core/tensor/distribute.h"
#include "core/tensor/runtime.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>

namespace shardlens::cli {
namespace {

constexpr std::int64_t kSize = 4;  // size of each dimension, so that every split in two is even

// The tensors of an example call. Kinds are tried in turn; libtorch and the operator's check reject
// those that do not fit.
struct Kind {
  int ndim = 0;
  int fewer = 0;  // dimensions that the other tensors lack
  at::ScalarType first = at::kFloat;
  at::ScalarType others = at::kFloat;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const int ndim : {2, 1, 3, 4, 5, 0}) {
    for (const int fewer : {0, 1}) {
      for (const Kind kind : {Kind{ndim, fewer},
                              {ndim, fewer, at::kFloat, at::kLong},
                              {ndim, fewer, at::kFloat, at::kBool},
                              {ndim, fewer, at::kComplexFloat, at::kComplexFloat},
                              {ndim, fewer, at::kLong, at::kLong},
                              {ndim, fewer, at::kBool, at::kBool}}) {
        if (fewer <= ndim) all.push_back(kind);
      }
    }
  }
  return all;
}

class ExampleCall {
 public:
  ExampleCall(const OpEntry& entry, const std::shared_ptr<Runtime>& runtime, Kind kind,
              const Placement& placement)
      : kind_(kind) {
    for (const auto& formal : entry.op.schema().arguments()) {
      args_.push_back(formal.default_value() ? *formal.default_value()
                                             : value(runtime, formal, placement));
    }
  }

  const std::vector<c10::IValue>& args() const { return args_; }

 private:
  // The first tensor gets the requested placement; the others are replicated.
  at::Tensor tensor(const std::shared_ptr<Runtime>& runtime, const Placement& placement) {
    const auto type = isFirst_ ? kind_.first : kind_.others;
    const Shape shape(static_cast<std::size_t>(kind_.ndim - (isFirst_ ? 0 : kind_.fewer)), kSize);
    const auto whole = at::empty(shape, at::TensorOptions(at::kMeta).dtype(type));
    const Placement own = isFirst_ ? placement : Placement(Replicate{});
    isFirst_ = false;
    return distribute(runtime, whole, {own});
  }

  c10::IValue value(const std::shared_ptr<Runtime>& runtime, const c10::Argument& formal,
                    const Placement& placement) {
    auto type = formal.real_type();
    if (type->cast<c10::OptionalType>()) return {};
    if (const auto list = type->cast<c10::ListType>()) {
      return listOf(runtime, formal, list->getElementType(), placement);
    }
    switch (type->kind()) {
      case c10::TypeKind::TensorType:
        return tensor(runtime, placement);
      case c10::TypeKind::IntType:
      case c10::TypeKind::SymIntType:
        return number(formal.name());
      case c10::TypeKind::FloatType:
        return 1.0;
      case c10::TypeKind::BoolType:
        return false;
      case c10::TypeKind::NumberType:
        return at::Scalar(1);
      case c10::TypeKind::StringType:
        return std::string("sum");
      case c10::TypeKind::ScalarTypeType:
        return static_cast<std::int64_t>(at::kFloat);
      default:
        return {};
    }
  }

  // Returns a value by the parameter's name: a dimension, an amount, or 0 ("none") for "reduction".
  static std::int64_t number(const std::string& name) {
    if (name == "dim1" || name == "dim2") return 1;
    return name == "reduction" || name.find("dim") != std::string::npos ? 0 : 1;
  }

  c10::IValue listOf(const std::shared_ptr<Runtime>& runtime, const c10::Argument& formal,
                     const c10::TypePtr& element, const Placement& placement) {
    const auto length = static_cast<std::size_t>(formal.N().value_or(0));
    switch (element->kind()) {
      case c10::TypeKind::TensorType: {
        const auto one = tensor(runtime, placement);
        return c10::List<at::Tensor>({one, tensor(runtime, placement)});
      }
      case c10::TypeKind::OptionalType:
        return c10::List<std::optional<at::Tensor>>({tensor(runtime, placement)});
      case c10::TypeKind::BoolType: {
        c10::List<bool> mask;
        while (mask.size() < length) mask.push_back(true);
        return mask;
      }
      case c10::TypeKind::FloatType:
        return std::vector<double>{1.0, 1.0};
      case c10::TypeKind::NumberType: {
        c10::impl::GenericList scalars(c10::NumberType::get());
        for (int i = 0; i < 2; ++i) scalars.emplace_back(at::Scalar(1));
        return scalars;
      }
      default:
        return numbers(formal.name(), length);
    }
  }

  // Returns sizes, dimensions, or an amount per dimension, by the parameter's name.
  std::vector<std::int64_t> numbers(const std::string& name, std::size_t length) const {
    if (name.find("size") != std::string::npos && length == 0) {
      return std::vector<std::int64_t>(static_cast<std::size_t>(kind_.ndim), kSize);
    }
    if (name.find("shape") != std::string::npos) return {kSize};
    if (name == "dims" || name == "dim" || name == "shifts") return {0};
    return std::vector<std::int64_t>(std::max<std::size_t>(length, 1), 1);
  }

  Kind kind_;
  bool isFirst_ = true;
  std::vector<c10::IValue> args_;
};

// Suppresses libtorch's warnings about example calls.
class Silence final : public c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Returns the strategies of an example call; none if the call, or its first tensor with this
// placement, is refused.
std::vector<OpStrategy> strategiesOf(const OpEntry& entry, const std::shared_ptr<Runtime>& runtime,
                                     Kind kind, const Placement& placement,
                                     std::vector<std::string>& on) {
  try {
    const ExampleCall example(entry, runtime, kind, placement);
    const CallInputs inputs = collectInputs(entry.name, example.args());
    if (entry.kernel != nullptr && entry.kernel->check != nullptr) {
      entry.kernel->check(example.args(), inputs.tensors);
    }
    OpSchema call = describeCall(entry, example.args(), inputs);
    for (auto& metas : outputMetas(entry, example.args(), call)) {
      for (auto& meta : metas) call.outputs.push_back(std::move(meta));
    }
    const auto found = propagate(call, entry.use, {}, Reasons::Include);
    if (!found) return {};
    on.clear();
    for (const auto& input : call.inputs) {
      on.push_back(std::string(dtypeShortName(input.meta.dtype)) + toText(input.meta.shape));
    }
    return found->candidates;
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<std::string> textsOf(const std::vector<Placements>& tensors) {
  std::vector<std::string> texts;
  for (const auto& placements : tensors) texts.push_back(toText(placements.front()));
  return texts;
}

bool hasNoPartialInput(const RuleRows::Row& row) {
  return std::none_of(row.inputs.begin(), row.inputs.end(),
                      [](const std::string& placement) { return placement.starts_with("P("); });
}

RuleRows rowsOf(const OpEntry& entry, const std::shared_ptr<Runtime>& runtime, Kind kind) {
  std::vector<Placement> placements{Replicate{}};
  for (int dim = 0; dim < kind.ndim; ++dim) placements.emplace_back(Shard{dim});
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    placements.emplace_back(Partial{op});
  }
  RuleRows found;
  for (const auto& placement : placements) {
    for (const auto& strategy : strategiesOf(entry, runtime, kind, placement, found.on)) {
      RuleRows::Row row{strategy.name, textsOf(strategy.inputs), textsOf(strategy.outputs)};
      const bool known = std::any_of(found.rows.begin(), found.rows.end(), [&](const auto& other) {
        return other.inputs == row.inputs && other.outputs == row.outputs;
      });
      if (!known) found.rows.push_back(std::move(row));
    }
  }
  std::stable_partition(found.rows.begin(), found.rows.end(), hasNoPartialInput);
  return found;
}

}  // namespace

RuleRows ruleRows(const OpEntry& entry) {
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard guard(&silence);
  const auto runtime = makeRuntime(*DeviceMesh::make({2}),
                                   std::make_unique<DryCommunicator>(CostModel(), at::kMeta));
  RuleRows whole;
  for (const auto& kind : kinds()) {
    auto found = rowsOf(entry, runtime, kind);
    if (found.rows.size() > 1) return found;
    if (whole.rows.empty()) whole = std::move(found);
  }
  return whole;
}

}  // namespace shardlens::cli
