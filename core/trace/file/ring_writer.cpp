#include "core/trace/file/ring_writer.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <system_error>
#include <tuple>
#include <utility>

namespace shardlens {

namespace fs = std::filesystem;

namespace {

void removeRecording(const fs::path& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal", "-live"}) {
    fs::remove(path.string() + suffix, ignored);
  }
}

// Makes `link` a symbolic link to `target`, a path relative to its folder. `scratch` is a path in
// the same file system, from which the link is renamed, so that readers find a recording at any
// moment.
Result<void> putLink(const fs::path& target, const fs::path& link, const fs::path& scratch) {
  std::error_code code;
  fs::remove(scratch, code);
  fs::create_symlink(target, scratch, code);
  if (!code) fs::rename(scratch, link, code);
  if (code) return fail("cannot write " + link.string() + ": " + code.message());
  return {};
}

// Replaces the link `to` by the closed recording to which it leads. Leaves both if a reader holds
// the end of the recording in the write-ahead log, which cannot be moved while it is connected.
Result<void> replaceLink(const fs::path& from, const fs::path& to) {
  std::error_code code;
  const auto log = fs::file_size(from.string() + "-wal", code);
  if (!code && log != 0) return {};
  fs::rename(from, to, code);
  if (code) return fail("cannot write " + to.string() + ": " + code.message());
  removeRecording(from);
  return {};
}

}  // namespace

Result<RingExtent> parseRingExtent(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  constexpr std::array kUnits = {Unit{"s", 1'000'000'000}, Unit{"min", 60'000'000'000},
                                 Unit{"h", 3'600'000'000'000}, Unit{"steps", 0}};
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& unit : kUnits) {
    if (error != std::errc() || number < 1 || name != unit.name) continue;
    if (unit.nanoseconds == 0) return RingExtent{.steps = number};
    return RingExtent{.nanoseconds = number * unit.nanoseconds};
  }
  return fail("got \"" + std::string(text) + "\", expected for example 10min, 90s, 2h or 200steps");
}

RingWriter::RingWriter(fs::path path, RingExtent extent, std::optional<StepSelection> steps)
    : path_(std::move(path)), extent_(extent) {
  current_ = std::make_unique<Part>(steps);
  next_ = std::make_unique<Part>(std::move(steps));
}

Result<std::unique_ptr<RingWriter>> RingWriter::create(const fs::path& path, RingExtent extent,
                                                       std::optional<StepSelection> steps) {
  // Refuses a path at which no recording may be created.
  if (auto refused = TraceWriter::create(path); !refused) return tl::unexpected(refused.error());
  removeRecording(path);
  std::error_code code;
  const fs::path target = fs::absolute(path, code);  // the job may change its working directory
  std::unique_ptr<RingWriter> ring(new RingWriter(target, extent, std::move(steps)));
  if (auto begun = ring->begin(*ring->current_, 0); !begun) return tl::unexpected(begun.error());
  if (auto done = ring->publish(*ring->current_); !done) return tl::unexpected(done.error());
  return ring;
}

RingWriter::~RingWriter() { (void)close(); }

Result<void> RingWriter::begin(Part& part, std::int64_t time) {
  const auto name = fmt::format(".{}.{}.shardlens", path_.stem().string(), ++files_);
  part.path = path_.parent_path() / name;
  removeRecording(part.path);
  auto writer = TraceWriter::create(part.path);
  if (!writer) return tl::unexpected(writer.error());
  part.writer = std::move(*writer);
  part.sink.forwardTo(part.writer.get());
  part.begin = time;
  part.steps = 0;
  return {};
}

fs::path RingWriter::keptPath(const std::string& reason) const {
  return path_.parent_path() / ("kept-" + reason) / path_.filename();
}

Result<void> RingWriter::publish(const Part& part) const {
  return putLink(part.path.filename(), path_, part.path.string() + "-link");
}

// Until the file is closed, a link leads to it, because a kill may come before that.
Result<void> RingWriter::publishKept(const Part& part) const {
  const fs::path kept = keptPath(part.reason);
  std::error_code code;
  fs::create_directories(kept.parent_path(), code);
  if (code) return fail("cannot write " + kept.string() + ": " + code.message());
  return putLink(".." / part.path.filename(), kept, part.path.string() + "-link");
}

void RingWriter::retain(const std::string& reason) {
  if (isClosed_ || !current_->reason.empty()) return;
  std::error_code code;
  if (!fs::exists(keptPath(reason), code)) current_->reason = reason;
}

