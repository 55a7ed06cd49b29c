#include "core/follow/serve.h"

#include "app/cli/commands.h"
#include "core/follow/token.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <optional>

namespace shardlens::cli {
namespace {

constexpr auto kOnServing =
    "Listens on 127.0.0.1 only, until it is interrupted. From another machine, use a tunnel:\n"
    "  ssh -N -L 7070:127.0.0.1:PORT HOST &\n"
    "  shardlens follow 127.0.0.1:7070 --into DIR\n"
    "\n"
    "Exit codes: 1 connections are no longer possible, 2 the command line, the port or a file is "
    "wrong.";

struct ServeCommand {
  std::filesystem::path folder;
  std::uint16_t port = 0;  // 0: any free port
  std::optional<std::filesystem::path> tokenFile;
};

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

}  // namespace

void addServe(CommandLine& line) {
  const auto options = std::make_shared<ServeCommand>();
  CLI::App& command = line.add("serve", "Let clients follow the recordings of a run",
                               [options] { return serveRecordings(*options); });
  command.add_option("DIR", options->folder, "The folder that the run records to")->required();
  command.add_option("--port", options->port, "The port on 127.0.0.1; a free one by default")
      ->type_name("N");
  addTokenFile(
      command, options->tokenFile,
      "A file with the token that clients must have; by default, a token is generated and printed");
  command.footer(kOnServing);
}

}  // namespace shardlens::cli
