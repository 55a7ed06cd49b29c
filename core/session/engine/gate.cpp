#include "core/session/engine/gate.h"

namespace shardlens {

void Gate::release(EventId position) {
  const std::lock_guard lock(mutex_);
  position_ = position;
  isPauseDue_ = true;
  changed_.notify_all();
}

void Gate::stop(std::string why) {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  why_ = std::move(why);
  changed_.notify_all();
}

void Gate::onEvent(EventId id, const Event&, std::span<const TensorId>) {
  wait();
  happened_ = id;
}

void Gate::onEnd(EventId, std::int64_t) { wait(); }

void Gate::wait() {
  clock_.stop();
  std::unique_lock lock(mutex_);
  while (!stopped_ && happened_ >= position_) {
    if (isPauseDue_) {
      isPauseDue_ = false;
      lock.unlock();
      onPause_(happened_);
      lock.lock();
      continue;
    }
    changed_.wait(lock);
  }
  clock_.go();
  if (stopped_) onStop_(why_);
}

}  // namespace shardlens
