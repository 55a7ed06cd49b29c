#include "core/comm/nccl/device/current_device.h"

namespace shardlens {

CurrentDevice::Scope::Scope(CurrentDevice& current) : current_(current) {
  if (current_.scopes_++ == 0) current_.cuda_.getDevice(&current_.device_);
  before_ = current_.device_;
}

CurrentDevice::Scope::~Scope() {
  if (--current_.scopes_ == 0) current_.use(before_);
}

void CurrentDevice::use(int device) {
  if (device == device_) return;
  cuda_.setDevice(device);
  device_ = device;
}

}  // namespace shardlens
