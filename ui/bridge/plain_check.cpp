#include "ui/bridge/plain_check.h"

namespace shardlens {
namespace {

bool& wantedNow() {
  static bool wanted = false;
  return wanted;
}

}  // namespace

bool PlainCheck::isWanted() { return wantedNow(); }
void PlainCheck::want(bool wanted) { wantedNow() = wanted; }

}  // namespace shardlens
