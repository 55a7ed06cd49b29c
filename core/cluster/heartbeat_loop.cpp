#include "core/cluster/timeouts.h"
#include "core/cluster/watchdog.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {

// Rounds are short while processes join, because joining takes several rounds.
constexpr std::chrono::milliseconds kRoundWhileJoining{10};

void Watchdog::heartbeatLoop() {
  try {
    store_.countIn();
    for (bool beat = true;;) {
      const Round round = beginRound(beat);
      if (beat || round.leaving) store_.post(round.heartbeat);
      auto failure = store_.failure();
      if (!failure && round.proposed) failure = store_.decide(*round.proposed);
      if (!failure && round.broken) {
        const auto& message = round.broken->message;
        const auto theirs = heartbeatOf(message.otherProcess, round.heartbeat);
        failure =
            store_.decide(goneFailure(round.heartbeat, theirs, message, round.broken->reason));
      }
      if (!failure && round.leaving) break;
      if (!failure) failure = round.joining ? checkJoining(beat) : checkPeer(round, beat);
      if (round.leaving) break;
      beat = endRound(failure);
    }
    announceExit();
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    setFailure(storeLost("is gone: " + reasonOf(e)));
  }
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

Watchdog::Round Watchdog::beginRound(bool beat) {
  const std::lock_guard lock(mutex_);
  if (beat) ++self_.beat;
  Round round;
  round.heartbeat = here();
  round.joining = joining_;
  round.leaving = leaving_;
  round.proposed = proposed_;
  round.broken = broken_;
  if (leaving_) round.heartbeat.state = Heartbeat::State::Left;
  if (joining_) return round;
  round.awaited = awaited();
  if (!round.awaited) {
    peer_ = {};
    return round;
  }
  const auto at = at_.load(std::memory_order_relaxed);
  if (peer_.position != self_.position || peer_.at != at) {
    peer_ = {.position = self_.position, .at = at, .stall = {.message = round.awaited->message}};
  } else if (beat) {
    ++peer_.stall.beats;
  }
  if (pending_ == nullptr || peer_.stall.beats < kHeartbeatsUntilStalled) return round;
  const auto count = std::min(pending_->size(), kMostMessages);
  for (std::size_t i = 0; i < count; ++i) {
    round.heartbeat.messages.push_back(
        messageInfoOf((*pending_)[i].message, (*pending_)[i].incoming));
  }
  round.heartbeat.allMessages = count == pending_->size();
  return round;
}

// Returns the newest heartbeat of a process. Fills in this process's number of ranks: all processes
// host as many, but post the number only from their first collective on.
Heartbeat Watchdog::heartbeatOf(int process, const Heartbeat& mine) {
  Heartbeat unknown;
  unknown.process = process;
  Heartbeat heartbeat = store_.heartbeatOf(process).value_or(unknown);
  heartbeat.ranksPerProcess = mine.ranksPerProcess;
  return heartbeat;
}

// Examines the heartbeat of the process that this one waits for.
std::optional<RunFailure> Watchdog::checkPeer(const Round& round, bool beat) {
  auto& stall = peer_.stall;
  if (!beat || !round.awaited || stall.beats < kHeartbeatsUntilStalled) return std::nullopt;
  const Heartbeat& mine = round.heartbeat;
  const Heartbeat theirs = heartbeatOf(stall.message.otherProcess, mine);
  const bool ahead = round.awaited->takesPart &&
                     (theirs.position > mine.position || (theirs.position == mine.position &&
                                                          theirs.state == Heartbeat::State::Works));
  stall.ahead = ahead ? stall.ahead + 1 : 0;
  stall.silent = theirs.beat == peer_.lastBeat ? stall.silent + 1 : 0;
  peer_.lastBeat = theirs.beat;
  auto failure = diagnose(mine, theirs, stall);
  if (!failure && stall.beats * heartbeatInterval() >= patience_) {
    failure = timeoutFailure(mine, theirs, stall.message);
  }
  if (failure) return store_.decide(*failure);
  const bool comes = round.awaited->takesPart || theirs.position < mine.position;
  const bool late = comes && !ahead && stall.beats >= kHeartbeatsUntilLate;
  if (late && !peer_.warned && hooks_.warn) {
    peer_.warned = true;
    hooks_.warn(lateText(mine, theirs));
  }
  return std::nullopt;
}

// Examines the next process, once that has joined.
std::optional<RunFailure> Watchdog::checkJoining(bool beat) {
  const int present = store_.present();
  {
    const std::lock_guard lock(mutex_);
    present_ = present;
    changed_.notify_all();
  }
  if (!beat) return std::nullopt;
  ++peer_.stall.beats;
  if (peer_.stall.beats == kHeartbeatsUntilLate && present < meeting_.processes && hooks_.warn) {
    hooks_.warn(
        fmt::format("waiting for {} of {} processes to connect to {}:{}, among them process {}",
                    meeting_.processes - present, meeting_.processes, meeting_.host, meeting_.port,
                    store_.firstMissing(meeting_.processes)));
  }
  const auto theirs = store_.heartbeatOf((meeting_.process + 1) % meeting_.processes);
  if (!theirs || theirs->process == meeting_.process) return std::nullopt;
  if (theirs->state == Heartbeat::State::Left) {
    return store_.decide(
        {theirs->process, nameOf(*theirs) + " has left while the processes were connecting"});
  }
  peer_.stall.silent = theirs->beat == peer_.lastBeat ? peer_.stall.silent + 1 : 0;
  peer_.lastBeat = theirs->beat;
  if (peer_.stall.silent < kHeartbeatsUntilSilent) return std::nullopt;
  return store_.decide({theirs->process, nameOf(*theirs) +
                                             " is gone or hangs: no heartbeat for more than " +
                                             secondsText(kHeartbeatsUntilSilent) +
                                             " while the processes were connecting"});
}

bool Watchdog::endRound(const std::optional<RunFailure>& failure) {
  std::unique_lock lock(mutex_);
  ticksWithoutRound_ = 0;
  if (failure) setFailure(*failure);
  const auto urgent = [&] { return leaving_ || (!failure_ && (proposed_ || broken_)); };
  if (!joining_) return !changed_.wait_for(lock, heartbeatInterval(), urgent);
  changed_.wait_for(lock, kRoundWhileJoining, urgent);
  return ++shortRounds_ % (heartbeatInterval() / kRoundWhileJoining) == 0;
}

}  // namespace shardlens
