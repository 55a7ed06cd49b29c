#include "core/trace/file/trace_writer.h"

#include "core/trace/file/trace_schema.h"
#include "core/trace/file/trace_store.h"
#include "core/trace/journal/open_blocks.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace shardlens {

namespace {

constexpr std::chrono::milliseconds kLatest{50};
constexpr std::size_t kWriteNow = kBlockEvents * sizeof(Event);
// A disk slower than the run holds the run back here rather than fill the memory.
constexpr std::size_t kMostPending = std::size_t{256} << 20;

}  // namespace

// What is appended waits in memory under mutex_; thread_ takes it and alone touches store_.
class TraceWriter::Impl {
 public:
  explicit Impl(std::unique_ptr<TraceStore> store)
      : store_(std::move(store)), thread_([this] { run(); }) {}
  ~Impl() { std::ignore = close(); }

  // change(batch, blocks) appends something of about so many bytes.
  template <class Change>
  void append(std::size_t bytes, const Change& change) {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [this] { return pendingBytes_ < kMostPending || stop_ || error_; });
    if (stop_ || error_) return;
    const bool first = pendingBytes_ == 0;
    change(pending_, blocks_);
    pendingBytes_ += bytes;
    if (first || pendingBytes_ >= kWriteNow) wake_.notify_one();
  }

  Result<void> flush() {
    std::unique_lock lock(mutex_);
    const std::uint64_t mine = ++asked_;
    wake_.notify_one();
    written_.wait(lock, [&] { return done_ >= mine || finished_; });
    return answer();
  }

  Result<void> close() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    return answer();
  }

 private:
  bool isUrgent() const { return stop_ || asked_ != done_ || pendingBytes_ >= kWriteNow; }

  Result<void> answer() const {
    if (error_) return tl::unexpected(*error_);
    return {};
  }

  void keep(const Result<void>& result) {
    if (!result && !error_) error_ = result.error();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stop_ || pendingBytes_ != 0) {
      wake_.wait(lock, [this] { return pendingBytes_ != 0 || isUrgent(); });
      wake_.wait_for(lock, kLatest, [this] { return isUrgent(); });
      writePending(lock);
    }
    lock.unlock();
    const auto result = store_->finish();
    store_.reset();
    lock.lock();
    keep(result);
    finished_ = true;
    written_.notify_all();
  }

  void writePending(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t asked = asked_;
    TraceBatch batch = std::exchange(pending_, {});
    batch.blocks = blocks_.takeChanged();
    const bool write = pendingBytes_ != 0 && !error_;
    pendingBytes_ = 0;
    lock.unlock();
    const auto result = write ? store_->write(batch) : Result<void>();
    batch = {};
    lock.lock();
    keep(result);
    done_ = asked;
    written_.notify_all();
  }

  std::unique_ptr<TraceStore> store_;
  std::mutex mutex_;
  std::condition_variable wake_;     // there is something for the thread to do
  std::condition_variable written_;  // it did something
  TraceBatch pending_;
  OpenBlocks blocks_;
  std::size_t pendingBytes_ = 0;
  std::uint64_t asked_ = 0;  // flushes
  std::uint64_t done_ = 0;
  std::optional<Error> error_;
  bool stop_ = false;
  bool finished_ = false;
  std::thread thread_;  // last: it uses all the others
};

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::filesystem::path& path,
                                                         Wants wants) {
  auto store = TraceStore::create(path);
  if (!store) return tl::unexpected(store.error());
  return std::unique_ptr<TraceWriter>(
      new TraceWriter(std::make_unique<Impl>(std::move(*store)), wants));
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl, Wants wants)
    : impl_(std::move(impl)), wants_(wants) {}
TraceWriter::~TraceWriter() = default;

Result<void> TraceWriter::flush() { return impl_->flush(); }
Result<void> TraceWriter::close() { return impl_->close(); }

void TraceWriter::onMeta(std::string_view key, std::string_view value) {
  impl_->append(key.size() + value.size() + 1,
                [&](TraceBatch& batch, OpenBlocks&) { batch.meta.emplace_back(key, value); });
}

void TraceWriter::onString(StringId id, std::string_view text) {
  impl_->append(text.size() + sizeof(std::string),
                [&](TraceBatch& batch, OpenBlocks&) { batch.strings.emplace_back(id, text); });
}

void TraceWriter::onSpec(SpecId id, const SpecRecord& spec) {
  impl_->append(sizeof(SpecRecord),
                [&](TraceBatch& batch, OpenBlocks&) { batch.specs.emplace_back(id, spec); });
}

void TraceWriter::onTensor(TensorId id, StringId name, SpecId spec) {
  impl_->append(sizeof(PackedTensor), [&](TraceBatch& batch, OpenBlocks&) {
    if (batch.tensors.empty()) batch.firstTensor = id;
    batch.tensors.push_back({name, spec});
  });
}

void TraceWriter::onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) {
  impl_->append(sizeof(Event) + inputs.size_bytes(),
                [&](TraceBatch&, OpenBlocks& blocks) { blocks.append(id, event, inputs); });
}

void TraceWriter::onValue(const ValueRecord& value) {
  const std::size_t data = value.data == nullptr ? 0 : value.data->size();
  impl_->append(sizeof(ValueRecord) + data,
                [&](TraceBatch& batch, OpenBlocks&) { batch.values.push_back(value); });
}

void TraceWriter::onEnd(EventId id, std::int64_t duration) {
  impl_->append(sizeof(Event), [&](TraceBatch&, OpenBlocks& blocks) { blocks.end(id, duration); });
}

}  // namespace shardlens
