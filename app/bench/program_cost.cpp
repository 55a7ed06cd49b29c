#include "app/bench/program_cost.h"

#include "app/bench/clocks.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

double secondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Result<ProgramCost> costOf(const std::string& program, const std::vector<std::string>& arguments) {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / program;
  std::vector<std::string> owned = {path.string()};
  owned.insert(owned.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : owned) argv.push_back(word.data());
  argv.push_back(nullptr);
  const CallTimer timer;
  const pid_t child = ::fork();
  if (child < 0) return fail("cannot start another process");
  if (child == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    ::execv(argv.front(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (::wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    return fail(path.string() + " " + arguments.front() + " failed");
  }
  return ProgramCost{timer.taken().wall / 1e6, secondsOf(used.ru_utime) + secondsOf(used.ru_stime),
                     static_cast<double>(used.ru_maxrss) / 1024};
}

}  // namespace shardlens
