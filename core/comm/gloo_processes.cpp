#include "core/comm/gloo_processes.h"

#include "core/comm/host_address.h"

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <cstdlib>
#include <sched.h>

namespace shardlens {
namespace {

constexpr auto kPatienceAtTheEnd = std::chrono::seconds(10);

c10::intrusive_ptr<c10d::Store> openStore(const Rendezvous& meeting,
                                          std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = meeting.port;
  options.isServer = meeting.process == 0 && !meeting.agentStore;
  options.timeout = std::min(timeout, options.timeout);
  options.waitWorkers = false;  // connecting waits for all anyway
  const auto store = c10::make_intrusive<c10d::TCPStore>(meeting.host, options);
  const auto prefix = "shardlens/attempt_" + std::to_string(meeting.attempt);
  return c10::make_intrusive<c10d::PrefixStore>(prefix, store);
}

// Where the others find this process: on the interface that GLOO_SOCKET_IFNAME names, else on the
// way to the place where all meet. A host's own name often means its loopback alone.
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
  if (meeting.process == 0) store.set("address", address);
  const auto first = store.get_to_str("address");
  if (isLoopback(first) != isLoopback(address)) {
    throw std::runtime_error(
        "process 0 is at " + first + " and this one at " + address +
        ", one of which only its own host reaches: MASTER_ADDR is expected to be, for all, an"
        " address of process 0's host that every host reaches (or GLOO_SOCKET_IFNAME to name an"
        " interface on each)");
  }
  options->devices.push_back(address.empty() ? Gloo::createDefaultDevice()
                                             : Gloo::createDeviceForHostname(address));
  return options;
}

std::string farewell(int process) { return "farewell/" + std::to_string(process); }

// What processes say lies beyond all pairs of ranks, and never meets a collective.
int tagOf(const Message& message) {
  constexpr int kMost = GlooProcesses::kMostRanks;
  return message.ofProcesses ? kMost * kMost : message.sender * kMost + message.receiver;
}

// A process's words begin with what they are about.
constexpr char kTopicEnd = '\n';
constexpr std::int64_t kMostLetters = std::int64_t{1} << 30;

std::string topicOf(const std::string& said) {
  constexpr std::size_t kLongest = 80;
  return said.substr(0, std::min(said.find(kTopicEnd), kLongest));
}

std::string reason(const std::exception& e) {
  const auto* torchs = dynamic_cast<const c10::Error*>(&e);
  return torchs == nullptr ? e.what() : torchs->what_without_backtrace();
}

std::string described(const Message& message, bool incoming) {
  const auto size = std::to_string(message.tensor.nbytes()) + " bytes";
  const std::string who = message.ofProcesses ? "process " : "rank ";
  const auto sender = who + std::to_string(message.sender);
  const auto receiver = who + std::to_string(message.receiver);
  return incoming ? receiver + " expected " + size + " from " + sender
                  : sender + " had " + size + " for " + receiver;
}

// Threads that are started while this lives do not push others from their processor when they are
// woken. Gloo's thread tries a connection's lock again and again while another holds it: woken in
// the middle of a send, on the sender's own processor, it would spin until its time is over.
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
  // Of the calling thread. Where it is refused all goes on as before, only slower.
  static void set(int policy) {
    const sched_param none{};
    sched_setscheduler(0, policy, &none);
  }

  int before_;
};

}  // namespace

struct GlooProcesses::Links {
  using Work = c10::intrusive_ptr<c10d::Work>;

  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;

  Work post(const Message& message, bool incoming) const {
    std::vector<at::Tensor> tensors{message.tensor};
    return incoming ? group->recv(tensors, message.otherProcess, tagOf(message))
                    : group->send(tensors, message.otherProcess, tagOf(message));
  }
};

GlooProcesses::GlooProcesses(const Rendezvous& meeting, std::chrono::milliseconds timeout)
    : meeting_(meeting), links_(std::make_unique<Links>()) {
  links_->store = openStore(meeting, timeout);
  const PatientThreads patient;
  links_->group =
      c10::make_intrusive<c10d::ProcessGroupGloo>(links_->store, meeting.process, meeting.processes,
                                                  optionsFor(meeting, *links_->store, timeout));
}

