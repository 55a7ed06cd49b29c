#include "core/memory/copy.h"

#include "core/base/check.h"
#include "core/memory/copies_on_gpu.h"
#include "core/memory/parallel_for.h"
#include "core/memory/strided_copy.h"

#include <ATen/ATen.h>

#include <optional>

namespace shardlens {
namespace {

// With several targets, a block is written to all of them while it is in the cache.
constexpr std::int64_t kCopyBlock = std::int64_t{8} << 10;

// A target with a direct copy.
struct Target {
  StridedCopy layout;
  char* to;
};

// A copy from one source to several targets, of which any byte range can be run separately.
struct CopyJob {
  const char* from;
  std::int64_t bytes;
  std::vector<Target> targets;

  void run(std::int64_t begin, std::int64_t end) const {
    const std::int64_t block = targets.size() == 1 ? end - begin : kCopyBlock;
    for (std::int64_t at = begin; at < end; at += block) {
      for (const auto& target : targets) {
        target.layout.copy(target.to, from, at, std::min(at + block, end));
      }
    }
  }
};

// Returns how to copy the bytes directly. nullopt if there is nothing to copy, `onGpu` will copy,
// or Tensor::copy_ did it.
std::optional<Target> targetOf(const at::Tensor& to, const at::Tensor& from,
                               CopiesOnGpu* onGpu = nullptr) {
  SL_CHECK(to.sizes() == from.sizes(), "a copy keeps its shape");
  SL_CHECK(to.scalar_type() == from.scalar_type(), "a copy keeps its dtype");
  if (from.numel() == 0 || to.is_same(from)) return std::nullopt;
  if (isPlain(to) && isPlain(from)) {
    auto* where = static_cast<char*>(to.mutable_data_ptr());
    if (where == from.const_data_ptr() && to.strides() == from.strides()) return std::nullopt;
    const StridedCopy layout = copyBetween(to, from);
    if (layout.isCheap()) return Target{layout, where};
  }
  if (onGpu == nullptr || !onGpu->add(to, from)) to.copy_(from);
  return std::nullopt;
}

}  // namespace

void copyInto(const at::Tensor& to, const at::Tensor& from) {
  const auto target = targetOf(to, from);
  if (!target) return;
  const auto* bytes = static_cast<const char*>(from.const_data_ptr());
  parallelFor({{target->layout.bytes(), 2}},
              [&](std::size_t, std::int64_t begin, std::int64_t end) {
                target->layout.copy(target->to, bytes, begin, end);
              });
}

void copyAll(const std::vector<Copy>& copies) {
  CopiesOnGpu onGpu;
  std::vector<CopyJob> jobs;
  std::vector<Work> work;
  jobs.reserve(copies.size());
  work.reserve(copies.size());
  for (const auto& [all, from] : copies) {
    CopyJob job{nullptr, static_cast<std::int64_t>(from.nbytes()), {}};
    job.targets.reserve(all.size());
    for (const auto& to : all) {
      if (auto target = targetOf(to, from, &onGpu)) job.targets.push_back(*target);
    }
    if (job.targets.empty()) continue;
    job.from = static_cast<const char*>(from.const_data_ptr());
    work.push_back({job.bytes, 1 + static_cast<std::int64_t>(job.targets.size())});
    jobs.push_back(std::move(job));
  }
  onGpu.run();
  parallelFor(
      work, [&](std::size_t i, std::int64_t begin, std::int64_t end) { jobs[i].run(begin, end); });
}

}  // namespace shardlens
