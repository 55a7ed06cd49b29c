#include "app/cli/plan_request.h"

#include "app/cli/topology_file.h"
#include "core/model/notation.h"

#include <algorithm>
#include <charconv>

namespace shardlens::cli {
namespace {

auto wrong(std::string_view option, std::string_view got, std::string_view expected) {
  return fail(std::string(option) + ": got " + std::string(got) + ", expected " +
              std::string(expected));
}

std::optional<Shape> sizes(std::string_view text) {
  Shape list;
  for (const auto piece : splitAtCommas(text)) {
    const auto [end, error] =
        std::from_chars(piece.data(), piece.data() + piece.size(), list.emplace_back());
    if (error != std::errc() || end != piece.data() + piece.size()) return std::nullopt;
  }
  return list;
}

Result<MeshPtr> readMesh(const std::string& text) {
  auto mesh = parseMesh(text);
  if (!mesh) return fail("--mesh: " + mesh.error().message);
  return std::make_shared<const DeviceMesh>(std::move(*mesh));
}

Result<Shape> readShape(std::string_view text) {
  constexpr auto kExpected = "the global shape, for example 16,32";
  std::string_view inside = text;
  if (inside.starts_with('[') && inside.ends_with(']')) {
    inside = inside.substr(1, inside.size() - 2);
  }
  if (inside.empty()) return Shape{};
  auto shape = sizes(inside);
  if (!shape) return wrong("--shape", text, kExpected);
  constexpr std::int64_t kMostElements = std::int64_t{1} << 58;
  std::int64_t elements = 1;
  for (const auto size : *shape) {
    if (size < 0) return wrong("--shape", text, kExpected);
    if (size > 0 && elements > kMostElements / size) {
      return wrong("--shape", text, "less than 2^58 elements");
    }
    elements *= std::max<std::int64_t>(size, 1);
  }
  return *shape;
}

Result<DType> readDType(const std::string& text) {
  if (const auto dtype = parseDType(text)) return *dtype;
  for (int i = 0; i < kDTypes; ++i) {
    if (text == dtypeShortName(static_cast<DType>(i))) return static_cast<DType>(i);
  }
  return wrong("--dtype", text, "a dtype, for example float32 or f32");
}

Result<Placements> readPlacements(std::string_view option, const std::string& text,
                                  const DeviceMesh& mesh, int ndim) {
  const auto named = [&](const Error& error) {
    return fail(std::string(option) + ": " + error.message);
  };
  const auto placements = parsePlacements(text);
  if (!placements) return named(placements.error());
  auto verified = verifyPlacements(*placements, mesh, ndim);
  if (!verified) return named(verified.error());
  return verified;
}

}  // namespace

Result<PlanRequest> readPlanRequest(const PlanOptions& options) {
  PlanRequest request;
  const auto mesh = readMesh(options.mesh);
  if (!mesh) return tl::unexpected(mesh.error());
  const auto shape = readShape(options.shape);
  if (!shape) return tl::unexpected(shape.error());
  const auto dtype = readDType(options.dtype);
  if (!dtype) return tl::unexpected(dtype.error());
  const int ndim = static_cast<int>(shape->size());
  const auto from = readPlacements("--from", options.from, **mesh, ndim);
  if (!from) return tl::unexpected(from.error());
  auto to = readPlacements("--to", options.to, **mesh, ndim);
  if (!to) return tl::unexpected(to.error());
  const auto planner = parsePlanner(options.planner);
  if (!planner) return wrong("--planner", options.planner, "min-cost, greedy or decompose");
  if (options.topology) {
    const auto costs = readTopology(*options.topology);
    if (!costs) return tl::unexpected(costs.error());
    request.costs = *costs;
  }
  request.current = {*mesh, *from, {*shape, contiguousStrides(*shape), *dtype}};
  request.target = std::move(*to);
  request.planner = *planner;
  return request;
}

}  // namespace shardlens::cli
