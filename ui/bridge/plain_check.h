#pragma once

namespace shardlens {

// A process-wide setting: whether engines started from now on compare each result with that of
// plain tensors. Off by default, not saved, GUI thread only.
class PlainCheck {
 public:
  static bool isEnabled();
  static void setEnabled(bool enabled);
};

}  // namespace shardlens
