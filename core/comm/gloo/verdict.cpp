#include "core/comm/gloo/verdict.h"

#include "core/comm/gloo/pace.h"
#include "core/trace/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using State = Notice::State;

std::string lastHeardOf(const Notice& theirs) { return "last heard of in " + placeOf(theirs); }

// What the other tells of the message that `letter` tells of.
const Letter* counterpart(const Notice& theirs, const Letter& letter) {
  const auto found =
      std::find_if(theirs.letters.begin(), theirs.letters.end(), [&](const Letter& other) {
        return other.sender == letter.sender && other.receiver == letter.receiver &&
               other.incoming != letter.incoming && other.ofProcesses == letter.ofProcesses;
      });
  return found == theirs.letters.end() ? nullptr : &*found;
}

std::string sizeOf(const Letter& letter) {
  return std::to_string(letter.bytes) + " bytes of " + letter.dtype;
}

RunVerdict otherProgram(const Notice& mine, const Notice& theirs) {
  return {theirs.process, "the processes do not do the same: " + nameOf(mine) + " is in " +
                              placeOf(mine) + "; " + nameOf(theirs) + " is in " + placeOf(theirs)};
}

std::optional<RunVerdict> otherShape(const Notice& mine, const Notice& theirs,
                                     const Letter& letter) {
  const auto* other = counterpart(theirs, letter);
  if (other == nullptr) {
    if (!theirs.allLetters) return std::nullopt;
    return RunVerdict{theirs.process,
                      leadOf(mine) + described(letter) + ", which " +
                          (letter.incoming ? "had nothing for it" : "expected none")};
  }
  if (other->bytes == letter.bytes && other->dtype == letter.dtype) return std::nullopt;
  const auto& sent = letter.incoming ? *other : letter;
  const auto& expected = letter.incoming ? letter : *other;
  return RunVerdict{theirs.process, leadOf(mine) + "rank " + std::to_string(letter.receiver) +
                                        " expected " + sizeOf(expected) + " from rank " +
                                        std::to_string(letter.sender) + ", which had " +
                                        sizeOf(sent) + " for it"};
}

}  // namespace

std::string leadOf(const Notice& mine) {
  std::string text;
  if (!mine.step.empty()) text += mine.step + ": ";
  if (!mine.exchange.empty()) text += mine.exchange + ": ";
  return text;
}

std::string toText(const RunVerdict& verdict) {
  return jsonText(nlohmann::json{
      {"process", verdict.process}, {"text", verdict.text}, {"refusal", verdict.isRefusal}});
}

RunVerdict verdictFrom(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  return {json.at("process").get<int>(), json.at("text").get<std::string>(),
          json.at("refusal").get<bool>()};
}

std::optional<RunVerdict> judge(const Notice& mine, const Notice& theirs, const Stall& stall) {
  if (theirs.state == State::Left) {
    return RunVerdict{theirs.process, leadOf(mine) + nameOf(theirs) + " has left, " +
                                          lastHeardOf(theirs) + "; " + described(stall.letter)};
  }
  if (stall.silent >= kBeatsUntilSilent) {
    return RunVerdict{theirs.process, leadOf(mine) + nameOf(theirs) +
                                          " hangs: it has not been heard of for more than " +
                                          secondsText(kBeatsUntilSilent) + ", " +
                                          lastHeardOf(theirs) + "; " + described(stall.letter)};
  }
  if (mine.speaks && theirs.speaks) return std::nullopt;  // words always meet
  // Who speaks in the middle of a collective has failed there, and its part will not come.
  if (!theirs.refusal.empty() && theirs.speaks && stall.ahead >= kBeatsUntilFailed) {
    return failedVerdict(theirs);
  }
  if (!mine.refusal.empty() && mine.speaks && theirs.state == State::Waits &&
      theirs.position < mine.position && stall.beats >= kBeatsUntilFailed) {
    return failedVerdict(mine);
  }
  if (theirs.position == mine.position && theirs.state == State::Waits) {
    if (theirs.kind != mine.kind) return otherProgram(mine, theirs);
    return otherShape(mine, theirs, stall.letter);
  }
  if (stall.ahead >= kBeatsUntilLate) {
    return RunVerdict{theirs.process, leadOf(mine) + described(stall.letter) + ", but " +
                                          nameOf(theirs) + " has gone on without it, to " +
                                          placeOf(theirs)};
  }
  return std::nullopt;
}

RunVerdict goneVerdict(const Notice& mine, const Notice& theirs, const Letter& letter,
                       const std::string& reason) {
  const std::string how = theirs.state == State::Left ? " has left" : " is gone";
  return {theirs.process, leadOf(mine) + nameOf(theirs) + how + ", " + lastHeardOf(theirs) + "; " +
                              described(letter) + ": " + reason};
}

std::string lateText(const Notice& mine, const Notice& theirs) {
  return leadOf(mine) + nameOf(mine) + " has been waiting for " + nameOf(theirs) +
         " for more than " + secondsText(kBeatsUntilLate) + ", which is still in " +
         placeOf(theirs);
}

RunVerdict patienceVerdict(const Notice& mine, const Notice& theirs, const Letter& letter) {
  return {theirs.process, leadOf(mine) + described(letter) + ", and has waited long enough: " +
                              nameOf(theirs) + " is still in " + placeOf(theirs)};
}

RunVerdict failedVerdict(const Notice& who) {
  return {who.process,
          nameOf(who) + " failed in " + (who.step.empty() ? "the beginning" : who.step) + ": " +
              who.refusal,
          /*isRefusal=*/true};
}

}  // namespace shardlens
