#include "core/trace/trace_file.h"
#include "core/trace/trace_loader.h"
#include "core/trace/trace_open.h"

namespace shardlens {

class TraceReader::Impl {
 public:
  Impl(std::filesystem::path path, std::unique_ptr<Database> database)
      : path_(std::move(path)), loader_(std::move(database)) {}

  const Journal& journal() const { return loader_.journal(); }

  Result<bool> load() {
    try {
      return loader_.load();
    } catch (const DatabaseError& problem) {
      return tl::unexpected(explain(path_, problem));
    }
  }

 private:
  std::filesystem::path path_;
  TraceLoader loader_;
};

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::filesystem::path& path) {
  auto database = openRecording(path);
  if (!database) return tl::unexpected(database.error());
  try {
    auto impl = std::make_unique<Impl>(path, std::move(*database));
    if (const auto loaded = impl->load(); !loaded) return tl::unexpected(loaded.error());
    return std::unique_ptr<TraceReader>(new TraceReader(std::move(impl)));
  } catch (const DatabaseError& problem) {
    return tl::unexpected(explain(path, problem));
  }
}

TraceReader::TraceReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceReader::~TraceReader() = default;

const Journal& TraceReader::journal() const { return impl_->journal(); }
Result<bool> TraceReader::refresh() { return impl_->load(); }

}  // namespace shardlens
