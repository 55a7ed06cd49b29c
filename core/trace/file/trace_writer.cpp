#include "core/trace/file/trace_writer.h"

#include "core/base/spin_lock.h"
#include "core/trace/events/open_blocks.h"
#include "core/trace/events/open_segments.h"
#include "core/trace/file/trace_schema.h"
#include "core/trace/file/trace_store.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace shardlens {

namespace {

// The longest time that appended data waits, and the size at which it is written at once.
constexpr std::chrono::milliseconds kLatest{50};
// A batch of several blocks packs fewer incomplete blocks, and writes fewer pages of the file's
// indexes twice.
constexpr std::size_t kWriteNow = 4 * kBlockEvents * sizeof(Event);
// Appending blocks at this size, so that a slow disk does not fill the memory.
constexpr std::size_t kMostPending = std::size_t{256} << 20;
constexpr std::size_t kBehind = kMostPending / 2;
constexpr std::size_t kFull = kMostPending / 8 * 7;
constexpr std::size_t kMostKept = std::size_t{4} << 20;

}  // namespace

// Data appended since the last batch, in order. The writer's thread splits it into blocks.
struct TraceWriter::Pending {
  TraceBatch batch;
  EventBlock events;                                      // may exceed kBlockEvents
  std::vector<std::pair<EventId, std::int64_t>> exposed;  // collectives with Event::exposed
  std::vector<std::pair<EventId, std::int64_t>> ends;     // ended spans with their durations
  std::size_t bytes = 0;

  // Retains the memory of a usual batch. Otherwise the writer's thread would free it and the
  // appending thread allocate it again.
  void clear() {
    if (bytes > kMostKept) {
      *this = {};
      return;
    }
    batch.meta.clear();
    batch.strings.clear();
    batch.specs.clear();
    batch.routes.clear();
    batch.tensors.clear();
    batch.blocks.clear();
    batch.segments.clear();
    batch.values.clear();
    batch.bookmarks.clear();
    events.events.clear();
    events.inputs.clear();
    exposed.clear();
    ends.clear();
    bytes = 0;
  }
};

// Appended data waits in pending_ under lock_. thread_ swaps it with taken_ and writes it; only
// thread_ uses store_ and blocks_.
class TraceWriter::Impl {
 public:
  explicit Impl(std::unique_ptr<TraceStore> store)
      : store_(std::move(store)), thread_([this] { run(); }) {}
  ~Impl() { std::ignore = close(); }

  // Calls change(pending) under the lock. `bytes`: the approximate size of the data.
  template <class Change>
  void append(std::size_t bytes, const Change& change) {
    std::unique_lock lock(lock_);
    const auto hasRoom = [this] { return pending_.bytes < kMostPending; };
    if (!hasRoom()) waitForDisk(lock, hasRoom);
    if (stop_ || error_) return;
    change(pending_);
    const bool wasFull = pending_.bytes >= kWriteNow;
    pending_.bytes += bytes;
    const bool isFull = pending_.bytes >= kWriteNow;
    const bool wake = std::exchange(idle_, false) || isFull != wasFull;
    lock.unlock();
    if (wake) wake_.notify_one();
  }

  Result<void> flush() {
    std::unique_lock lock(lock_);
    const std::uint64_t request = ++requested_;
    wake_.notify_one();
    written_.wait(lock, [&] { return done_ >= request || finished_; });
    return answer();
  }

