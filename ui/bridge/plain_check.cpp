#include "ui/bridge/plain_check.h"

namespace shardlens {
namespace {

bool& setting() {
  static bool enabled = false;
  return enabled;
}

}  // namespace

bool PlainCheck::isEnabled() { return setting(); }
void PlainCheck::setEnabled(bool enabled) { setting() = enabled; }

}  // namespace shardlens
