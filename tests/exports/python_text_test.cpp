#include "core/exports/python_text.h"

#include "core/base/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>

namespace shardlens {
namespace {

using nlohmann::json;

TEST(PythonText, ArgumentsNameTensorsAndDtypes) {
  const json arguments = {"$w", "$w.0", "float64", "mean", {1, 2.5, true, nullptr}, {{"a", "$x"}}};
  EXPECT_EQ(pythonArgument(arguments),
            R"([t["w"], t["w.0"], torch.float64, "mean", [1, 2.5, True, None], {"a": t["x"]}])");
  EXPECT_EQ(pythonLiteral(arguments[0]), R"("$w")");
}

TEST(PythonText, ATextCannotLeaveItsQuotes) { EXPECT_EQ(pythonText("a\"\\\n"), R"("a\"\\\n")"); }

TEST(PythonText, PlacementsAreThoseOfDTensor) {
  const Placements placements = {Replicate{},        Shard{1},
                                 StridedShard{0, 2}, Partial{ReduceOp::Avg},
                                 NormPartial{2},     MaskPartial{ReduceOp::Sum, {10, 3}, 0}};
  EXPECT_EQ(pythonPlacements(placements).value(),
            "[Replicate(), Shard(1), _StridedShard(0, split_factor=2), Partial(\"avg\"), "
            "_NormPartial(2), _MaskPartial(reduce_op=\"sum\", offset_shape=torch.Size([10, 3]), "
            "offset_dim=0)]");
  EXPECT_EQ(pythonPlacements({Partial{ReduceOp::PremulSum, 0.5}}).error().message,
            "DTensor has no placement P(premul_sum, 0.5)");
}

TEST(PythonText, AMeshListsItsRanks) {
  EXPECT_EQ(pythonMesh(DeviceMesh::make({2}, {"pp"}, {0, 3}).value()),
            R"(((2,), ("pp",), (0, 3)))");
}

template <class T>
std::string elements(DType dtype, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return pythonElements(dtype, bytes);
}

TEST(PythonText, ElementsAreExact) {
  EXPECT_EQ(elements<float>(DType::Float32, {0.1F, -3, NAN, HUGE_VALF}), "[0.1, -3, nan, inf]");
  EXPECT_EQ(elements<std::int64_t>(DType::Int64, {9007199254740993}), "[9007199254740993]");
  EXPECT_EQ(elements<std::complex<float>>(DType::Complex64, {{1, -2.5F}, {NAN, HUGE_VALF}}),
            "[complex(1, -2.5), complex(nan, inf)]");
  EXPECT_EQ(elements<std::uint8_t>(DType::Bool, {1, 0}), "[True, False]");
}

}  // namespace
}  // namespace shardlens
