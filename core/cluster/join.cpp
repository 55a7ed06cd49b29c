#include "core/cluster/links.h"
#include "core/cluster/status_store.h"
#include "core/cluster/timeouts.h"

#include <fmt/core.h>
#include <netdb.h>
#include <sched.h>

#include <csignal>
#include <cstdlib>
#include <future>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>

namespace shardlens {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroupGloo>;

// Runs the call on a detached thread, because c10d's connecting cannot be cancelled. The thread is
// abandoned if the result is no longer needed.
template <class T>
std::future<T> aside(std::function<T()> call) {
  std::packaged_task<T()> task(std::move(call));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  return result;
}

template <class T>
bool ready(const std::future<T>& future, std::chrono::milliseconds patience = {}) {
  return future.wait_for(patience) == std::future_status::ready;
}

// Returns the local address that the system would use towards the target. Connecting a datagram
// socket sends nothing; it only selects the route.
std::string sourceFor(const addrinfo& target) {
  const int socket = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  char text[NI_MAXHOST] = {};
  const bool found = ::connect(socket, target.ai_addr, target.ai_addrlen) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
                     ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text, sizeof(text),
                                   nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(socket);
  return found ? text : std::string();
}

// Returns the address of this host's interface on the route to another host, where processes on
// that host can reach this one. Empty if there is no route.
std::string addressTowards(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (auto address = sourceFor(*each); !address.empty()) return address;
  }
  return {};
}

// Returns true if only the host itself can reach the address.
bool isLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::string placeOf(const Rendezvous& meeting) {
  return fmt::format("{}:{}", meeting.host, meeting.port);
}

// Writing to a closed connection is an error of that connection and must not end the process. Keeps
// an existing handler.
void ignoreBrokenPipes() {
  struct sigaction action {};
  ::sigaction(SIGPIPE, nullptr, &action);
  if (action.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
}

StatusStore::Store openStore(const Rendezvous& meeting, const ProcessHooks& hooks,
                             std::chrono::milliseconds patience) {
  auto opened = aside<StatusStore::Store>([=] { return StatusStore::open(meeting, patience); });
  for (int beats = 0; !ready(opened, heartbeatInterval()); ++beats) {
    if (const auto end = hooks.interrupted ? hooks.interrupted() : ""; !end.empty()) {
      throw RankLost("ended by " + end);
    }
    if (beats == kHeartbeatsUntilLate && hooks.warn) {
      hooks.warn("waiting for the meeting place at " + placeOf(meeting) + ", which " +
                 (meeting.agentStore ? "torchrun's agent" : "process 0") + " keeps");
    }
  }
  return opened.get();
}

// Chooses the interface on which the other processes reach this one: GLOO_SOCKET_IFNAME if set,
// else the interface on the route to the store. The host's own name often resolves to its loopback
// address only.
c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> optionsFor(const Rendezvous& meeting,
                                                               c10d::Store& store,
                                                               std::chrono::milliseconds timeout) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto options = Gloo::Options::create(timeout);
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  if (interface != nullptr && *interface != '\0') {
    options->devices.push_back(Gloo::createDeviceForInterface(interface));
    return options;
  }
  const auto address = addressTowards(meeting.host, meeting.port);
  if (address.empty()) {
    throw std::runtime_error("there is no way to MASTER_ADDR, " + meeting.host);
  }
  if (meeting.process == 0) store.set("address", address);
  const auto first = store.get_to_str("address");
  if (isLoopback(first) != isLoopback(address)) {
    throw std::runtime_error(
        "process 0 is at " + first + " and this one at " + address +
        ", one of which only its own host reaches: MASTER_ADDR is expected to be, for all, an"
        " address of process 0's host that every host reaches (or GLOO_SOCKET_IFNAME to name an"
        " interface on each)");
  }
  options->devices.push_back(Gloo::createDeviceForHostname(address));
  return options;
}

// A guard: threads that are started during its lifetime have the policy SCHED_BATCH and do not
// preempt others when they wake up. Gloo's thread spins on a connection's lock. If it preempted the
// sender, it would spin for its whole time slice.
class PatientThreads {
 public:
  PatientThreads() : before_(sched_getscheduler(0)) {
    if (before_ == SCHED_OTHER) set(SCHED_BATCH);
  }
  ~PatientThreads() {
    if (before_ == SCHED_OTHER) set(SCHED_OTHER);
  }
  PatientThreads(const PatientThreads&) = delete;
  PatientThreads& operator=(const PatientThreads&) = delete;

 private:
  // Sets the policy of the calling thread. A failure costs only speed.
  static void set(int policy) {
    const sched_param none{};
    sched_setscheduler(0, policy, &none);
  }

  int before_;
};

}  // namespace

Result<std::shared_ptr<Processes>> Processes::join(const Rendezvous& meeting, ProcessHooks hooks,
                                                   std::chrono::milliseconds patience) {
  ignoreBrokenPipes();
  auto links = std::make_unique<Links>();
  try {
    const auto store = links->store = openStore(meeting, hooks, patience);
    // A separate connection for the watchdog: c10d keeps the other one busy while it waits.
    links->watch =
        Watchdog::begin(StatusStore(store->clone()), meeting, std::move(hooks), patience);
    links->watch->awaitAll();
    auto connected = aside<Group>([=] {
      const PatientThreads patient;
      return c10::make_intrusive<c10d::ProcessGroupGloo>(store, meeting.process, meeting.processes,
                                                         optionsFor(meeting, *store, patience));
    });
    links->watch->awaitConnection([&] { return ready(connected); });
    links->group = connected.get();
    links->watch->joined();
    return std::shared_ptr<Processes>(new Processes(meeting, std::move(links)));
  } catch (const std::exception& e) {
    if (links->watch != nullptr) links->watch->leave();
    return fail(fmt::format("process {} of {} could not join the others at {}: {}", meeting.process,
                            meeting.processes, placeOf(meeting), reasonOf(e)));
  }
}

Processes::Processes(const Rendezvous& meeting, std::unique_ptr<Links> links)
    : meeting_(meeting), links_(std::move(links)) {}

Processes::~Processes() { leave(); }

}  // namespace shardlens
