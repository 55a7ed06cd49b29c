#include "core/base/check.h"
#include "core/session/session.h"
#include "core/trace/events/event_sink.h"
#include "tests/session/programs.h"

#include <nlohmann/json.hpp>

namespace shardlens {
namespace {

// A sink that throws when an event of this kind ends, or is recorded without a duration.
class Buggy final : public EventSink {
 public:
  explicit Buggy(EventKind kind) : kind_(kind) {}
  void onMeta(std::string_view, std::string_view) override {}
  void onString(StringId, std::string_view) override {}
  void onSpec(SpecId, const Spec&) override {}
  void onRoute(RouteId, const Route&) override {}
  void onTensor(TensorId, StringId, SpecId) override {}
  void onEvent(EventId, const Event& event, std::span<const TensorId>) override {
    if (event.duration != Event::kRunning) return ended(event.kind);
    running_.push_back(event.kind);
  }
  void onValue(const ValueRecord&) override {}
  void onEnd(EventId, std::int64_t) override {
    const EventKind kind = running_.back();
    running_.pop_back();
    ended(kind);
  }

 private:
  void ended(EventKind kind) const {
    if (kind == kind_) throw CheckFailed("a bug of mine");
  }

  EventKind kind_;
  std::vector<EventKind> running_;
};

TEST(Session, ABugAtTheEndOfTheLastStepFailsTheRun) {
  Buggy buggy(EventKind::Step);
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]}]})json"),
                  {.sinks = {&buggy}});
  EXPECT_FALSE(session.step());
  EXPECT_EQ(session.error(), "step x: a bug of mine");
  EXPECT_EQ(session.answer()["ok"], false);
}

// The result's tensor has not been recorded before.
TEST(Session, ABugMetByAResultEndsTheStep) {
  Buggy buggy(EventKind::Result);
  Session session(scenario(R"json({"shardlens": 1, "mesh": {"shape": [2]}, "steps": [
      {"id": "x", "call": "tensor", "data": [1, 2], "placements": ["S(0)"]},
      {"id": "y", "call": "aten.neg", "args": ["$x"]}]})json"),
                  {.sinks = {&buggy}});
  EXPECT_FALSE(session.step());
  EXPECT_EQ(session.error(), "step x: a bug of mine");
  EXPECT_TRUE(session.answer()["results"].empty());
}

TEST(Session, ABugThatADestructorMeetsEndsTheStep) {
  const struct {
    EventKind kind;
    const char* error;
  } cases[] = {{EventKind::Operator, "step y: a bug of mine"},
               {EventKind::Step, "step x: a bug of mine"}};
  for (const auto& [kind, error] : cases) {
    Buggy buggy(kind);
    Session session(scenario(kRowWise), {.sinks = {&buggy}});
    while (session.step()) {
    }
    EXPECT_EQ(session.error(), error);
  }
}

}  // namespace
}  // namespace shardlens
