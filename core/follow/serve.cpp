#include "core/follow/serve.h"

#include "core/base/json_text.h"
#include "core/follow/recording_sender.h"
#include "core/follow/served_recordings.h"
#include "core/follow/socket.h"
#include "core/follow/token.h"
#include "core/trace/journal/tensor_ranks.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace shardlens {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kMostFollowers = 8;
// Connections that have not sent the token yet. They do not take the places of followers.
constexpr int kMostStrangers = 64;
constexpr std::chrono::seconds kHelloPatience{3};
constexpr std::chrono::seconds kFollowerPatience{10};
constexpr std::chrono::seconds kAfterWrong{1};  // delay per wrong token
constexpr std::chrono::milliseconds kPollInterval{50};
constexpr int kPollsPerAlive = 20;  // polls between two Alive frames
// After this long without data, ranks that never closed their file count as killed.
constexpr std::chrono::seconds kQuiet{15};

// State shared by the client threads and the accepting thread.
struct Shared {
  ServeOptions options;
  std::atomic<int> strangers{0};
  std::atomic<int> followers{0};
  ServedRecordings recordings;

  void log(const std::string& line) {
    const std::lock_guard lock(logging_);
    options.log(line);
  }

 private:
  std::mutex logging_;
};

// Counts one in the scope of this object.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count), number_(++count) {}
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int number() const { return number_; }  // the count with this one

 private:
  std::atomic<int>& count_;
  int number_;
};

class Client {
 public:
  Client(Socket socket, Shared& shared) : socket_(std::move(socket)), shared_(shared) {}

  void operator()() {
    socket_.setPatience(kFollowerPatience);
    if (!hasToken()) return;
    const Counted follower(shared_.followers);
    if (follower.number() > kMostFollowers) return refuse("too many clients are connected");
    shared_.log("a client follows");
    const auto done = feedAll();
    if (!done) refuse(done.error().message);
    shared_.log(done ? "a client has disconnected" : done.error().message);
  }

 private:
  bool hasToken() {
    const Counted stranger(shared_.strangers);
    if (stranger.number() > kMostStrangers) return false;
    const auto hello = socket_.receive(kMostOfHello, Socket::Time::clock::now() + kHelloPatience);
    if (!hello || hello->kind != FrameKind::Hello) return false;
    const json body = parsedJson(hello->body);
    const bool isText = body.is_object() && body.contains("token") && body["token"].is_string();
    if (!isText || !sameToken(body["token"].get<std::string>(), shared_.options.token)) {
      shared_.log("a client was refused: wrong token");
      std::this_thread::sleep_for(kAfterWrong);
      refuse("wrong token");
      return false;
    }
    if (body.contains("files")) had_ = body["files"];
    return true;
  }

  void refuse(const std::string& message) const {
    (void)socket_.send(packed(FrameKind::Refusal, message));
  }

  Result<void> feedAll() {
    for (int polls = 0;; ++polls) {
      const auto sent = feedOnce();
      if (!sent) return tl::unexpected(sent.error());
      if (*sent == RecordingSender::Sent::Disconnected) return {};
      if (polls % kPollsPerAlive == 0 && !socket_.send(packed(FrameKind::Alive))) return {};
      if (*sent == RecordingSender::Sent::Data) {
        lastSent_ = Socket::Time::clock::now();
        continue;
      }
      if (hasEnded()) {
        (void)socket_.send(packed(FrameKind::RunEnd));
        return {};
      }
      if (socket_.hasGone(kPollInterval)) return {};
    }
  }

  // True if every recording is closed and their ranks cover the mesh. Also true if one is closed
  // and nothing was new for kQuiet.
  bool hasEnded() const {
    std::size_t ended = 0;
    std::vector<RankRange> hosted;
    for (const auto& [name, feed] : feeds_) {
      if (!feed.hasEnded()) continue;
      ++ended;
      const auto ranks = feed.use(hostedRanges);
      hosted.insert(hosted.end(), ranks.begin(), ranks.end());
    }
    if (ended == 0) return false;
    const auto mesh = feeds_.begin()->second.use(recordedMesh);
    const bool isWhole = !mesh || rankCount(united(std::move(hosted))) >= mesh->size();
    return (ended == feeds_.size() && isWhole) || Socket::Time::clock::now() - lastSent_ > kQuiet;
  }

  Result<RecordingSender::Sent> feedOnce() {
    std::error_code code;
    for (fs::directory_iterator each(shared_.options.folder, code), end; !code && each != end;
         each.increment(code)) {
      const std::string name = each->path().filename().string();
      std::error_code broken;  // of a link that leads nowhere
      if (!isRecordingName(name) || feeds_.contains(name) || each->is_directory(broken) || broken) {
        continue;
      }
      // Opening may take longer than the follower's timeout.
      if (!socket_.send(packed(FrameKind::Alive))) return RecordingSender::Sent::Disconnected;
      auto recording = shared_.recordings.open(each->path());
      if (!recording) return tl::unexpected(recording.error());
      auto feed = RecordingSender::make(
          std::move(*recording), had_.contains(name) ? receivedFrom(had_[name]) : ReceivedSoFar());
      if (!feed) return tl::unexpected(feed.error());
      feeds_.emplace(name, std::move(*feed));
    }
    if (code) return fail(shared_.options.folder.string() + ": " + code.message());
    auto all = RecordingSender::Sent::Nothing;
    for (auto& each : feeds_) {
      const std::string& name = each.first;
      auto& feed = each.second;
      bool named = false;
      const auto sent = feed.sendNew([&](std::string_view frames) {
        if (!std::exchange(named, true) && !socket_.send(packed(FrameKind::File, name))) {
          return false;
        }
        return socket_.send(frames);
      });
      if (!sent || *sent == RecordingSender::Sent::Disconnected) return sent;
      if (*sent == RecordingSender::Sent::Data) all = *sent;
    }
    return all;
  }

  Socket socket_;
  Shared& shared_;
  json had_ = json::object();
  std::map<std::string, RecordingSender> feeds_;
  Socket::Time lastSent_ = Socket::Time::clock::now();  // when the last new data was sent
};

}  // namespace

Error serve(const ServeOptions& options) {
  std::error_code code;
  if (!fs::is_directory(options.folder, code)) {
    return Error{options.folder.string() +
                 " is not a folder: expected the folder of a run's recordings"};
  }
  auto listener = LoopbackListener::open(options.port);
  if (!listener) return listener.error();
  options.onListening(listener->port());
  const auto shared = std::make_shared<Shared>();
  shared->options = options;
  while (auto socket = listener->accept()) {
    std::thread([shared, client = std::make_shared<Client>(std::move(*socket), *shared)] {
      try {
        (*client)();
      } catch (const std::exception& problem) {
        shared->log(problem.what());
      }
    }).detach();
  }
  return Error{"connections are no longer possible"};
}

}  // namespace shardlens
