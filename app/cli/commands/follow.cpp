#include "core/follow/follow.h"

#include "app/cli/commands.h"
#include "core/follow/token.h"

#include <CLI/CLI.hpp>
#include <termios.h>

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <unistd.h>

namespace shardlens::cli {
namespace {

constexpr auto kOnFollowing =
    "The token is read from the variable SHARDLENS_TOKEN, the file, or standard input. For "
    "several\n"
    "hosts, follow each into the same folder; shardlens-gui DIR shows all of them as they grow.\n"
    "\n"
    "Exit codes: 0 the run has ended, 1 the connection was lost, 2 refused, or the command line\n"
    "or a file is wrong.";

struct FollowCommand {
  std::string host;
  std::string port;
  std::filesystem::path into;
  std::optional<std::filesystem::path> tokenFile;
  Output output = Output::Words;
};

std::string refuseAddress(const std::string& text) {
  const auto colon = text.rfind(':');
  int port = 0;
  const char* const end = text.data() + text.size();
  const bool named = colon != std::string::npos && colon != 0;
  const auto parsed = std::from_chars(named ? text.data() + colon + 1 : end, end, port);
  if (parsed.ec == std::errc() && parsed.ptr == end && port > 0 && port < 65536) return {};
  return "got " + text + ", expected HOST:PORT";
}

// A guard that prompts for the token and turns off the terminal's echo. Does nothing if standard
// input is no terminal.
class Unseen {
 public:
  Unseen() : isTerminal_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!isTerminal_) return;
    termios unseen = before_;
    unseen.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &unseen);
    std::cerr << "token: " << std::flush;
  }
  ~Unseen() {
    if (!isTerminal_) return;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    std::cerr << '\n';
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  termios before_{};
  bool isTerminal_;
};

Result<std::string> knownToken(const FollowCommand& command) {
  if (command.tokenFile) return readToken(*command.tokenFile);
  if (const char* given = std::getenv("SHARDLENS_TOKEN")) return std::string(given);
  const Unseen unseen;
  std::string token;
  std::getline(std::cin, token);
  return token;
}

// Returns the line for users.
std::string wordsOf(const FollowReport& report) {
  switch (report.kind) {
    case FollowReport::Kind::Following:
      return "following";
    case FollowReport::Kind::Recording:
      return report.file;
    case FollowReport::Kind::Retrying:
      return "connection lost, reconnecting";
    case FollowReport::Kind::RunEnded:
      return "the run has ended";
    case FollowReport::Kind::ConnectionLost:
      break;
  }
  return "connection lost: the recordings end where it broke";
}

int followRun(const FollowCommand& command) {
  const auto token = knownToken(command);
  if (!token) return unusable("--token-file: " + token.error().message);
  const auto print = [&](const FollowReport& report) {
    std::cout << (command.output == Output::Json ? encode(report) : wordsOf(report) + "\n")
              << std::flush;
  };
  const auto end = follow({.host = command.host,
                           .port = command.port,
                           .token = *token,
                           .into = command.into,
                           .report = print});
  if (!end) return unusable("follow: " + end.error().message);
  const bool whole = *end == FollowEnd::RunEnded;
  print({whole ? FollowReport::Kind::RunEnded : FollowReport::Kind::ConnectionLost});
  return finishOutput(whole ? kAllRan : kRefused);
}

}  // namespace

void addFollow(CommandLine& line) {
  const auto options = std::make_shared<FollowCommand>();
  CLI::App& command = line.add("follow", "Copy the recordings of a run while it is in progress",
                               [options] { return followRun(*options); });
  command
      .add_option_function<std::string>(
          "HOST:PORT",
          [options](const std::string& where) {
            const auto colon = where.rfind(':');
            options->host = where.substr(0, colon);
            options->port = where.substr(colon + 1);
          },
          "The address that serve prints, or the local end of a tunnel to it")
      ->required()
      ->check(CLI::Validator(refuseAddress, "", "address"));
  command.add_option("--into", options->into, "The folder to write to")
      ->type_name("DIR")
      ->required();
  addTokenFile(command, options->tokenFile, "A file whose first line is the token");
  addJson(command, options->output, "Print reports, one JSON object per line");
  command.footer(kOnFollowing);
}

}  // namespace shardlens::cli
