#include "core/trace/events/open_segments.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(OpenSegments, AreSealedInOrderWhenTheirSpansHaveEnded) {
  OpenSegments segments;
  Event span;
  span.duration = Event::kRunning;
  segments.append(1, span);
  for (EventId id = 2; id <= 2 * kSegmentEvents; ++id) segments.append(id, Event{});
  EXPECT_TRUE(segments.takeSealed().empty());
  span.duration = 7;
  segments.end(1, span);
  const auto sealed = segments.takeSealed();
  ASSERT_EQ(sealed.size(), 2U);
  EXPECT_EQ(sealed[0].totals.end(), 7);
  EXPECT_EQ(sealed[1].first, kSegmentEvents + 1);
  EXPECT_TRUE(segments.takeRest().empty());
}

TEST(OpenSegments, ProgramsAreEqualOnMachinesWithOtherFolders) {
  const auto programOf = [](const char* site, const char* name) {
    OpenSegments segments;
    segments.addText(1, site);
    segments.addText(2, name);
    Event event;
    event.kind = EventKind::Operator;
    event.site = 1;
    event.name = 2;
    segments.append(1, event);
    return segments.takeRest().front().program;
  };
  const auto program = programOf(R"({"file":"/a/m.py","line":3,"module":"l"})", "aten.mm");
  EXPECT_EQ(program, programOf(R"({"file":"/b/m.py","line":3,"module":"l"})", "aten.mm"));
  EXPECT_NE(program, programOf(R"({"file":"/a/m.py","line":3,"module":"k"})", "aten.mm"));
  EXPECT_NE(program, programOf(R"({"file":"/a/m.py","line":3,"module":"l"})", "aten.add"));
}

}  // namespace
}  // namespace shardlens
