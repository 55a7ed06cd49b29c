#include "core/cluster/rendezvous.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <limits>

namespace shardlens {
namespace {

Result<std::string> requiredText(const Environment& environment, const std::string& variable) {
  auto value = environment(variable);
  if (value && !value->empty()) return *std::move(value);
  return fail("the variable " + variable +
              " is not set: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are expected, as torchrun"
              " sets them");
}

Result<int> numberOf(const Environment& environment, const std::string& variable, int least,
                     int most) {
  const auto text = requiredText(environment, variable);
  if (!text) return tl::unexpected(text.error());
  int number = 0;
  const auto* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && stop == end && least <= number && number <= most) return number;
  const bool open = most == std::numeric_limits<int>::max();
  return fail(fmt::format("the variable {} is \"{}\": a number from {} {} is expected", variable,
                          *text, least, open ? "on" : fmt::format("to {}", most)));
}

std::optional<std::string> ownEnvironment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

Result<Rendezvous> rendezvousFrom(const Environment& environment) {
  constexpr int kAny = std::numeric_limits<int>::max();
  Rendezvous meeting;
  const auto processes = numberOf(environment, "WORLD_SIZE", 1, kAny);
  if (!processes) return tl::unexpected(processes.error());
  const auto process = numberOf(environment, "RANK", 0, *processes - 1);
  if (!process) return tl::unexpected(process.error());
  const auto host = requiredText(environment, "MASTER_ADDR");
  if (!host) return tl::unexpected(host.error());
  const auto port = numberOf(environment, "MASTER_PORT", 1, 65535);
  if (!port) return tl::unexpected(port.error());
  meeting.process = *process;
  meeting.processes = *processes;
  meeting.host = *host;
  meeting.port = static_cast<std::uint16_t>(*port);
  meeting.agentStore = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (environment("TORCHELASTIC_RESTART_COUNT")) {
    const auto attempt = numberOf(environment, "TORCHELASTIC_RESTART_COUNT", 0, kAny);
    if (!attempt) return tl::unexpected(attempt.error());
    meeting.attempt = *attempt;
  }
  return meeting;
}

bool isLaunched(const Environment& environment) {
  return environment("RANK").has_value() && environment("WORLD_SIZE").value_or("1") != "1";
}

bool isLaunched() { return isLaunched(ownEnvironment); }

Result<Rendezvous> rendezvousFromEnvironment() { return rendezvousFrom(ownEnvironment); }

}  // namespace shardlens
