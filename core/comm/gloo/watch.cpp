#include "core/comm/gloo/watch.h"

#include "core/comm/gloo/pace.h"

#include <c10/core/ScalarType.h>

namespace shardlens {
namespace {

constexpr std::chrono::seconds kPatienceAtTheEnd{10};
constexpr std::chrono::seconds kPatienceAfterVerdict{3};  // all have to do is to read it
constexpr std::chrono::seconds kPatienceWithBoard{2};
constexpr std::chrono::seconds kNone{0};
constexpr int kTicksWithoutBoard = 35;
constexpr auto kLook = std::chrono::milliseconds(20);

}  // namespace

Letter letterOf(const Message& message, bool incoming) {
  return {message.sender,
          message.receiver,
          message.otherProcess,
          static_cast<std::int64_t>(message.tensor.nbytes()),
          std::string(c10::getDtypeNames(message.tensor.scalar_type()).first),
          incoming,
          message.ofProcesses};
}

Watch::Watch(Board board, const Rendezvous& meeting, GlooHooks hooks,
             std::chrono::milliseconds patience)
    : board_(std::move(board)), meeting_(meeting), hooks_(std::move(hooks)), patience_(patience) {
  self_.process = meeting.process;
}

std::shared_ptr<Watch> Watch::begin(Board board, const Rendezvous& meeting, GlooHooks hooks,
                                    std::chrono::milliseconds patience) {
  const std::shared_ptr<Watch> watch(
      new Watch(std::move(board), meeting, std::move(hooks), patience));
  watch->teller_ = std::thread([watch] { watch->tell(); });
  watch->alarm_ = std::thread([watch] { watch->alarm(); });
  return watch;
}

void Watch::leave() {
  std::unique_lock lock(mutex_);
  leaving_ = true;
  changed_.notify_all();
  // A board that is known to be silent is not waited for.
  auto patience = ticksWithoutRound_ >= kTicksWithoutBoard ? kNone : kPatienceWithBoard;
  if (keepsBoard()) patience += patienceWithOthers();
  const bool told = changed_.wait_for(lock, patience, [&] { return told_; });
  lock.unlock();
  alarm_.join();
  told ? teller_.join() : teller_.detach();
}

void Watch::awaitAll() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience_, [&] { return verdict_ || present_ >= meeting_.processes; });
  if (verdict_) throw failure();
  if (present_ >= meeting_.processes) return;
  throw LinkFailed("only " + std::to_string(present_) + " of " +
                   std::to_string(meeting_.processes) + " processes have come");
}

void Watch::awaitConnection(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  while (!verdict_ && !done()) changed_.wait_for(lock, kLook);
  if (verdict_) throw failure();
}

LinkFailed Watch::failure() const {
  using Whose = LinkFailed::Whose;
  if (verdict_->process != self_.process) return LinkFailed(verdict_->text);
  return LinkFailed(verdict_->text, verdict_->isRefusal ? Whose::OwnRefusal : Whose::Own);
}

void Watch::joined() {
  const std::lock_guard lock(mutex_);
  joining_ = false;
}

void Watch::enter(std::string step) {
  const std::lock_guard lock(mutex_);
  self_.step = std::move(step);
  self_.refusal.clear();
}

void Watch::refuse(std::string why) {
  const std::lock_guard lock(mutex_);
  self_.refusal = std::move(why);
}

void Watch::setRanksPerProcess(int ranks) {
  const std::lock_guard lock(mutex_);
  self_.ranksPerProcess = ranks;
}

std::optional<std::string> Watch::ended() {
  const std::lock_guard lock(mutex_);
  return verdict_ ? std::optional(verdict_->text) : std::nullopt;
}

Watch::Exchange::Exchange(Watch& watch, const Purpose& purpose)
    : watch_(watch), outer_(watch.purpose_) {
  const std::lock_guard lock(watch.mutex_);
  if (watch.verdict_) throw watch.failure();
  auto& self = watch.self_;
  self.speaks = purpose.kind == Purpose::kWords;
  self.position = self.speaks ? Position{self.position.words + 1, 0}
                              : Position{self.position.words, self.position.collectives + 1};
  position_ = self.position;
  watch.purpose_ = &purpose;
}

Watch::Exchange::~Exchange() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.purpose_ = outer_;
  watch_.pending_ = nullptr;
  if (outer_ == nullptr) watch_.next_.reset();
}

void Watch::Exchange::awaits(const std::vector<Pending>& pending) {
  const std::lock_guard lock(watch_.mutex_);
  if (watch_.verdict_) throw watch_.failure();
  at(0);
  watch_.pending_ = &pending;
}