  Result<void> close() {
    {
      const std::lock_guard lock(lock_);
      stop_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(lock_);
    return answer();
  }

  // True if so much waits, with what is being written.
  bool hasWaiting(std::size_t bytes) {
    const std::lock_guard lock(lock_);
    return pending_.bytes + writing_ >= bytes && !error_;
  }

  void waitForRoom() {
    Lock lock(lock_);
    const auto hasRoom = [this] { return pending_.bytes + writing_ < kFull; };
    if (!hasRoom()) waitForDisk(lock, hasRoom);
  }

  std::chrono::nanoseconds waited() {
    const std::lock_guard lock(lock_);
    return waited_ + (waitsSince_ ? Clock::now() - *waitsSince_ : Clock::duration::zero());
  }

 private:
  using Lock = std::unique_lock<SpinLock>;
  using Clock = std::chrono::steady_clock;

  bool isUrgent() const { return stop_ || requested_ != done_ || pending_.bytes >= kWriteNow; }

  template <class HasRoom>
  void waitForDisk(Lock& lock, const HasRoom& hasRoom) {
    const auto since = Clock::now();
    waitsSince_ = since;
    wake_.notify_one();
    written_.wait(lock, [&] { return hasRoom() || stop_ || error_; });
    waitsSince_.reset();
    waited_ += Clock::now() - since;
  }

  Result<void> answer() const {
    if (error_) return tl::unexpected(*error_);
    return {};
  }

  void keep(const Result<void>& result) {
    if (!result && !error_) error_ = result.error();
  }

  void run() {
    Lock lock(lock_);
    while (!stop_ || pending_.bytes != 0) {
      if (!wake_.wait_for(lock, kLatest, [this] { return isUrgent(); }) && pending_.bytes == 0) {
        idle_ = true;
        wake_.wait(lock, [this] { return !idle_ || isUrgent(); });
        continue;
      }
      writePending(lock);
    }
    const auto waited = waited_;
    const bool isWhole = !error_;
    lock.unlock();
    const auto result = guarded([&] {
      if (isWhole) {
        TraceBatch rest;
        rest.segments = segments_.takeRest();
        if (auto written = store_->write(rest); !written) return written;
      }
      return store_->finish(waited);
    });
    store_.reset();
    lock.lock();
    keep(result);
    finished_ = true;
    written_.notify_all();
  }

  void writePending(Lock& lock) {
    const std::uint64_t requested = requested_;
    std::swap(pending_, taken_);
    writing_ = taken_.bytes;
    const bool write = taken_.bytes != 0 && !error_;
    lock.unlock();
    const auto result = write ? guarded([this] { return this->write(taken_); }) : Result<void>();
    taken_.clear();
    lock.lock();
    writing_ = 0;
    keep(result);
    done_ = requested;
    written_.notify_all();
  }

  // An exception must not leave the thread, because it would end the recorded program.
  template <class Act>
  static Result<void> guarded(const Act& act) {
    try {
      return act();
    } catch (const std::exception& problem) {
      return fail(std::string("the recorder failed: ") + problem.what());
    }
  }

  Result<void> write(Pending& pending) {
    auto& [batch, events, exposed, ends, bytes] = pending;
    for (const auto& [id, text] : batch.strings) segments_.addText(id, text);
    for (const auto& [id, route] : batch.routes) segments_.addRoute(id, route);
    events.forEach([this](EventId id, const Event& event, std::span<const TensorId> inputs) {
      blocks_.append(id, event, inputs);
      segments_.append(id, event);
      newest_ = event;
    });
    for (const auto& [id, blocked] : exposed) blocks_.setExposed(id, blocked);
    for (const auto& [id, duration] : ends) {
      blocks_.end(id, duration);
      segments_.end(id, blocks_.at(id));
    }
    batch.blocks = blocks_.takeChanged();
    batch.segments = segments_.takeSealed();
    if (!batch.strings.empty()) strings_ = batch.strings.back().first;
    auto written = store_->write(batch);
    if (!written) writeLastWords(batch, written.error().message);
    return written;
  }

  // After a failed write, tries the batch again without values and with a final Error event that
  // gives the reason.
  void writeLastWords(TraceBatch& batch, const std::string& why) {
    store_->freeReserve();
    batch.values.clear();
    batch.segments.clear();  // a reader computes those that are missing
    batch.strings.emplace_back(strings_ + 1, "the recording ends here: " + why);
    Event last;
    last.kind = EventKind::Error;
    last.name = strings_ + 1;
    last.time = newest_.time;
    last.step = newest_.step;
    last.line = newest_.line;
    blocks_.append(blocks_.last() + 1, last, {});
    for (auto& block : blocks_.takeChanged()) batch.blocks.push_back(std::move(block));
    std::ignore = store_->write(batch);
  }

  std::unique_ptr<TraceStore> store_;
  OpenBlocks blocks_;
  OpenSegments segments_;
  Event newest_;
  StringId strings_ = 0;

  SpinLock lock_;
  std::condition_variable_any wake_;     // signals thread_: data, a flush or stop_
  std::condition_variable_any written_;  // signals waiting callers: a batch was written
  Pending pending_;
  Pending taken_;            // used by thread_ only, except for the swap
  std::size_t writing_ = 0;  // bytes of taken_
  bool idle_ = false;        // thread_ waits for data without a timeout
  std::chrono::nanoseconds waited_{0};
  std::optional<Clock::time_point> waitsSince_;
  std::uint64_t requested_ = 0;  // flush requests; done_ is the last one completed
  std::uint64_t done_ = 0;
  std::optional<Error> error_;
  bool stop_ = false;
  bool finished_ = false;
  std::thread thread_;  // last, because it uses the other members
};

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::filesystem::path& path,
                                                         SinkRequests requests) {
  auto store = TraceStore::create(path);
  if (!store) return tl::unexpected(store.error());
  return std::unique_ptr<TraceWriter>(
      new TraceWriter(std::make_unique<Impl>(std::move(*store)), requests));
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl, SinkRequests requests)
    : impl_(std::move(impl)), requests_(requests) {}
