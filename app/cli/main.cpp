#include "app/cli/engine_commands.h"

#include <malloc.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>

namespace shardlens::cli {
namespace {

// Replaces this process by a program in the same folder. Returns, with an exit code, only if that
// fails; if the program is missing, the error ends with the remedy. What needs torch or Arrow is in
// separate programs, because loading libtorch takes twenty times as long as a replay.
int becomeProgram(const char* name, const std::string& remedy, char** argv) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto program = here / name;
  ::execv(program.c_str(), argv);
  if (errno == ENOENT) {
    return unusable("got no " + program.string() + ", which this command needs: " + remedy);
  }
  return unusable("cannot start " + program.string() + ": " + std::strerror(errno));
}

// Prepares the allocators for commands on a run, which open and close hundreds of files on all
// cores: keeps freed memory for the next file, because returning it doubles the page faults, and
// switches off the memory statistics of SQLite, which lock a mutex of the process per allocation.
void tuneAllocators() {
  constexpr int kMiB = 1 << 20;
  ::mallopt(M_TRIM_THRESHOLD, 64 * kMiB);
  ::mallopt(M_MMAP_THRESHOLD, 4 * kMiB);
  ::mallopt(M_TOP_PAD, kMiB);
  ::sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

}  // namespace
}  // namespace shardlens::cli

int main(int argc, char** argv) {
  shardlens::cli::tuneAllocators();
  using shardlens::cli::becomeProgram;
  const auto become = [argv](const auto&) {
    return becomeProgram("shardlens-engine",
                         "pip installs it beside torch 2.15 or 2.11, unless engine=off is set",
                         argv);
  };
  return shardlens::cli::runProgram(
      argc, argv,
      {.run = become,
       .ops = become,
       .whatIf = become,
       .doctor = become,
       .serve = become,
       .parquet = [argv](const auto&) {
         return becomeProgram("shardlens-parquet", "build Shardlens with CMake and pyarrow", argv);
       }});
}
