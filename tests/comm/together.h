#pragma once

#include "core/cluster/ports.h"
#include "core/cluster/timeouts.h"
#include "core/comm/gloo/gloo_communicator.h"

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace shardlens {

// 20 s, and more on a busy machine, where heartbeats take longer.
inline const std::chrono::milliseconds kPatience = 80 * heartbeatInterval();

// Returns the warning once it is there, and "no warning" after kPatience, because the process that
// would warn may have failed.
inline std::string warningOf(std::promise<std::string>& warned) {
  auto warning = warned.get_future();
  const bool isThere = warning.wait_for(kPatience) == std::future_status::ready;
  return isThere ? warning.get() : "no warning";
}

// Several Processes objects in one process, joined over Gloo as if they were separate processes,
// with one rank each. They are destroyed in reverse order, because the first hosts the store and
// waits for the others.
class Together {
 public:
  explicit Together(int count, std::chrono::milliseconds patience = kPatience,
                    ProcessHooks hooks = {})
      : count_(count) {
    const int port = freePort();
    std::vector<std::future<std::shared_ptr<Processes>>> joining;
    for (int process = 0; process < count; ++process) {
      joining.push_back(std::async(std::launch::async, [=] {
        const Rendezvous meeting{process, count, "127.0.0.1", static_cast<std::uint16_t>(port)};
        return Processes::join(meeting, hooks, patience).value();
      }));
    }
    for (auto& process : joining) all_.push_back(process.get());
  }
  ~Together() {
    while (!all_.empty()) all_.pop_back();
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

  // Assigning null makes the process leave.
  std::shared_ptr<Processes>& operator[](std::size_t process) { return all_[process]; }

  using Program = std::function<void(Processes&, Communicator&)>;
  using Connect = std::function<std::unique_ptr<Communicator>(std::shared_ptr<Processes>)>;
  // Runs one program per process, in threads, and waits for all. Returns "all is well" for each
  // program that returns, else the message of the RankLost that it throws. A process does not leave
  // when its program ends.
  std::vector<std::string> run(const std::vector<Program>& programs) {
    const int ranks = count_;
    return run(programs, [ranks](std::shared_ptr<Processes> process) {
      return GlooCommunicator::make(std::move(process), ranks).value();
    });
  }
  std::vector<std::string> run(const std::vector<Program>& programs, const Connect& connect) {
    std::vector<std::future<std::string>> running;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      running.push_back(std::async(std::launch::async, [&, i]() -> std::string {
        try {
          const auto comm = connect(all_[i]);
          programs[i](*all_[i], *comm);
          return "all is well";
        } catch (const RankLost& failed) {
          using Whose = RankLost::Whose;
          const char* const whose = failed.whose() == Whose::Own          ? "my own: "
                                    : failed.whose() == Whose::OwnRefusal ? "my own refusal: "
                                                                          : "";
          return std::string(whose) + failed.what();
        }
      }));
    }
    std::vector<std::string> messages;
    for (auto& each : running) messages.push_back(each.get());
    return messages;
  }

 private:
  int count_;
  std::vector<std::shared_ptr<Processes>> all_;
};

}  // namespace shardlens
