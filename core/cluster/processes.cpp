#include "core/cluster/processes.h"

#include "core/cluster/links.h"
#include "core/model/ranks_text.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace shardlens {
namespace {

// A process's string starts with its topic.
constexpr char kTopicEnd = '\n';
constexpr std::int64_t kMostCharacters = std::int64_t{1} << 30;
// The first message of a string: its length in bytes, and as many bytes as fit.
constexpr std::int64_t kHead = 256;

std::size_t inHead(std::int64_t characters) {
  return static_cast<std::size_t>(
      std::min<std::int64_t>(characters, kHead - static_cast<std::int64_t>(sizeof(std::int64_t))));
}

char* charactersOf(const at::Tensor& head) {
  return static_cast<char*>(head.mutable_data_ptr()) + sizeof(std::int64_t);
}

// The watchdog ends a wait, so c10d needs no timeout.
constexpr std::chrono::hours kForever{24};

std::string topicOf(const std::string& text) {
  constexpr std::size_t kLongest = 80;
  return text.substr(0, std::min(text.find(kTopicEnd), kLongest));
}

// Note [Tags]: Gloo matches messages of one tag in the order in which they were posted. It aborts
// the process, from one of its threads, if the sizes of a match differ. A tag is therefore a hash
// of everything that both ends must agree on. If they disagree, nothing matches and the watchdog
// finds the reason. Messages whose tags collide still match in order, because both ends post them
// in the same order.
class Tag {
 public:
  Tag& add(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15U;
    hash_ ^= hash_ >> 32U;
    return *this;
  }
  Tag& add(std::string_view text) {
    for (const char character : text) add(static_cast<std::uint64_t>(character));
    return *this;
  }
  int value() const { return static_cast<int>(hash_ & 0x7FFFFFFFU); }

 private:
  std::uint64_t hash_ = 0;
};

// The position is not in the tag of strings, so strings of any position match. Their topic is
// compared instead.
int tagOf(const Message& message, const Purpose& purpose, const Position& position) {
  Tag tag;
  tag.add(purpose.kind).add(static_cast<std::uint64_t>(message.tensor.nbytes()));
  tag.add(static_cast<std::uint64_t>(message.tensor.scalar_type()));
  if (message.ofProcesses) return tag.value();
  return tag.add(static_cast<std::uint64_t>(position.strings))
      .add(static_cast<std::uint64_t>(position.collectives))
      .add(static_cast<std::uint64_t>(message.sender))
      .add(static_cast<std::uint64_t>(message.receiver))
      .value();
}

// Both ends use the same order for the messages between two processes. Each process starts with its
// neighbour.
void sortForPosting(std::vector<Message>& messages, int process, int processes) {
  std::stable_sort(messages.begin(), messages.end(), [&](const Message& a, const Message& b) {
    const auto distance = [&](const Message& message) {
      return (message.otherProcess - process + processes) % processes;
    };
    return std::tuple(distance(a), a.sender, a.receiver) <
           std::tuple(distance(b), b.sender, b.receiver);
  });
}

}  // namespace

std::string reasonOf(const std::exception& e) {
  const auto* torchs = dynamic_cast<const c10::Error*>(&e);
  std::string text = torchs == nullptr ? e.what() : torchs->what_without_backtrace();
  text.resize(std::min(text.find('\n'), text.size()));
  // Gloo's text starts with a source location and ends with advice.
  text.resize(std::min(text.find(". This is typically caused by"), text.size()));
  const auto place = text.find("] ");
  return text.starts_with("[/") && place != std::string::npos ? text.substr(place + 2) : text;
}

Purpose Purpose::among(const char* collective, const GroupSet& groups) {
  return {collective, [collective, &groups] {
            return std::string(collective) + " among ranks " + ranksText(groups.groups);
          }};
}

void Processes::leave(const std::string& why) {
  if (links_->hasLeft) return;
  links_->hasLeft = true;
  if (!why.empty()) links_->watch->fail(why);
  links_->group.reset();  // first of all, so that no process waits for this one any longer
  links_->watch->leave();
}

void Processes::expectPresent() const {
  if (links_->hasLeft) throw RankLost("this process has left the others", RankLost::Whose::Own);
}

void Processes::setStep(std::string step) { links_->watch->setStep(std::move(step)); }
void Processes::refuse(std::string why) { links_->watch->refuse(std::move(why)); }
std::optional<std::string> Processes::ended() const { return links_->watch->ended(); }
void Processes::setRanksPerProcess(int ranks) { links_->watch->setRanksPerProcess(ranks); }

