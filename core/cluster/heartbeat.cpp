#include "core/cluster/heartbeat.h"

#include "core/base/json_text.h"
#include "core/model/ranks_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <numeric>

namespace shardlens {
namespace {

using Json = nlohmann::json;

Json toJson(const MessageInfo& message) {
  return {message.sender, message.receiver, message.otherProcess, message.bytes,
          message.dtype,  message.incoming, message.ofProcesses};
}

MessageInfo messageInfoFrom(const Json& json) {
  return {json[0].get<int>(),          json[1].get<int>(),         json[2].get<int>(),
          json[3].get<std::int64_t>(), json[4].get<std::string>(), json[5].get<bool>(),
          json[6].get<bool>()};
}

}  // namespace

std::string described(const MessageInfo& message) {
  const std::string who = message.ofProcesses ? "process " : "rank ";
  const auto sender = who + std::to_string(message.sender);
  const auto receiver = who + std::to_string(message.receiver);
  if (message.bytes == MessageInfo::kUnknown) return receiver + " waited for " + sender;
  return message.incoming
             ? fmt::format("{} expected {} bytes from {}", receiver, message.bytes, sender)
             : fmt::format("{} had {} bytes for {}", sender, message.bytes, receiver);
}

std::string toText(const Heartbeat& heartbeat) {
  Json messages = Json::array();
  for (const auto& message : heartbeat.messages) messages.push_back(toJson(message));
  return jsonText(Json{{"process", heartbeat.process},
                       {"ranks", heartbeat.ranksPerProcess},
                       {"beat", heartbeat.beat},
                       {"state", static_cast<int>(heartbeat.state)},
                       {"words", heartbeat.position.strings},
                       {"collectives", heartbeat.position.collectives},
                       {"speaks", heartbeat.inStrings},
                       {"kind", heartbeat.kind},
                       {"step", heartbeat.step},
                       {"exchange", heartbeat.exchange},
                       {"refusal", heartbeat.refusal},
                       {"messages", messages},
                       {"all", heartbeat.allMessages}});
}

Heartbeat heartbeatFrom(const std::string& text) {
  const auto json = parsedJson(text);
  Heartbeat heartbeat;
  json.at("process").get_to(heartbeat.process);
  json.at("ranks").get_to(heartbeat.ranksPerProcess);
  json.at("beat").get_to(heartbeat.beat);
  heartbeat.state = static_cast<Heartbeat::State>(json.at("state").get<int>());
  json.at("words").get_to(heartbeat.position.strings);
  json.at("collectives").get_to(heartbeat.position.collectives);
  json.at("speaks").get_to(heartbeat.inStrings);
  json.at("kind").get_to(heartbeat.kind);
  json.at("step").get_to(heartbeat.step);
  json.at("exchange").get_to(heartbeat.exchange);
  json.at("refusal").get_to(heartbeat.refusal);
  for (const auto& message : json.at("messages"))
    heartbeat.messages.push_back(messageInfoFrom(message));
  json.at("all").get_to(heartbeat.allMessages);
  return heartbeat;
}

std::string nameOf(const Heartbeat& heartbeat) {
  if (heartbeat.ranksPerProcess == 0) return fmt::format("process {}", heartbeat.process);
  if (heartbeat.ranksPerProcess == 1) return fmt::format("rank {}", heartbeat.process);
  std::vector<int> ranks(static_cast<std::size_t>(heartbeat.ranksPerProcess));
  std::iota(ranks.begin(), ranks.end(), heartbeat.process * heartbeat.ranksPerProcess);
  return fmt::format("process {} (ranks {})", heartbeat.process, ranksText({ranks}));
}

std::string placeOf(const Heartbeat& heartbeat) {
  if (heartbeat.step.empty())
    return heartbeat.exchange.empty() ? "the beginning" : heartbeat.exchange;
  return heartbeat.exchange.empty() ? heartbeat.step : heartbeat.step + ", " + heartbeat.exchange;
}

}  // namespace shardlens
