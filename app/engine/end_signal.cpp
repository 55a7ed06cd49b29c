#include "app/engine/end_signal.h"

#include <atomic>
#include <csignal>

namespace shardlens::cli {
namespace {

std::atomic<int> noted = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) { noted = signal; }

}  // namespace

void noteEndSignals() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  for (const int signal : {SIGTERM, SIGINT}) ::sigaction(signal, &action, nullptr);
}

std::string endSignal() {
  switch (noted) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    default:
      return {};
  }
}

}  // namespace shardlens::cli
