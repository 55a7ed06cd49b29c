#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/follow/follow.h"
#include "core/follow/serve.h"
#include "core/follow/token.h"

#include <termios.h>

#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace shardlens::cli {
namespace {

// Nobody sees what is typed while this is there.
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

// What happened, to people.
std::string wordsOf(const FollowReport& report) {
  switch (report.kind) {
    case FollowReport::Kind::Following:
      return "following";
    case FollowReport::Kind::Recording:
      return report.file;
    case FollowReport::Kind::Retrying:
      return "the connection is gone, trying again";
    case FollowReport::Kind::RunEnded:
      return "the run has ended";
    case FollowReport::Kind::ConnectionLost:
      break;
  }
  return "the connection is gone: the recordings end where it broke";
}

}  // namespace

int serveRecordings(const ServeCommand& command) {
  const auto token = command.tokenFile ? readToken(*command.tokenFile) : drawToken();
  if (!token)
    return unusable(command.tokenFile ? "--token-file: " + token.error().message
                                      : "serve: " + token.error().message);
  bool listening = false;
  const Error ended =
      serve({.folder = command.folder,
             .port = command.port,
             .token = *token,
             .onListening =
                 [&](std::uint16_t port) {
                   listening = true;
                   std::cout << "listening on 127.0.0.1:" << port << '\n';
                   if (!command.tokenFile) std::cout << "token " << *token << '\n';
                   std::cout << std::flush;
                 },
             .log = [](const std::string& line) { std::cerr << "shardlens: " + line + "\n"; }});
  (void)unusable("serve: " + ended.message);
  return listening ? kRefused : kUnusable;
}

int followRun(const FollowCommand& command) {
  const auto token = knownToken(command);
  if (!token) return unusable("--token-file: " + token.error().message);
  const auto say = [&](const FollowReport& report) {
    std::cout << (command.output == Output::Json ? encode(report) : wordsOf(report) + "\n")
              << std::flush;
  };
  const auto end = follow({.host = command.host,
                           .port = command.port,
                           .token = *token,
                           .into = command.into,
                           .report = say});
  if (!end) return unusable("follow: " + end.error().message);
  const bool whole = *end == FollowEnd::RunEnded;
  say({whole ? FollowReport::Kind::RunEnded : FollowReport::Kind::ConnectionLost});
  return finishOutput(whole ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
