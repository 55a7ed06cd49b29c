#include "kernels/cuda/id_search.h"
#include "kernels/cuda/rows.h"
#include "kernels/cuda/stream_queue.h"

#include <map>
#include <mutex>
#include <vector>

namespace shardlens::kernels::cuda {

// The result of one check. Checks reuse the slots of their device.
struct IdCheck::Slot {
  int device;
  BadIds found;
  cudaEvent_t done;
};

namespace {

// The free slots of a process. Slots are never released, because a check may outlive other statics.
class Slots {
 public:
  static Slots& shared() {
    static auto* slots = new Slots();
    return *slots;
  }

  // Returns a slot of the current device.
  IdCheck::Slot* take() {
    int device = 0;
    check(cudaGetDevice(&device), "current device");
    const std::lock_guard lock(mutex_);
    auto& some = free_[device];
    if (some.empty()) return made(device);
    auto* slot = some.back();
    some.pop_back();
    return slot;
  }
  // Takes back a slot whose check has run.
  void giveBack(IdCheck::Slot* slot) {
    if (*slot->found.isBad != 0) return release(slot);
    const std::lock_guard lock(mutex_);
    free_[slot->device].push_back(slot);
  }

 private:
  static IdCheck::Slot* made(int device) {
    auto* slot = new IdCheck::Slot{.device = device, .found = {}, .done = nullptr};
    check(cudaMalloc(&slot->found.first, sizeof(Position)), "allocation");
    check(cudaMemset(slot->found.first, 0xFF, sizeof(Position)), "memset");
    check(cudaStreamSynchronize(nullptr), "memset");  // other streams do not wait for it
    check(cudaMallocHost(&slot->found.isBad, sizeof(std::int32_t)), "pinned memory");
    *slot->found.isBad = 0;
    check(cudaEventCreateWithFlags(&slot->done, cudaEventDisableTiming), "event");
    return slot;
  }
  static void release(IdCheck::Slot* slot) {
    cudaFree(slot->found.first);
    cudaFreeHost(slot->found.isBad);
    cudaEventDestroy(slot->done);
    delete slot;
  }

  std::mutex mutex_;
  std::map<int, std::vector<IdCheck::Slot*>> free_;  // by device
};

}  // namespace

IdCheck::IdCheck(const Ids& ids, std::int64_t tableRows, Stream stream) {
  if (ids.count == 0) return;
  slot_ = Slots::shared().take();
  StreamQueue queue{stream};
  findOutsideOn(queue, ids, tableRows, slot_->found);
  check(cudaEventRecord(slot_->done, stream), "end of a check of ids");
}

IdCheck::~IdCheck() {
  if (slot_ == nullptr || cudaEventSynchronize(slot_->done) != cudaSuccess) return;
  Slots::shared().giveBack(slot_);
}

std::optional<std::int64_t> IdCheck::firstBad() {
  if (slot_ == nullptr) return std::nullopt;
  check(cudaEventSynchronize(slot_->done), "check of ids");
  auto& [first, isBad] = slot_->found;
  if (*isBad == 0) return std::nullopt;
  Position position = BadIds::kNone;
  check(cudaMemcpy(&position, first, sizeof position, cudaMemcpyDeviceToHost), "copy");
  return static_cast<std::int64_t>(position);
}

}  // namespace shardlens::kernels::cuda
