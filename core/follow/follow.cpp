#include "core/follow/follow.h"

#include "core/follow/copy.h"
#include "core/follow/socket.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <thread>

namespace shardlens {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kTries = 5;  // to connect again
constexpr std::chrono::seconds kBetween{1};
constexpr std::chrono::seconds kPatience{15};  // the server gives signs of life more often

class Follower {
 public:
  explicit Follower(const FollowOptions& options) : options_(options) {}

  Result<FollowEnd> run() {
    for (int tries = 0;; ++tries) {
      const auto socket = Socket::connect(options_.host, options_.port);
      if (!socket && !wasThere_) return tl::unexpected(socket.error());
      if (socket) {
        const auto end = listen(*socket);
        if (!end) return tl::unexpected(end.error());
        if (*end) return FollowEnd::RunEnded;
        if (std::exchange(heard_, false)) tries = 0;
      }
      if (tries == kTries) return FollowEnd::ConnectionLost;
      options_.log("the connection is gone, trying again");
      std::this_thread::sleep_for(kBetween);
    }
  }

 private:
  // True when the run has ended, false when the connection has.
  Result<bool> listen(const Socket& socket) {
    socket.setPatience(kPatience);
    json hello = {{"token", options_.token}, {"files", json::object()}};
    for (const auto& [name, copy] : copies_) hello["files"][name] = hadJson(copy.had());
    if (!socket.send(packed(FrameKind::Hello, jsonText(hello)))) return false;
    Copy* copy = nullptr;
    while (const auto frame = socket.receive(kMostOfFrame)) {
      switch (frame->kind) {
        case FrameKind::Refusal:
          return fail("refused: " + frame->body);
        case FrameKind::RunEnd:
          return true;
        case FrameKind::Alive:
          welcome();
          break;
        case FrameKind::File: {
          welcome();
          const auto found = copyOf(frame->body);
          if (!found) return tl::unexpected(found.error());
          copy = *found;
          break;
        }
        default:
          if (copy == nullptr) return fail("the server sent what belongs to no recording");
          if (const auto taken = copy->take(*frame); !taken) return tl::unexpected(taken.error());
      }
    }
    return false;
  }

  void welcome() {
    if (!std::exchange(wasThere_, true)) options_.log("following");
    heard_ = true;
  }

  Result<Copy*> copyOf(const std::string& name) {
    if (const auto known = copies_.find(name); known != copies_.end()) return &known->second;
    if (!isRecordingName(name) || fs::path(name).filename() != name) {
      return fail("the server named a recording " + name + ", expected NAME.shardlens");
    }
    auto copy = Copy::create(options_.into / name);
    if (!copy) return tl::unexpected(copy.error());
    options_.log(name);
    return &copies_.emplace(name, std::move(*copy)).first->second;
  }

  const FollowOptions& options_;
  std::map<std::string, Copy> copies_;
  bool wasThere_ = false;
  bool heard_ = false;  // since the last connection
};

}  // namespace

Result<FollowEnd> follow(const FollowOptions& options) {
  std::error_code code;
  fs::create_directories(options.into, code);
  if (code) return fail("cannot make the folder " + options.into.string() + ": " + code.message());
  return Follower(options).run();
}

}  // namespace shardlens