void Processes::exchange(const Purpose& purpose, std::vector<Message> outgoing,
                         std::vector<Message> incoming, const std::function<void()>& meanwhile) {
  expectPresent();
  std::vector<Pending> pending;  // must outlive `watched`, which reads it
  Watchdog::Exchange watched(*links_->watch, purpose);
  pending.reserve(incoming.size() + outgoing.size());
  const auto post = [&](std::vector<Message>& messages, bool areIncoming) {
    sortForPosting(messages, process(), processes());
    for (auto& message : messages) {
      std::vector<at::Tensor> tensors{message.tensor};
      const int tag = tagOf(message, purpose, watched.position());
      try {
        auto work = areIncoming ? links_->group->recv(tensors, message.otherProcess, tag)
                                : links_->group->send(tensors, message.otherProcess, tag);
        pending.push_back({std::move(message), areIncoming, std::move(work)});
      } catch (const std::exception& e) {
        watched.fail(message, areIncoming, reasonOf(e));
      }
    }
  };
  post(incoming, true);
  post(outgoing, false);
  watched.watch(pending);
  meanwhile();
  for (std::size_t i = 0; i < pending.size(); ++i) {
    watched.at(i);
    const auto& [message, isIncoming, work] = pending[i];
    std::string reason = "called off";
    try {
      if (work->wait(kForever)) continue;
    } catch (const std::exception& e) {
      reason = reasonOf(e);
    }
    watched.fail(message, isIncoming, reason);
  }
}

void Processes::runCollective(const Purpose& purpose, bool nextTakesPart,
                              const std::function<void()>& transfer) {
  expectPresent();
  Watchdog::Exchange watched(*links_->watch, purpose);
  watched.watchNext(nextTakesPart);
  try {
    transfer();
  } catch (const RankLost&) {  // thrown by an exchange inside the transfer
    throw;
  } catch (const std::exception& e) {
    watched.fail(reasonOf(e));
  }
}

void Processes::exchangeAmong(Receivers receivers, const Purpose& purpose, const at::Tensor& sent,
                              const std::vector<at::Tensor>& received) {
  std::vector<Message> outgoing, incoming;
  for (int other = 0; other < processes(); ++other) {
    if (other == process()) continue;
    const auto& theirs = received[static_cast<std::size_t>(other)];
    if (sent.defined() && receives(receivers, other)) {
      outgoing.push_back({process(), other, other, sent, /*ofProcesses=*/true});
    }
    if (theirs.defined() && receives(receivers, process())) {
      incoming.push_back({other, process(), other, theirs, /*ofProcesses=*/true});
    }
  }
  // Processes that send and receive nothing take part too, because all must count the same
  // exchanges.
  exchange(purpose, std::move(outgoing), std::move(incoming), [] {});
}

std::vector<std::string> Processes::allGatherStrings(const std::string& about,
                                                     const std::string& mine) {
  return allGatherStrings(about, mine, Receivers::All);
}

std::vector<std::string> Processes::gatherStrings(const std::string& about,
                                                  const std::string& mine) {
  return allGatherStrings(about, mine, Receivers::First);
}

std::vector<std::string> Processes::allGatherStrings(const std::string& about,
                                                     const std::string& mine, Receivers receivers) {
  if (processes() == 1) return {mine};
  const auto count = static_cast<std::size_t>(processes());
  const auto self = static_cast<std::size_t>(process());
  const std::string topic = about + kTopicEnd;
  const Purpose purpose{Purpose::kStrings, [&] { return "strings about " + about; }};
  std::vector<std::string> texts(count);
  texts[self] = topic + mine;

  // A short string is sent in one round together with its length; a longer one takes a second
  // round.
  std::vector<at::Tensor> heads(count);
  for (auto& head : heads) head = at::zeros({kHead}, at::kByte);
  const auto length = static_cast<std::int64_t>(texts[self].size());
  std::memcpy(heads[self].mutable_data_ptr(), &length, sizeof length);
  std::memcpy(charactersOf(heads[self]), texts[self].data(), inHead(length));
  exchangeAmong(Receivers::All, purpose, heads[self], heads);

  bool haveRests = false;
  std::vector<at::Tensor> rests(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t size = 0;
    std::memcpy(&size, heads[i].const_data_ptr(), sizeof size);
    if (size < 1 || size > kMostCharacters) {
      throw RankLost(fmt::format("process {} sent a string of {} bytes, expected 1 to {}", i, size,
                                 kMostCharacters));
    }
    const auto early = inHead(size);
    haveRests = haveRests || size > static_cast<std::int64_t>(early);
    const bool isReceived = i == self || receives(receivers, process());
    texts[i].resize(isReceived ? static_cast<std::size_t>(size) : early);
    if (i != self) std::memcpy(texts[i].data(), charactersOf(heads[i]), early);
    const auto late = static_cast<std::int64_t>(texts[i].size() - early);
    if (late > 0) rests[i] = at::from_blob(texts[i].data() + early, {late}, at::kByte);
  }
  if (haveRests) exchangeAmong(receivers, purpose, rests[self], rests);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view its = std::string_view(topic).substr(0, texts[i].size());
    if (!texts[i].starts_with(its)) {
      throw RankLost(
          fmt::format("process {} exchanged {}, expected {}: all processes must do the same", i,
                      topicOf(texts[i]), about));
    }
    texts[i].erase(0, its.size());
  }
  if (!receives(receivers, process())) return {};
  return texts;
}

}  // namespace shardlens
