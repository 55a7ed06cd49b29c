#include "core/legacy/register_legacy.h"

#include "core/legacy/emulated_masks.h"
#include "core/legacy/legacy_calls.h"

namespace shardlens {

void registerLegacy() {
  if (additions().emulations != nullptr) return;
  additions().emulations = emulatedMaskPolicy;
  additions().calls = legacyCalls();
}

}  // namespace shardlens
