#include "core/session/additions.h"

#include "core/base/refusal.h"

namespace shardlens {

Additions& additions() {
  static Additions all;
  return all;
}

MakeMaskPolicy addedMaskPolicy(Emulation emulation) {
  if (emulation == Emulation::None) return nullptr;
  if (const auto policyOf = additions().emulations) return policyOf(emulation);
  throw Refusal("emulate: got \"" + std::string(emulationName(emulation)) +
                "\", expected none: this program has no emulations");
}

}  // namespace shardlens
