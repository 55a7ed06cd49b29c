#include "core/cluster/watchdog.h"

#include "core/cluster/timeouts.h"

#include <c10/core/ScalarType.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

constexpr std::chrono::seconds kPatienceAtTheEnd{10};
constexpr std::chrono::seconds kPatienceAfterFailure{3};  // others only read it
constexpr std::chrono::seconds kPatienceWithStore{2};
constexpr std::chrono::seconds kNone{0};
constexpr int kTicksWithoutStore = 105;  // a machine that starts many processes is slow
constexpr auto kPollInterval = std::chrono::milliseconds(20);

}  // namespace

MessageInfo messageInfoOf(const Message& message, bool incoming) {
  return {message.sender,
          message.receiver,
          message.otherProcess,
          static_cast<std::int64_t>(message.tensor.nbytes()),
          std::string(c10::getDtypeNames(message.tensor.scalar_type()).first),
          incoming,
          message.ofProcesses};
}

Watchdog::Watchdog(StatusStore store, const Rendezvous& meeting, ProcessHooks hooks,
                   std::chrono::milliseconds patience)
    : store_(std::move(store)), meeting_(meeting), hooks_(std::move(hooks)), patience_(patience) {
  self_.process = meeting.process;
}

std::shared_ptr<Watchdog> Watchdog::begin(StatusStore store, const Rendezvous& meeting,
                                          ProcessHooks hooks, std::chrono::milliseconds patience) {
  const std::shared_ptr<Watchdog> watch(
      new Watchdog(std::move(store), meeting, std::move(hooks), patience));
  watch->heartbeatThread_ = std::thread([watch] { watch->heartbeatLoop(); });
  watch->deadlineThread_ = std::thread([watch] { watch->deadlineLoop(); });
  return watch;
}

void Watchdog::leave() {
  std::unique_lock lock(mutex_);
  leaving_ = true;
  changed_.notify_all();
  // Does not wait for a store that is known not to answer.
  auto patience = ticksWithoutRound_ >= kTicksWithoutStore ? kNone : kPatienceWithStore;
  if (keepsStore()) patience += peerPatience();
  const bool finished = changed_.wait_for(lock, patience, [&] { return finished_; });
  lock.unlock();
  deadlineThread_.join();
  finished ? heartbeatThread_.join() : heartbeatThread_.detach();
}

void Watchdog::awaitAll() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience_, [&] { return failure_ || present_ >= meeting_.processes; });
  if (failure_) throw rankLost();
  if (present_ >= meeting_.processes) return;
  throw RankLost(fmt::format("only {} of {} processes have come", present_, meeting_.processes));
}

void Watchdog::awaitConnection(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  while (!failure_ && !done()) changed_.wait_for(lock, kPollInterval);
  if (failure_) throw rankLost();
}

RankLost Watchdog::rankLost() const {
  using Whose = RankLost::Whose;
  if (failure_->process != self_.process) return RankLost(failure_->text);
  return RankLost(failure_->text, failure_->isRefusal ? Whose::OwnRefusal : Whose::Own);
}

void Watchdog::joined() {
  const std::lock_guard lock(mutex_);
  joining_ = false;
}

void Watchdog::setStep(std::string step) {
  const std::lock_guard lock(mutex_);
  self_.step = std::move(step);
  self_.refusal.clear();
}

void Watchdog::refuse(std::string why) {
  const std::lock_guard lock(mutex_);
  self_.refusal = std::move(why);
}

void Watchdog::fail(const std::string& why) {
  std::unique_lock lock(mutex_);
  proposed_ = RunFailure{self_.process, nameOf(self_) + " failed: " + why};
  changed_.notify_all();
  changed_.wait_for(lock, kPatienceWithStore, [&] { return failure_.has_value(); });
}

void Watchdog::setRanksPerProcess(int ranks) {
  const std::lock_guard lock(mutex_);
  self_.ranksPerProcess = ranks;
}

std::optional<std::string> Watchdog::ended() {
  const std::lock_guard lock(mutex_);
  return failure_ ? std::optional(failure_->text) : std::nullopt;
}

Watchdog::Exchange::Exchange(Watchdog& watch, const Purpose& purpose)
    : watch_(watch), outer_(watch.purpose_) {
  const std::lock_guard lock(watch.mutex_);
  if (watch.failure_) throw watch.rankLost();
  auto& self = watch.self_;
  self.inStrings = purpose.kind == Purpose::kStrings;
  self.position = self.inStrings ? Position{self.position.strings + 1, 0}
                                 : Position{self.position.strings, self.position.collectives + 1};
  position_ = self.position;
  watch.purpose_ = &purpose;
}

Watchdog::Exchange::~Exchange() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.purpose_ = outer_;
  watch_.pending_ = nullptr;
  if (outer_ == nullptr) watch_.next_.reset();
}

void Watchdog::Exchange::watch(const std::vector<Pending>& pending) {
  const std::lock_guard lock(watch_.mutex_);
  if (watch_.failure_) throw watch_.rankLost();
  at(0);
  watch_.pending_ = &pending;
}