TraceWriter::~TraceWriter() = default;

Result<void> TraceWriter::flush() { return impl_->flush(); }
Result<void> TraceWriter::close() { return impl_->close(); }

std::chrono::nanoseconds TraceWriter::waited() const { return impl_->waited(); }
bool TraceWriter::isBehind() const { return impl_->hasWaiting(kBehind); }
bool TraceWriter::isFull() const { return impl_->hasWaiting(kFull); }
void TraceWriter::waitForRoom() { impl_->waitForRoom(); }

void TraceWriter::onMeta(std::string_view key, std::string_view value) {
  impl_->append(key.size() + value.size() + 1,
                [&](Pending& pending) { pending.batch.meta.emplace_back(key, value); });
  // Blocks until the ranks are in the file: a process that is killed from now on counts as lost. An
  // error is that of close().
  if (key == "hosted") std::ignore = flush();
}

void TraceWriter::onString(StringId id, std::string_view text) {
  impl_->append(text.size() + sizeof(std::string),
                [&](Pending& pending) { pending.batch.strings.emplace_back(id, text); });
}

void TraceWriter::onSpec(SpecId id, const Spec& spec) {
  impl_->append(sizeof(Spec),
                [&](Pending& pending) { pending.batch.specs.emplace_back(id, spec); });
}

void TraceWriter::onRoute(RouteId id, const Route& route) {
  impl_->append(sizeof(Route) * (1 + route.size()),
                [&](Pending& pending) { pending.batch.routes.emplace_back(id, route); });
}

void TraceWriter::onTensor(TensorId id, StringId name, SpecId spec) {
  impl_->append(sizeof(PackedTensor), [&](Pending& pending) {
    if (pending.batch.tensors.empty()) pending.batch.firstTensor = id;
    pending.batch.tensors.push_back({name, spec});
  });
}

void TraceWriter::onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) {
  impl_->append(sizeof(Event) + inputs.size_bytes(), [&](Pending& pending) {
    if (pending.events.events.empty()) {
      pending.events.first = id;
      pending.events.events.reserve(kBlockEvents);
    }
    pending.events.add(event, inputs);
  });
}

void TraceWriter::onValue(const ValueRecord& value) {
  const std::size_t data = value.data == nullptr ? 0 : value.data->size();
  impl_->append(sizeof(ValueRecord) + data,
                [&](Pending& pending) { pending.batch.values.push_back(value); });
}

void TraceWriter::onBookmark(EventId id, std::string_view note) {
  impl_->append(note.size() + sizeof(id),
                [&](Pending& pending) { pending.batch.bookmarks.emplace_back(id, note); });
}

void TraceWriter::onExposed(EventId id, std::int64_t exposed) {
  impl_->append(sizeof(id) + sizeof(exposed),
                [&](Pending& pending) { pending.exposed.emplace_back(id, exposed); });
}

void TraceWriter::onEnd(EventId id, std::int64_t duration) {
  impl_->append(sizeof(id) + sizeof(duration),
                [&](Pending& pending) { pending.ends.emplace_back(id, duration); });
}

}  // namespace shardlens