bool RingWriter::isFull(const Part& part, std::int64_t now) const {
  return extent_.steps > 0 ? part.steps >= extent_.steps : now - part.begin >= extent_.nanoseconds;
}

// Begins the next file, or replaces the complete one by it, if an extent is reached.
void RingWriter::advance(const Event& event) {
  const bool isStep = event.kind == EventKind::Step;
  const bool isBoundary =
      isStep || (extent_.steps == 0 && (event.parent == 0 || event.parent == step_));
  if (!isBoundary || isClosed_) return;
  if (next_->writer != nullptr && isFull(*next_, event.time)) replace();
  if (next_->writer == nullptr && isFull(*current_, event.time)) {
    keep(begin(*next_, event.time));
  }
}

// The old file is closed by a thread, because that may wait for the disk.
void RingWriter::replace() {
  std::error_code code;
  std::string& reason = current_->reason;
  if (!reason.empty() && fs::exists(keptPath(reason), code)) reason.clear();
  const auto kept = reason.empty() ? Result<void>() : publishKept(*current_);
  keep(kept);
  if (auto published = publish(*next_); !published) return keep(published);
  std::swap(current_, next_);
  next_->sink.forwardTo(nullptr);
  if (retiring_.joinable()) retiring_.join();
  const bool isKept = !next_->reason.empty() && kept;
  retiring_ = std::thread([writer = std::move(next_->writer), from = next_->path, isKept,
                           to = keptPath(next_->reason)]() mutable {
    const auto closed = writer->close();
    writer.reset();
    if (!isKept) return removeRecording(from);
    if (closed) std::ignore = replaceLink(from, to);
  });
  next_->reason.clear();
}

void RingWriter::keep(const Result<void>& result) {
  if (!result && result_) result_ = result;
}

std::vector<std::shared_ptr<TraceWriter>> RingWriter::writers() const {
  std::vector<std::shared_ptr<TraceWriter>> all;
  for (const auto* part : {current_.get(), next_.get()}) {
    if (part->writer != nullptr) all.push_back(part->writer);
  }
  return all;
}

Result<void> RingWriter::close() {
  if (std::exchange(isClosed_, true)) return result_;
  if (retiring_.joinable()) retiring_.join();
  if (next_->writer != nullptr) {
    std::ignore = next_->writer->close();  // also if another thread shares it
    next_->writer.reset();
    removeRecording(next_->path);
  }
  if (current_->writer == nullptr) return result_;  // create() has failed
  keep(current_->writer->close());
  keep(replaceLink(current_->path, path_));
  return result_;
}

void RingWriter::onMeta(std::string_view key, std::string_view value) {
  current_->sink.onMeta(key, value);
  next_->sink.onMeta(key, value);
}
void RingWriter::onString(StringId id, std::string_view text) {
  current_->sink.onString(id, text);
  next_->sink.onString(id, text);
}
void RingWriter::onSpec(SpecId id, const Spec& spec) {
  current_->sink.onSpec(id, spec);
  next_->sink.onSpec(id, spec);
}
void RingWriter::onRoute(RouteId id, const Route& route) {
  current_->sink.onRoute(id, route);
  next_->sink.onRoute(id, route);
}
void RingWriter::onTensor(TensorId id, StringId name, SpecId spec) {
  current_->sink.onTensor(id, name, spec);
  next_->sink.onTensor(id, name, spec);
}

void RingWriter::onEvent(EventId id, const Event& event, std::span<const TensorId> inputs) {
  advance(event);
  if (event.kind == EventKind::Step) {
    step_ = id;
    ++current_->steps;
    ++next_->steps;
  }
  current_->sink.onEvent(id, event, inputs);
  next_->sink.onEvent(id, event, inputs);
  if (event.kind == EventKind::Error) retain("error");
}

void RingWriter::onValue(const ValueRecord& value) {
  current_->sink.onValue(value);
  next_->sink.onValue(value);
  if (value.statistics.nans > 0) retain("nan");
}
void RingWriter::onExposed(EventId id, std::int64_t exposed) {
  current_->sink.onExposed(id, exposed);
  next_->sink.onExposed(id, exposed);
}
void RingWriter::onEnd(EventId id, std::int64_t duration) {
  current_->sink.onEnd(id, duration);
  next_->sink.onEnd(id, duration);
}

}  // namespace shardlens
