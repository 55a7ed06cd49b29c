#include "tests/trace/killed_child.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

// On some processors the C library uses only a part of these.
constexpr auto kChanging = std::to_array<std::uint64_t>({
    SYS_write,  SYS_writev,    SYS_pwrite64, SYS_pwritev,   SYS_ftruncate, SYS_fallocate,
    SYS_fsync,  SYS_fdatasync, SYS_renameat, SYS_renameat2, SYS_unlinkat,  SYS_symlinkat,
    SYS_linkat, SYS_mkdirat,
#ifdef SYS_rename
    SYS_rename, SYS_unlink,    SYS_symlink,  SYS_link,      SYS_mkdir,     SYS_rmdir,
#endif
});

bool isChanging(const __ptrace_syscall_info& info) {
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
  if (info.entry.nr == SYS_openat) return (info.entry.args[2] & O_CREAT) != 0;
  return std::ranges::find(kChanging, info.entry.nr) != kChanging.end();
}

// glibc and the kernel disagree about the type of the request.
template <class... Arguments>
long trace(int request, pid_t thread, Arguments... arguments) {
  return ::ptrace(static_cast<__ptrace_request>(request), thread, arguments...);
}

[[noreturn]] void runAsChild(const std::function<void()>& body) {
  if (trace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
  std::raise(SIGSTOP);
  body();
  ::_exit(0);
}

// Returns the signal with which a stopped thread continues.
int signalOf(int status) {
  const int signal = WSTOPSIG(status);
  const bool isOfTracing = (signal & 0x7f) == SIGTRAP || signal == SIGSTOP;
  return isOfTracing ? 0 : signal;
}

}  // namespace

std::optional<ChildEnd> runAndKill(std::uint64_t last, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) runAsChild(body);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return std::nullopt;
  trace(PTRACE_SETOPTIONS, child, nullptr,
        PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  trace(PTRACE_SYSCALL, child, nullptr, nullptr);
  ChildEnd end;
  for (;;) {
    const pid_t thread = ::waitpid(-1, &status, __WALL);
    if (thread < 0) return std::nullopt;
    if (!WIFSTOPPED(status)) {
      if (thread != child) continue;
      end.isKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      if (!end.isKilled && WEXITSTATUS(status) != 0) return std::nullopt;
      return end;
    }
    __ptrace_syscall_info info{};
    const bool isCall = WSTOPSIG(status) == (SIGTRAP | 0x80);
    if (isCall && trace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) > 0 &&
        isChanging(info) && ++end.calls == last) {
      ::kill(child, SIGKILL);
      continue;
    }
    trace(PTRACE_SYSCALL, thread, nullptr, signalOf(status));
  }
}

void forEachKill(std::uint64_t calls, std::uint64_t usual,
                 const std::function<void(std::uint64_t last)>& run) {
  const char* given = std::getenv("SHARDLENS_KILLS");
  const std::uint64_t count =
      std::clamp<std::uint64_t>(given == nullptr ? usual : std::stoull(given), 1, calls);
  for (std::uint64_t i = 0; i < count; ++i) run(1 + i * calls / count);
}

}  // namespace shardlens