void Watch::Exchange::awaitsNext(bool met) {
  const std::lock_guard lock(watch_.mutex_);
  at(0);
  const int self = watch_.meeting_.process;
  const int next = (self + 1) % watch_.meeting_.processes;
  watch_.next_ = {{next, self, next, Letter::kUnknown, "", /*incoming=*/true, /*ofProcesses=*/true},
                  met};
}

void Watch::Exchange::fail(const Message& message, bool incoming, const std::string& reason) {
  std::unique_lock lock(watch_.mutex_);
  watch_.broken_ = Break{letterOf(message, incoming), reason};
  watch_.changed_.notify_all();
  // The alarm sees to it that there is one, whatever the board does.
  watch_.changed_.wait(lock, [&] { return watch_.verdict_.has_value(); });
  throw watch_.failure();
}

// A process that is gone breaks more than its neighbours' waits, and who it was is said when it has
// been silent for long enough.
void Watch::Exchange::fail(const std::string& reason) {
  std::unique_lock lock(watch_.mutex_);
  const auto known = [&] { return watch_.verdict_.has_value(); };
  if (watch_.next_) watch_.next_->met = false;  // who goes on now is right
  if (!watch_.changed_.wait_for(lock, kBeat * (kBeatsUntilStalled + kBeatsUntilSilent + 2),
                                known)) {
    const Notice here = watch_.here();
    watch_.claim_ = RunVerdict{here.process, leadOf(here) + nameOf(here) + " failed: " + reason};
    watch_.changed_.notify_all();
    watch_.changed_.wait(lock, known);
  }
  throw watch_.failure();
}

void Watch::settle(const RunVerdict& verdict) {
  if (verdict_) return;
  verdict_ = verdict;
  if (pending_ != nullptr) {
    for (const auto& each : *pending_) each.work->abort();
  }
  changed_.notify_all();
}

std::optional<Watch::Awaited> Watch::awaited() const {
  if (pending_ == nullptr) return next_;
  if (pending_->empty()) return std::nullopt;
  const auto& waited = (*pending_)[at_.load(std::memory_order_relaxed)];
  return Awaited{letterOf(waited.message, waited.incoming)};
}

Notice Watch::here() const {
  Notice notice = self_;
  if (purpose_ == nullptr) return notice;
  notice.state = Notice::State::Waits;
  notice.kind = purpose_->kind;
  notice.exchange = purpose_->text();
  return notice;
}

RunVerdict Watch::boardLost(const std::string& how) const {
  const Notice mine = here();
  Notice keeper;
  keeper.ranksPerProcess = self_.ranksPerProcess;
  std::string text = leadOf(mine) + "the meeting place at " + meeting_.host + ":" +
                     std::to_string(meeting_.port) + ", which " +
                     (meeting_.agentStore ? "torchrun's agent" : nameOf(keeper)) + " keeps, " + how;
  if (broken_) {
    text += "; " + described(broken_->letter);
  } else if (const auto waited = awaited()) {
    text += "; " + described(waited->letter);
  }
  return {meeting_.agentStore ? -1 : 0, text};
}

std::chrono::seconds Watch::patienceWithOthers() const {
  return verdict_ ? kPatienceAfterVerdict : kPatienceAtTheEnd;
}

void Watch::alarm() {
  constexpr std::chrono::milliseconds kTick{100};
  constexpr int kTicksOfWaiting = 20;
  constexpr int kTicksToLearnWhy = 15;
  int waiting = 0, asked = 0;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kTick, [&] { return leaving_; })) {
    waiting = joining_ || broken_ || awaited() ? waiting + 1 : 0;
    ++ticksWithoutRound_;
    if (ticksWithoutRound_ >= kTicksWithoutBoard && waiting >= kTicksOfWaiting) {
      settle(boardLost("has not answered for more than 3 s"));
    }
    const auto end = hooks_.interrupted ? hooks_.interrupted() : std::string();
    if (end.empty() || ++asked != kTicksToLearnWhy || claim_) continue;
    claim_ = RunVerdict{self_.process,
                        nameOf(self_) + " was ended by " + end + " in " + placeOf(here())};
    changed_.notify_all();
  }
}

void Watch::sayFarewell() {
  std::unique_lock lock(mutex_);
  const auto verdict = verdict_;
  const auto patience = patienceWithOthers();
  lock.unlock();
  try {
    board_.sayFarewell(meeting_.process);
    if (keepsBoard()) {
      board_.awaitFarewells(meeting_.processes, verdict ? verdict->process : -1, patience);
    }
  } catch (const std::exception&) {
    // The store is gone, or somebody is: nothing is left to be done here.
  }
}

}  // namespace shardlens
