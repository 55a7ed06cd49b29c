#include "core/tensor/values/recording.h"
#include "core/trace/journal/journal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Two empty shards in a row, whose data is null.
TEST(RecordedValues, EqualLocalsInARowShareAContent) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.setCapture(CaptureLevel::All);
  const auto tensor = recorder.addTensor("x", {DType::Float32, {2}, {Shard{0}}});
  const auto event = recorder.note(Event{});
  recordValues(recorder, event, tensor,
               {at::ones({1}), at::ones({1}), at::empty({0}), at::empty({0})}, {0, 1, 2, 3});
  const auto content = [&](int rank) {
    return journal.elements(journal.value(tensor, rank, event).value());
  };
  EXPECT_EQ(content(0)->size(), 4U);
  EXPECT_EQ(content(0), content(1));
  EXPECT_EQ(content(2)->size(), 0U);
  EXPECT_EQ(content(2), content(3));
}

}  // namespace
}  // namespace shardlens
