#pragma once

#include "core/comm/nccl/device/api.h"

namespace shardlens {

// The current CUDA device of the calling thread during a collective. Calls cudaSetDevice only where
// the device changes. Used by one thread; keeps a reference to `cuda`. Ignores CUDA errors, which
// the next CUDA call reports.
class CurrentDevice {
 public:
  explicit CurrentDevice(const CudaApi& cuda) : cuda_(cuda) {}

  // A guard around the calls of use(). The outermost one restores the device that was current.
  class Scope {
   public:
    explicit Scope(CurrentDevice& current);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CurrentDevice& current_;
    int before_ = 0;
  };

  // Makes the device current. Requires a Scope.
  void use(int device);

 private:
  const CudaApi& cuda_;
  int device_ = 0;
  int scopes_ = 0;
};

// A guard that makes one GPU the current device and restores the previous one.
class OnDevice {
 public:
  OnDevice(const CudaApi& cuda, int device) : current_(cuda), scope_(current_) {
    current_.use(device);
  }

 private:
  CurrentDevice current_;
  CurrentDevice::Scope scope_;
};

}  // namespace shardlens
