#include "app/python/flush_at_terminate.h"

#include <atomic>
#include <exception>
#include <tuple>

namespace shardlens {
namespace {

std::atomic<TraceWriter*> flushed = nullptr;
std::terminate_handler previous = nullptr;

void flushAndTerminate() {
  if (auto* const writer = flushed.exchange(nullptr)) std::ignore = writer->flush();
  if (previous != nullptr) previous();
  std::abort();
}

}  // namespace

FlushAtTerminate::FlushAtTerminate(TraceWriter& writer) {
  flushed = &writer;
  if (std::get_terminate() != flushAndTerminate) previous = std::set_terminate(flushAndTerminate);
}

// Leaves the handler, because another one may have been set since.
FlushAtTerminate::~FlushAtTerminate() { flushed = nullptr; }

}  // namespace shardlens
