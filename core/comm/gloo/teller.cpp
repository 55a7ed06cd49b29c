#include "core/comm/gloo/pace.h"
#include "core/comm/gloo/watch.h"

#include <algorithm>

namespace shardlens {

// While the processes come together a round is short, so that nobody waits for the next one.
constexpr std::chrono::milliseconds kRoundWhileJoining{10};

void Watch::tell() {
  try {
    board_.come();
    for (bool beat = true;;) {
      const Round round = beginRound(beat);
      if (beat || round.leaving) board_.post(round.notice);
      auto verdict = board_.verdict();
      if (!verdict && round.claim) verdict = board_.decide(*round.claim);
      if (!verdict && round.broken) {
        const auto& letter = round.broken->letter;
        const auto theirs = noticeOf(letter.otherProcess, round.notice);
        verdict = board_.decide(goneVerdict(round.notice, theirs, letter, round.broken->reason));
      }
      if (!verdict && round.leaving) break;
      if (!verdict) verdict = round.joining ? lookAtJoining(beat) : look(round, beat);
      if (round.leaving) break;
      beat = endRound(verdict);
    }
    sayFarewell();
  } catch (const std::exception& e) {
    const std::lock_guard lock(mutex_);
    settle(boardLost("is gone: " + reasonOf(e)));
  }
  const std::lock_guard lock(mutex_);
  told_ = true;
  changed_.notify_all();
}

Watch::Round Watch::beginRound(bool beat) {
  const std::lock_guard lock(mutex_);
  if (beat) ++self_.beat;
  Round round;
  round.notice = here();
  round.joining = joining_;
  round.leaving = leaving_;
  round.claim = claim_;
  round.broken = broken_;
  if (leaving_) round.notice.state = Notice::State::Left;
  if (joining_) return round;
  round.awaited = awaited();
  if (!round.awaited) {
    look_ = {};
    return round;
  }
  const auto at = at_.load(std::memory_order_relaxed);
  if (look_.position != self_.position || look_.at != at) {
    look_ = {.position = self_.position, .at = at, .stall = {.letter = round.awaited->letter}};
  } else if (beat) {
    ++look_.stall.beats;
  }
  if (pending_ == nullptr || look_.stall.beats < kBeatsUntilStalled) return round;
  const auto count = std::min(pending_->size(), kMostLetters);
  for (std::size_t i = 0; i < count; ++i) {
    round.notice.letters.push_back(letterOf((*pending_)[i].message, (*pending_)[i].incoming));
  }
  round.notice.allLetters = count == pending_->size();
  return round;
}

// Before its first collective a process does not say how many ranks it hosts; all host as many.
Notice Watch::noticeOf(int process, const Notice& mine) {
  Notice unknown;
  unknown.process = process;
  Notice notice = board_.noticeOf(process).value_or(unknown);
  notice.ranksPerProcess = mine.ranksPerProcess;
  return notice;
}

// Whoever has waited for a while looks at the one it waits for.
std::optional<RunVerdict> Watch::look(const Round& round, bool beat) {
  auto& stall = look_.stall;
  if (!beat || !round.awaited || stall.beats < kBeatsUntilStalled) return std::nullopt;
  const Notice& mine = round.notice;
  const Notice theirs = noticeOf(stall.letter.otherProcess, mine);
  const bool ahead = round.awaited->met &&
                     (theirs.position > mine.position ||
                      (theirs.position == mine.position && theirs.state == Notice::State::Works));
  stall.ahead = ahead ? stall.ahead + 1 : 0;
  stall.silent = theirs.beat == look_.lastBeat ? stall.silent + 1 : 0;
  look_.lastBeat = theirs.beat;
  auto verdict = judge(mine, theirs, stall);
  if (!verdict && stall.beats * kBeat >= patience_) {
    verdict = patienceVerdict(mine, theirs, stall.letter);
  }
  if (verdict) return board_.decide(*verdict);
  const bool comes = round.awaited->met || theirs.position < mine.position;
  const bool late = comes && !ahead && stall.beats >= kBeatsUntilLate;
  if (late && !look_.warned && hooks_.warn) {
    look_.warned = true;
    hooks_.warn(lateText(mine, theirs));
  }
  return std::nullopt;
}

// Each looks after its neighbour, if that one has come.
std::optional<RunVerdict> Watch::lookAtJoining(bool beat) {
  const int present = board_.present();
  {
    const std::lock_guard lock(mutex_);
    present_ = present;
    changed_.notify_all();
  }
  if (!beat) return std::nullopt;
  ++look_.stall.beats;
  if (look_.stall.beats == kBeatsUntilLate && present < meeting_.processes && hooks_.warn) {
    hooks_.warn("waiting for " + std::to_string(meeting_.processes - present) + " of " +
                std::to_string(meeting_.processes) + " processes to come to " + meeting_.host +
                ":" + std::to_string(meeting_.port) + ", process " +
                std::to_string(board_.firstMissing(meeting_.processes)) + " among them");
  }
  const auto theirs = board_.noticeOf((meeting_.process + 1) % meeting_.processes);
  if (!theirs || theirs->process == meeting_.process) return std::nullopt;
  if (theirs->state == Notice::State::Left) {
    return board_.decide(
        {theirs->process, nameOf(*theirs) + " has left while the processes were connecting"});
  }
  look_.stall.silent = theirs->beat == look_.lastBeat ? look_.stall.silent + 1 : 0;
  look_.lastBeat = theirs->beat;
  if (look_.stall.silent < kBeatsUntilSilent) return std::nullopt;
  return board_.decide({theirs->process, nameOf(*theirs) +
                                             " is gone or hangs: it has not been "
                                             "heard of for more than " +
                                             secondsText(kBeatsUntilSilent) +
                                             " while the processes were connecting"});
}

bool Watch::endRound(const std::optional<RunVerdict>& verdict) {
  std::unique_lock lock(mutex_);
  ticksWithoutRound_ = 0;
  if (verdict) settle(*verdict);
  const auto urgent = [&] { return leaving_ || (!verdict_ && (claim_ || broken_)); };
  if (!joining_) return !changed_.wait_for(lock, kBeat, urgent);
  changed_.wait_for(lock, kRoundWhileJoining, urgent);
  return ++shortRounds_ % (kBeat / kRoundWhileJoining) == 0;
}

}  // namespace shardlens
