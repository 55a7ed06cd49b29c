#include "tests/tensor/rules/samples.h"

namespace shardlens {

std::vector<Sample> matmulSamples() {
  const auto vector = wholeNumbers({4});
  const auto other = wholeNumbers({4}, 1);
  const auto matrix = wholeNumbers({5, 4}, 2);
  const auto right = wholeNumbers({4, 3}, 3);
  const auto batch = wholeNumbers({3, 5, 2}, 4);
  const auto rightBatch = wholeNumbers({3, 2, 4}, 5);
  const auto column = wholeNumbers({5, 1}, 6);
  const auto row = wholeNumbers({3}, 7);
  const auto addmm = [](const auto& t) { return at::addmm(t[0], t[1], t[2], 2, 3); };
  return {
      sampleOf("dot", vector, other, [](auto& x, auto& y) { return at::dot(x, y); }),
      sampleOf("vdot", vector, other, [](auto& x, auto& y) { return at::vdot(x, y); }),
      sampleOf("mv", matrix, vector, [](auto& x, auto& y) { return at::mv(x, y); }),
      sampleOf("mm", matrix, right, [](auto& x, auto& y) { return at::mm(x, y); }),
      sampleOf("mm of rows that some ranks lack", matrix.slice(0, 0, 2), right,
               [](auto& x, auto& y) { return at::mm(x, y); }),
      sampleOf("mm over a dimension that some ranks lack", matrix.slice(1, 0, 1),
               right.slice(0, 0, 1), [](auto& x, auto& y) { return at::mm(x, y); }),
      sampleOf("bmm", batch, rightBatch, [](auto& x, auto& y) { return at::bmm(x, y); }),
      sampleOf("addmm", {row, matrix, right}, addmm),
      sampleOf("addmm a column", {column, matrix, right}, addmm),
      sampleOf("addmm a number", {wholeNumbers({}, 1), matrix, right}, addmm),
      sampleOf("addmm_", {wholeNumbers({5, 3}), matrix, right},
               [](const auto& t) { return t[0].addmm_(t[1], t[2]); }),
      sampleOf("addmm_ of rows that some ranks lack",
               {wholeNumbers({1, 3}), column.slice(0, 0, 1), row.view({1, 3})},
               [](const auto& t) { return t[0].addmm_(t[1], t[2]); }),
      sampleOf("addmv", {wholeNumbers({5}), matrix, vector},
               [](const auto& t) { return at::addmv(t[0], t[1], t[2], 2, 3); }),
      sampleOf("addmv a number of a matrix without columns for some",
               {wholeNumbers({1}, 1), matrix.slice(1, 0, 1), vector.slice(0, 0, 1)},
               [](const auto& t) { return at::addmv(t[0], t[1], t[2], 2, 3); }),
      sampleOf("addbmm", {wholeNumbers({5, 4}), batch, rightBatch},
               [](const auto& t) { return at::addbmm(t[0], t[1], t[2], 2, 3); }),
      sampleOf("addr", {wholeNumbers({4, 3}), vector, row},
               [](const auto& t) { return at::addr(t[0], t[1], t[2], 2, 3); }),
      sampleOf("baddbmm", {wholeNumbers({5, 4}), batch, rightBatch},
               [](const auto& t) { return at::baddbmm(t[0], t[1], t[2], 2, 3); }),
  };
}

}  // namespace shardlens
