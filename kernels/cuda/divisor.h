#pragma once

#include "kernels/host_device.h"

#include <cstdint>

namespace shardlens::kernels::cuda {

// Divides by a number >= 1 that is known before the launch. A GPU has no division instruction.
// Below 2^31, a multiplication with a precomputed number replaces it: see Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication", figure 4.1.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(std::uint64_t by) : by_(by) {
    if (by >= kSmall) return;
    while ((std::uint64_t{1} << shift_) < by) ++shift_;
    const std::uint64_t power = std::uint64_t{1} << shift_;
    multiplier_ = static_cast<std::uint32_t>(((power - by) << 32) / by + 1);
  }

  // Returns number / by(), rounded down.
  SHARDLENS_HOST_DEVICE std::uint64_t quotient(std::uint64_t number) const {
    if (number >= kSmall) return number / by_;
    if (by_ >= kSmall) return 0;
    const std::uint64_t high = number * multiplier_ >> 32;
    return (high + number) >> shift_;
  }
  // Returns the divisor; 1 by default.
  SHARDLENS_HOST_DEVICE std::uint64_t by() const { return by_; }

 private:
  static constexpr std::uint64_t kSmall = std::uint64_t{1} << 31;

  std::uint64_t by_ = 1;
  std::uint32_t multiplier_ = 1;
  std::uint32_t shift_ = 0;
};

}  // namespace shardlens::kernels::cuda
