#pragma once

namespace shardlens {

// A process-wide setting: whether engines started from now on compare each result with that of
// plain tensors. Off by default, not saved, GUI thread only.
class PlainCheck {
 public:
  static bool isWanted();
  static void want(bool wanted);
};

}  // namespace shardlens
