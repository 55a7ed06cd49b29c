#include "core/cluster/run_failure.h"

#include "core/base/json_text.h"
#include "core/cluster/timeouts.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using State = Heartbeat::State;

std::string lastPlaceOf(const Heartbeat& theirs) { return "last heartbeat in " + placeOf(theirs); }

// Returns the same message as the other process reports it, or null.
const MessageInfo* counterpart(const Heartbeat& theirs, const MessageInfo& message) {
  const auto found =
      std::find_if(theirs.messages.begin(), theirs.messages.end(), [&](const MessageInfo& other) {
        return other.sender == message.sender && other.receiver == message.receiver &&
               other.incoming != message.incoming && other.ofProcesses == message.ofProcesses;
      });
  return found == theirs.messages.end() ? nullptr : &*found;
}

std::string sizeOf(const MessageInfo& message) {
  return fmt::format("{} bytes of {}", message.bytes, message.dtype);
}

RunFailure otherProgram(const Heartbeat& mine, const Heartbeat& theirs) {
  return {theirs.process, "the processes do not do the same: " + nameOf(mine) + " is in " +
                              placeOf(mine) + "; " + nameOf(theirs) + " is in " + placeOf(theirs)};
}

std::optional<RunFailure> otherShape(const Heartbeat& mine, const Heartbeat& theirs,
                                     const MessageInfo& message) {
  const auto* other = counterpart(theirs, message);
  if (other == nullptr) {
    if (!theirs.allMessages) return std::nullopt;
    return RunFailure{theirs.process,
                      leadOf(mine) + described(message) + ", which " +
                          (message.incoming ? "had nothing for it" : "expected none")};
  }
  if (other->bytes == message.bytes && other->dtype == message.dtype) return std::nullopt;
  const auto& sent = message.incoming ? *other : message;
  const auto& expected = message.incoming ? message : *other;
  return RunFailure{
      theirs.process,
      fmt::format("{}rank {} expected {} from rank {}, which had {} for it", leadOf(mine),
                  message.receiver, sizeOf(expected), message.sender, sizeOf(sent))};
}

}  // namespace

std::string leadOf(const Heartbeat& mine) {
  std::string text;
  if (!mine.step.empty()) text += mine.step + ": ";
  if (!mine.exchange.empty()) text += mine.exchange + ": ";
  return text;
}

std::string toText(const RunFailure& failure) {
  return jsonText(nlohmann::json{
      {"process", failure.process}, {"text", failure.text}, {"refusal", failure.isRefusal}});
}

RunFailure runFailureFrom(const std::string& text) {
  const auto json = parsedJson(text);
  return {json.at("process").get<int>(), json.at("text").get<std::string>(),
          json.at("refusal").get<bool>()};
}

std::optional<RunFailure> diagnose(const Heartbeat& mine, const Heartbeat& theirs,
                                   const Stall& stall) {
  if (theirs.state == State::Left) {
    return RunFailure{theirs.process, leadOf(mine) + nameOf(theirs) + " has left, " +
                                          lastPlaceOf(theirs) + "; " + described(stall.message)};
  }
  if (stall.silent >= kHeartbeatsUntilSilent) {
    return RunFailure{theirs.process, leadOf(mine) + nameOf(theirs) +
                                          " hangs: no heartbeat for more than " +
                                          secondsText(kHeartbeatsUntilSilent) + ", " +
                                          lastPlaceOf(theirs) + "; " + described(stall.message)};
  }
  if (mine.inStrings && theirs.inStrings) return std::nullopt;  // exchanges of strings always match
  // A process that exchanges strings in the middle of a collective has failed there.
  if (!theirs.refusal.empty() && theirs.inStrings && stall.ahead >= kHeartbeatsUntilFailed) {
    return refusalFailure(theirs);
  }
  if (!mine.refusal.empty() && mine.inStrings && theirs.state == State::Waits &&
      theirs.position < mine.position && stall.beats >= kHeartbeatsUntilFailed) {
    return refusalFailure(mine);
  }
  if (theirs.position == mine.position && theirs.state == State::Waits) {
    if (theirs.kind != mine.kind) return otherProgram(mine, theirs);
    return otherShape(mine, theirs, stall.message);
  }
  if (stall.ahead >= kHeartbeatsUntilLate) {
    return RunFailure{theirs.process, leadOf(mine) + described(stall.message) + ", but " +
                                          nameOf(theirs) + " has gone on without it, to " +
                                          placeOf(theirs)};
  }
  return std::nullopt;
}

RunFailure goneFailure(const Heartbeat& mine, const Heartbeat& theirs, const MessageInfo& message,
                       const std::string& reason) {
  const std::string how = theirs.state == State::Left ? " has left" : " is gone";
  return {theirs.process, leadOf(mine) + nameOf(theirs) + how + ", " + lastPlaceOf(theirs) + "; " +
                              described(message) + ": " + reason};
}

std::string lateText(const Heartbeat& mine, const Heartbeat& theirs) {
  return leadOf(mine) + nameOf(mine) + " has been waiting for " + nameOf(theirs) +
         " for more than " + secondsText(kHeartbeatsUntilLate) + ", which is still in " +
         placeOf(theirs);
}

RunFailure timeoutFailure(const Heartbeat& mine, const Heartbeat& theirs,
                          const MessageInfo& message) {
  return {theirs.process, leadOf(mine) + described(message) + ", and has waited long enough: " +
                              nameOf(theirs) + " is still in " + placeOf(theirs)};
}

RunFailure refusalFailure(const Heartbeat& who) {
  return {who.process,
          nameOf(who) + " failed in " + (who.step.empty() ? "the beginning" : who.step) + ": " +
              who.refusal,
          /*isRefusal=*/true};
}

}  // namespace shardlens
