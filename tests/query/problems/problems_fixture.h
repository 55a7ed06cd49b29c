#pragma once

#include "core/query/problems/problems.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardlens {

// Searches incrementally at each event, while the recording grows.
class LookingOn final : public EventSink {
 public:
  explicit LookingOn(const Journal& journal) : search_(journal) {}
  const ProblemSearch& search() const { return search_; }

  void onMeta(std::string_view /*key*/, std::string_view /*value*/) override {}
  void onString(StringId /*id*/, std::string_view /*text*/) override {}
  void onSpec(SpecId /*id*/, const Spec& /*spec*/) override {}
  void onRoute(RouteId /*id*/, const Route& /*route*/) override {}
  void onTensor(TensorId /*id*/, StringId /*name*/, SpecId /*spec*/) override {}
  void onEvent(EventId /*id*/, const Event& /*event*/,
               std::span<const TensorId> /*inputs*/) override {
    search_.look(1);
    (void)search_.problems(RunState::Running);
  }
  void onValue(const ValueRecord& /*value*/) override {}
  void onEnd(EventId /*id*/, std::int64_t /*duration*/) override {}

 private:
  ProblemSearch search_;
};

// A recording of four ranks on one axis, whose problems are also searched while it grows.
class ProblemsTest : public ::testing::Test {
 protected:
  ProblemsTest() {
    recorder_.addSink(journal_);
    recorder_.addSink(lookingOn_);
    recorder_.setCapture(CaptureLevel::Statistics);
    recorder_.setClock([this] { return now_ += 100; });
    recorder_.meta("mesh", "4:tp");
    recorder_.setRanks("0-3");
  }

  TensorId tensor(const char* name, Shape shape = {8, 4}, Placements placements = {Shard{0}}) {
    return recorder_.addTensor(name, {DType::Float32, std::move(shape), std::move(placements)});
  }
  EventId result(TensorId id) {
    return recorder_.note(makeResult(recorder_, journal_.tensor(id).name, id, 0, 0));
  }
  void send(const char* collective, std::int64_t bytes) {
    recorder_.note(
        makeCollective(recorder_, parseCollective(collective), "0-3", 0, bytes, {.axis = "tp"}));
  }
  // Returns the problems of one rule.
  std::vector<Problem> found(const std::string& rule) {
    auto all = findProblems(journal_);
    // The incremental search does not apply to merged journals. Some tests merge theirs at the end.
    if (!journal_.isMerged()) {
      EXPECT_THAT(lookingOn_.search().problems(RunState::Ended), ::testing::ElementsAreArray(all));
    }
    std::erase_if(all, [&](const Problem& problem) { return problem.rule != rule; });
    return all;
  }
  std::vector<std::string> sentences(const std::string& rule) {
    std::vector<std::string> all;
    for (const auto& problem : found(rule)) all.push_back(problem.sentence);
    return all;
  }

  std::int64_t now_ = 0;
  Recorder recorder_;
  Journal journal_;
  LookingOn lookingOn_{journal_};
};

}  // namespace shardlens
