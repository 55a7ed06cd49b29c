#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace shardlens {

// How masked embedding lookups run. Fused: one pass masks, shifts, looks up and zeroes, so that the
// result is a true partial sum. Stepwise: each of these is a separate step with a mask buffer, as
// in DTensor.
enum class Masking : std::uint8_t { Fused, Stepwise };

// Whether to reproduce the mask buffers of a PyTorch version, with its defects; this implies
// Stepwise. Torch215: the strategy cache stores a placement together with its mask buffer, so that
// all lookups of equal shapes share one buffer although their ids differ. Before131264 (before pull
// request 131264): as Torch215, but a buffer serves one lookup at a time, and the plan cache
// identifies a mask by its logical dimension size only.
enum class Emulation : std::uint8_t { None, Torch215, Before131264 };
inline constexpr std::array<std::string_view, 3> kEmulationNames = {"", "torch-2.15",
                                                                    "before-131264"};
inline std::string_view emulationName(Emulation emulation) {
  return kEmulationNames[static_cast<std::size_t>(emulation)];
}

// The transport of a run's collectives. Other: that of another program, or unknown.
enum class Transport : std::uint8_t { Other, Simulated, Gloo, Nccl, Dry };
inline constexpr std::array<std::string_view, 5> kTransportNames = {"", "simulated", "gloo", "nccl",
                                                                    "dry"};
inline std::string_view transportName(Transport transport) {
  return kTransportNames[static_cast<std::size_t>(transport)];
}
// Inverse of transportName(). Other for any other name.
inline Transport parseTransport(std::string_view name) {
  const auto found = std::find(kTransportNames.begin(), kTransportNames.end(), name);
  return found == kTransportNames.end() ? Transport::Other
                                        : static_cast<Transport>(found - kTransportNames.begin());
}

// Use of the strategy and plan caches. Verified: every hit is also recomputed, and the step is
// refused if the results differ.
enum class Caches : std::uint8_t { On, Off, Verified };

// Whether an operator may redistribute its inputs. Explicit: an operator that would have to
// communicate for that is refused. Local changes and halo exchanges are allowed.
enum class Redistributions : std::uint8_t { Implicit, Explicit };

// Handling of operators without a sharding rule. Replicated: every rank runs the operator on
// replicated inputs, if that is known to be correct; otherwise it is refused, too.
enum class UnknownOperators : std::uint8_t { Refused, Replicated };

}  // namespace shardlens
