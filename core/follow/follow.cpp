#include "core/follow/follow.h"

#include "core/base/json_text.h"
#include "core/follow/recording_receiver.h"
#include "core/follow/socket.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <thread>

namespace shardlens {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kTries = 20;  // attempts to reconnect
constexpr std::chrono::seconds kBetween{1};
constexpr std::chrono::seconds kPatience{15};  // the server sends Alive more often
constexpr std::size_t kMostOfRefusal = 500;
constexpr std::size_t kMostRecordings = 16384;
// Bytes to hold in memory if the server is faster than the disk.
constexpr std::size_t kMostUnwritten = std::size_t{1} << 26;

// Text from the server is shown in a terminal and used as a file name, so only printable ASCII is
// accepted.
bool isPlain(char letter) { return letter >= ' ' && letter <= '~'; }

std::string plain(std::string text) {
  text.resize(std::min(text.size(), kMostOfRefusal));
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return !isPlain(letter); }, '?');
  return text;
}

bool isName(const std::string& name) {
  return isRecordingName(name) && fs::path(name).filename() == name &&
         std::all_of(name.begin(), name.end(), isPlain);
}

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
        if (!wasThere_) {
          return fail(options_.host + ":" + options_.port +
                      ": got a connection without a run, expected a shardlens serve");
        }
        if (std::exchange(receivedFrame_, false)) tries = 0;
      }
      if (tries == kTries) return FollowEnd::ConnectionLost;
      options_.report({FollowReport::Kind::Retrying});
      std::this_thread::sleep_for(kBetween);
    }
  }

 private:
  // Returns true if the run has ended, false if the connection is lost.
  Result<bool> listen(const Socket& socket) {
    socket.setPatience(kPatience);
    json hello = {{"token", options_.token}, {"files", json::object()}};
    for (const auto& [name, copy] : copies_) hello["files"][name] = receivedJson(copy.had());
    if (!socket.send(packed(FrameKind::Hello, jsonText(hello)))) return false;
    RecordingReceiver* copy = nullptr;
    while (const auto frame = socket.receive(kMostOfFrame)) {
      switch (frame->kind) {
        case FrameKind::Refusal:
          return fail("refused: " + plain(frame->body));
        case FrameKind::RunEnd:
          return true;
        case FrameKind::Alive:
          welcome();
          if (const auto kept = flush(); !kept) return tl::unexpected(kept.error());
          break;
        case FrameKind::File: {
          welcome();
          const auto found = copyOf(frame->body);
          if (!found) return tl::unexpected(found.error());
          copy = *found;
          break;
        }
        default:
          if (copy == nullptr) return fail("the server sent data before naming a recording");
          if (const auto taken = copy->take(*frame); !taken) return tl::unexpected(taken.error());
          unwritten_ += frame->body.size();
          if (unwritten_ > kMostUnwritten) {
            if (const auto kept = flush(); !kept) return tl::unexpected(kept.error());
          }
      }
    }
    return false;
  }

  void welcome() {
    wasThere_ = true;
    if (!std::exchange(receivedFrame_, true)) options_.report({FollowReport::Kind::Following});
  }

  // Flushes all copies. Reports a full disk now rather than at the end of the run.
  Result<void> flush() {
    unwritten_ = 0;
    for (auto& [name, copy] : copies_) {
      if (const auto kept = copy.flush(); !kept) return kept;
    }
    return {};
  }

  Result<RecordingReceiver*> copyOf(const std::string& name) {
    if (const auto known = copies_.find(name); known != copies_.end()) return &known->second;
    if (!isName(name)) {
      return fail("the server sent an invalid recording name, expected NAME.shardlens in ASCII");
    }
    const fs::path path = options_.into / name;
    std::error_code code;
    const auto type = fs::symlink_status(path, code).type();
    if (type == fs::file_type::none) {
      return fail("cannot write " + path.string() + ": " + code.message());
    }
    if (type != fs::file_type::not_found) {
      return fail(path.string() + " already exists, expected a folder without it");
    }
    if (copies_.size() == kMostRecordings) {
      return fail("the server named more than " + std::to_string(kMostRecordings) + " recordings");
    }
    auto copy = RecordingReceiver::create(path);
    if (!copy) return tl::unexpected(copy.error());
    options_.report({FollowReport::Kind::Recording, name});
    return &copies_.emplace(name, std::move(*copy)).first->second;
  }

  const FollowOptions& options_;
  std::map<std::string, RecordingReceiver> copies_;
  std::size_t unwritten_ = 0;   // received bytes since the last flush
  bool wasThere_ = false;       // a valid frame came on any connection
  bool receivedFrame_ = false;  // a valid frame came on this connection
};

}  // namespace

Result<FollowEnd> follow(const FollowOptions& options) {
  std::error_code code;
  fs::create_directories(options.into, code);
  if (code) return fail("cannot make the folder " + options.into.string() + ": " + code.message());
  return Follower(options).run();
}

}  // namespace shardlens
