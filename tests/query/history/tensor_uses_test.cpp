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

}  // namespace
}  // namespace shardlens
