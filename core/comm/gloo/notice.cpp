#include "core/comm/gloo/notice.h"

#include "core/trace/journal.h"
#include "core/trace/json_text.h"

#include <nlohmann/json.hpp>

#include <numeric>

namespace shardlens {
namespace {

using Json = nlohmann::json;

Json toJson(const Letter& letter) {
  return {letter.sender, letter.receiver, letter.otherProcess, letter.bytes,
          letter.dtype,  letter.incoming, letter.ofProcesses};
}

Letter letterFrom(const Json& json) {
  return {json[0].get<int>(),          json[1].get<int>(),         json[2].get<int>(),
          json[3].get<std::int64_t>(), json[4].get<std::string>(), json[5].get<bool>(),
          json[6].get<bool>()};
}

}  // namespace

std::string described(const Letter& letter) {
  const std::string who = letter.ofProcesses ? "process " : "rank ";
  const auto sender = who + std::to_string(letter.sender);
  const auto receiver = who + std::to_string(letter.receiver);
  if (letter.bytes == Letter::kUnknown) return receiver + " waited for " + sender;
  const auto size = std::to_string(letter.bytes) + " bytes";
  return letter.incoming ? receiver + " expected " + size + " from " + sender
                         : sender + " had " + size + " for " + receiver;
}

std::string toText(const Notice& notice) {
  Json letters = Json::array();
  for (const auto& letter : notice.letters) letters.push_back(toJson(letter));
  return jsonText(Json{{"process", notice.process},
                       {"ranks", notice.ranksPerProcess},
                       {"beat", notice.beat},
                       {"state", static_cast<int>(notice.state)},
                       {"words", notice.position.words},
                       {"collectives", notice.position.collectives},
                       {"speaks", notice.speaks},
                       {"kind", notice.kind},
                       {"step", notice.step},
                       {"exchange", notice.exchange},
                       {"refusal", notice.refusal},
                       {"letters", letters},
                       {"all", notice.allLetters}});
}

Notice noticeFrom(const std::string& text) {
  const auto json = Json::parse(text);
  Notice notice;
  json.at("process").get_to(notice.process);
  json.at("ranks").get_to(notice.ranksPerProcess);
  json.at("beat").get_to(notice.beat);
  notice.state = static_cast<Notice::State>(json.at("state").get<int>());
  json.at("words").get_to(notice.position.words);
  json.at("collectives").get_to(notice.position.collectives);
  json.at("speaks").get_to(notice.speaks);
  json.at("kind").get_to(notice.kind);
  json.at("step").get_to(notice.step);
  json.at("exchange").get_to(notice.exchange);
  json.at("refusal").get_to(notice.refusal);
  for (const auto& letter : json.at("letters")) notice.letters.push_back(letterFrom(letter));
  json.at("all").get_to(notice.allLetters);
  return notice;
}

std::string nameOf(const Notice& notice) {
  const auto process = std::to_string(notice.process);
  if (notice.ranksPerProcess == 0) return "process " + process;
  if (notice.ranksPerProcess == 1) return "rank " + process;
  std::vector<int> ranks(static_cast<std::size_t>(notice.ranksPerProcess));
  std::iota(ranks.begin(), ranks.end(), notice.process * notice.ranksPerProcess);
  return "process " + process + " (ranks " + ranksText({ranks}) + ")";
}

std::string placeOf(const Notice& notice) {
  if (notice.step.empty()) return notice.exchange.empty() ? "the beginning" : notice.exchange;
  return notice.exchange.empty() ? notice.step : notice.step + ", " + notice.exchange;
}

}  // namespace shardlens
