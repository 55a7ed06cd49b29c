#pragma once

namespace shardlens {

// Whether runs that are begun from now on compare each result with that of plain tensors. The whole
// program has one answer: no, until somebody wants it.
class PlainCheck {
 public:
  static bool isWanted();
  static void want(bool wanted);
};

}  // namespace shardlens