Result<std::shared_ptr<GlooProcesses>> GlooProcesses::join(const Rendezvous& meeting,
                                                           std::chrono::milliseconds timeout) {
  try {
    return std::shared_ptr<GlooProcesses>(new GlooProcesses(meeting, timeout));
  } catch (const std::exception& e) {
    return fail("process " + std::to_string(meeting.process) + " of " +
                std::to_string(meeting.processes) + " could not join the others at " +
                meeting.host + ":" + std::to_string(meeting.port) + ": " + reason(e));
  }
}

GlooProcesses::~GlooProcesses() {
  links_->group.reset();  // first of all, so that nobody waits for this process any more
  try {
    links_->store->set(farewell(process()), std::vector<std::uint8_t>{1});
    if (process() != 0 || meeting_.agentStore) return;
    std::vector<std::string> farewells;
    for (int other = 0; other < processes(); ++other) farewells.push_back(farewell(other));
    links_->store->wait(farewells, kPatienceAtTheEnd);
  } catch (const std::exception&) {
    // The store is gone, or somebody is: nothing is left to be done here.
  }
}

void GlooProcesses::exchange(const std::vector<Message>& outgoing,
                             const std::vector<Message>& incoming,
                             const std::function<void()>& meanwhile) {
  struct Pending {
    const Message& message;
    bool incoming;
    Links::Work work;
  };
  std::vector<Pending> pending;
  const auto named = [](const Message& message, bool isIncoming, auto call) {
    try {
      return call();
    } catch (const std::exception& e) {
      throw LinkFailed(described(message, isIncoming) + ": " + reason(e));
    }
  };
  const auto post = [&](const Message& message, bool isIncoming) {
    auto work = named(message, isIncoming, [&] { return links_->post(message, isIncoming); });
    pending.push_back({message, isIncoming, std::move(work)});
  };
  for (const auto& message : incoming) post(message, true);
  for (const auto& message : outgoing) post(message, false);
  meanwhile();
  for (const auto& each : pending) {
    named(each.message, each.incoming, [&] { return each.work->wait(); });
  }
}

void GlooProcesses::exchangeAmongAll(const at::Tensor& said, const std::vector<at::Tensor>& heard) {
  std::vector<Message> outgoing, incoming;
  for (int other = 0; other < processes(); ++other) {
    if (other == process()) continue;
    outgoing.push_back({process(), other, other, said, /*ofProcesses=*/true});
    incoming.push_back(
        {other, process(), other, heard[static_cast<std::size_t>(other)], /*ofProcesses=*/true});
  }
  exchange(outgoing, incoming, [] {});
}

std::vector<std::string> GlooProcesses::exchangeWords(const std::string& about,
                                                      const std::string& words) {
  const auto count = static_cast<std::size_t>(processes());
  const auto self = static_cast<std::size_t>(process());
  const std::string topic = about + kTopicEnd;
  std::vector<std::string> said(count);
  said[self] = topic + words;

  std::vector<at::Tensor> sizes(count);
  for (auto& size : sizes) size = at::empty({1}, at::kLong);
  sizes[self].fill_(static_cast<std::int64_t>(said[self].size()));
  exchangeAmongAll(sizes[self], sizes);

  std::vector<at::Tensor> letters(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = sizes[i].item<std::int64_t>();
    if (size < 1 || size > kMostLetters) {
      throw LinkFailed("process " + std::to_string(i) + " had " + std::to_string(size) +
                       " bytes to say, expected 1 to " + std::to_string(kMostLetters));
    }
    said[i].resize(static_cast<std::size_t>(size));
    letters[i] = at::from_blob(said[i].data(), {size}, at::kByte);
  }
  exchangeAmongAll(letters[self], letters);
  for (std::size_t i = 0; i < count; ++i) {
    if (!said[i].starts_with(topic)) {
      throw LinkFailed("process " + std::to_string(i) + " spoke of " + topicOf(said[i]) +
                       ", expected " + about + ": all processes have to do the same");
    }
    said[i].erase(0, topic.size());
  }
  return said;
}

Result<std::shared_ptr<GlooProcesses>> joinProcesses() {
  const auto meeting = rendezvousFromEnvironment();
  if (!meeting) return tl::unexpected(meeting.error());
  return GlooProcesses::join(*meeting);
}

}  // namespace shardlens