void Watchdog::Exchange::watchNext(bool takesPart) {
  const std::lock_guard lock(watch_.mutex_);
  at(0);
  const int self = watch_.meeting_.process;
  const int next = (self + 1) % watch_.meeting_.processes;
  watch_.next_ = {
      {next, self, next, MessageInfo::kUnknown, "", /*incoming=*/true, /*ofProcesses=*/true},
      takesPart};
}

void Watchdog::Exchange::fail(const Message& message, bool incoming, const std::string& reason) {
  std::unique_lock lock(watch_.mutex_);
  watch_.broken_ = Break{messageInfoOf(message, incoming), reason};
  watch_.changed_.notify_all();
  // If the store does not answer, the deadline loop sets the failure.
  watch_.changed_.wait(lock, [&] { return watch_.failure_.has_value(); });
  throw watch_.rankLost();
}

// If a process dies, transfers of others fail before heartbeats show which process it was. So this
// waits for the heartbeats first.
void Watchdog::Exchange::fail(const std::string& reason) {
  std::unique_lock lock(watch_.mutex_);
  const auto known = [&] { return watch_.failure_.has_value(); };
  if (watch_.next_) watch_.next_->takesPart = false;  // the other process may get further now
  if (!watch_.changed_.wait_for(
          lock, heartbeatInterval() * (kHeartbeatsUntilStalled + kHeartbeatsUntilSilent + 2),
          known)) {
    const Heartbeat here = watch_.here();
    watch_.proposed_ = RunFailure{here.process, leadOf(here) + nameOf(here) + " failed: " + reason};
    watch_.changed_.notify_all();
    watch_.changed_.wait(lock, known);
  }
  throw watch_.rankLost();
}

void Watchdog::setFailure(const RunFailure& failure) {
  if (failure_) return;
  failure_ = failure;
  if (pending_ != nullptr) {
    for (const auto& each : *pending_) each.work->abort();
  }
  changed_.notify_all();
}

std::optional<Watchdog::Awaited> Watchdog::awaited() const {
  if (pending_ == nullptr) return next_;
  if (pending_->empty()) return std::nullopt;
  const auto& waited = (*pending_)[at_.load(std::memory_order_relaxed)];
  return Awaited{messageInfoOf(waited.message, waited.incoming)};
}

Heartbeat Watchdog::here() const {
  Heartbeat heartbeat = self_;
  if (purpose_ == nullptr) return heartbeat;
  heartbeat.state = Heartbeat::State::Waits;
  heartbeat.kind = purpose_->kind;
  heartbeat.exchange = purpose_->text();
  return heartbeat;
}

RunFailure Watchdog::storeLost(const std::string& how) const {
  const Heartbeat mine = here();
  Heartbeat keeper;
  keeper.ranksPerProcess = self_.ranksPerProcess;
  std::string text =
      fmt::format("{}the meeting place at {}:{}, which {} keeps, {}", leadOf(mine), meeting_.host,
                  meeting_.port, meeting_.agentStore ? "torchrun's agent" : nameOf(keeper), how);
  if (broken_) {
    text += "; " + described(broken_->message);
  } else if (const auto waited = awaited()) {
    text += "; " + described(waited->message);
  }
  return {meeting_.agentStore ? -1 : 0, text};
}

std::chrono::seconds Watchdog::peerPatience() const {
  return failure_ ? kPatienceAfterFailure : kPatienceAtTheEnd;
}

void Watchdog::deadlineLoop() {
  constexpr std::chrono::milliseconds kTick{100};
  constexpr int kTicksOfWaiting = 20;
  constexpr int kTicksToLearnWhy = 15;
  int waiting = 0, interruptedTicks = 0;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kTick, [&] { return leaving_; })) {
    waiting = joining_ || broken_ || awaited() ? waiting + 1 : 0;
    ++ticksWithoutRound_;
    if (ticksWithoutRound_ >= kTicksWithoutStore && waiting >= kTicksOfWaiting) {
      setFailure(storeLost("has not answered for more than 10 s"));
    }
    const auto end = hooks_.interrupted ? hooks_.interrupted() : std::string();
    if (end.empty() || ++interruptedTicks != kTicksToLearnWhy || proposed_) continue;
    proposed_ = RunFailure{self_.process,
                           nameOf(self_) + " was ended by " + end + " in " + placeOf(here())};
    changed_.notify_all();
  }
}

void Watchdog::announceExit() {
  std::unique_lock lock(mutex_);
  const auto failure = failure_;
  const auto patience = peerPatience();
  lock.unlock();
  try {
    store_.announceExit(meeting_.process);
    if (keepsStore()) {
      store_.awaitExits(meeting_.processes, failure ? failure->process : -1, patience);
    }
  } catch (const std::exception&) {
    // The store or a process is gone; nothing is left to do.
  }
}

}  // namespace shardlens
