#include "core/query/history/element_history.h"
#include "core/query/history/tensor_uses_table.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/records/site_record.h"
#include "tests/view/lookup_run.h"
#include "tests/view/table_text.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> usesOf(const Journal& journal, const char* name) {
  TensorUses uses(journal);
  while (uses.advance(3)) {
  }
  std::vector<std::string> words;
  for (const TensorUse& use : uses.of(LookupRun::tensor(journal, name))) {
    words.emplace_back(wordOf(use.what));
  }
  return words;
}

TEST(TensorUses, ListWhatMakesReadsMovesAndMasksATensor) {
  Journal journal;
  recordLookup(journal);
  EXPECT_THAT(usesOf(journal, "w"), ElementsAre("made"));
  EXPECT_THAT(usesOf(journal, "x"), ElementsAre("made", "moved"));
  EXPECT_THAT(usesOf(journal, "x'"), ElementsAre("moved", "mask released"));
  EXPECT_THAT(usesOf(journal, "y"), ElementsAre("made", "moved", "masked", "mask released"));
  EXPECT_THAT(usesOf(journal, "z"), ElementsAre("moved"));
}

TEST(TensorUses, ListInputsOfOperatorsOnceAndTheModule) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const TensorId x = recorder.addTensor("x", {DType::Float32, {2}, {Replicate{}}, nullptr});
  recorder.note(makeResult(recorder, "x", x, 0, 0, 0));
  const Event event = makeOperator(recorder, "aten.mul");
  recorder.setSite({.module = "layers.3"});
  const TensorId y = recorder.addTensor("y", {DType::Float32, {2}, {Replicate{}}, nullptr});
  {
    const std::vector<TensorId> inputs{x, x};
    const Span op(recorder, event, inputs);
    recorder.note(makeResult(recorder, "y", y, 0, 0, 0));
  }
  auto uses = std::make_shared<TensorUses>(journal);
  EXPECT_FALSE(uses->advance(100));
  EXPECT_THAT(uses->of(x), ElementsAre(TensorUse{1, TensorUse::What::Made},
                                       TensorUse{2, TensorUse::What::Read}));
  EXPECT_EQ(uses->moduleOf(y), "layers.3");
  EXPECT_EQ(uses->moduleOf(x), "");
  const view::Table table = tensorsTable(journal, uses, y);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows.marked(), 1U);
  EXPECT_EQ(table.rows[1].cells[TensorColumn::Module].text, "layers.3");
  EXPECT_EQ(table.rows[0].cells[TensorColumn::Uses].text, "2");
  EXPECT_EQ(table.rows[0].event, 1U);
  const view::Table events = tensorUsesTable(journal, uses, x, 2);
  ASSERT_EQ(events.rows.size(), 2U);
  EXPECT_EQ(events.rows[1].event, 2U);
  EXPECT_TRUE(events.rows[1].marked);
  EXPECT_TRUE(uses->of(99).empty());
}

// A part of a job: w was made before it, and an optimizer writes to it. Input 0 is unknown.
TEST(TensorUses, ListATensorThatIsReadBeforeItIsWritten) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const TensorId w = recorder.addTensor("w", {DType::Float32, {2}, {Replicate{}}, nullptr});
  const std::vector<TensorId> inputs{w, 0};
  const Span op(recorder, makeOperator(recorder, "aten.add_"), inputs);
  recorder.note(makeResult(recorder, "w", w, 0, 0, 0));
  TensorUses uses(journal);
  EXPECT_FALSE(uses.advance(100));
  EXPECT_THAT(uses.tensors(), ElementsAre(w));
  EXPECT_TRUE(uses.of(0).empty());
}

// Plain tensors have no placements, as masks. A module's output is the tensor of its last operator.
TEST(TensorUses, ListPlainTensorsAndTheWritesToThem) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const auto plain = [&](const char* name) {
    return recorder.addTensor(name, {DType::Float32, {2}, {}, nullptr});
  };
  const TensorId x = plain("x"), state = plain("random state");
  recorder.note(makePlainResult(recorder, "random state", state, 0, R"({"role": "random"})"));
  recorder.note(makePlainResult(recorder, "x", x, 0, ""));
  recorder.note(makePlainResult(recorder, "layers.0", x, 0, R"({"role": "output"})"));
  recorder.note(makePlainResult(recorder, "x", x, 0, R"({"role": "alias"})"));
  {
    const Span op(recorder, makeOperator(recorder, "aten.detach"), std::span(&x, 1));
    recorder.note(makePlainResult(recorder, "detach", x, 0, ""));
  }
  TensorUses uses(journal);
  EXPECT_FALSE(uses.advance(100));
  EXPECT_THAT(uses.tensors(), ElementsAre(x));
  EXPECT_THAT(usesOf(journal, "x"),
              ElementsAre("made", "described", "written", "read", "described"));
}

// x is written through its view v and through v's transpose; b has another memory.
TEST(ElementHistory, HasTheWritesThroughViewsOfTheMemory) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const auto tensor = [&](const char* name) {
    return recorder.addTensor(name, {DType::Float32, {2, 2}, {Replicate{}}, nullptr});
  };
  const TensorId x = tensor("x"), v = tensor("v"), t = tensor("t"), b = tensor("b");
  const auto call = [&](const char* name, TensorId input, TensorId result) {
    const Span op(recorder, makeOperator(recorder, name), std::span(&input, 1));
    recorder.note(makeResult(recorder, "", result, 0, 0, 0));
  };
  recorder.note(makeResult(recorder, "x", x, 0, 0, 0));  // event 1
  call("aten.view", x, v);                               // events 2, 3
  call("aten.t", v, t);                                  // 4, 5
  call("aten.mul", v, b);                                // 6, 7
  call("aten.add_.Tensor", t, t);                        // 8, 9
  call("aten.add_.Tensor", b, b);                        // 10, 11
  call("aten.zero_", x, x);                              // 12, 13
  const auto historyOf = [&](TensorId id) {
    std::vector<std::string> words;
    for (const ElementEvent& each : elementHistory(journal, id)) {
      words.push_back(std::to_string(each.event) + " " + std::string(wordOf(each.what)));
    }
    return words;
  };
  EXPECT_THAT(historyOf(x),
              ElementsAre("1 produced", "2 read", "8 view written", "12 written", "13 written"));
  EXPECT_THAT(historyOf(t),
              ElementsAre("4 produced", "5 produced", "8 written", "9 written", "12 view written"));
  EXPECT_THAT(historyOf(b), ElementsAre("6 produced", "7 produced", "10 written", "11 written"));
}

}  // namespace
}  // namespace shardlens
