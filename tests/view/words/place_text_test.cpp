#include "core/view/words/place_text.h"

#include "core/trace/recorder/recorder.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Returns the place of an event with this site and line, in a recording of /home/a/train.py.
std::string placeOf(const SiteRecord& site, int line) {
  Recorder recorder;
  Journal journal;
  recorder.addSink(journal);
  recorder.meta("path", "/home/a/train.py");
  recorder.setSite(site);
  recorder.setStep(0, line);
  const EventId id = recorder.note(Event{});
  return view::placeText(journal, journal.at(id));
}

TEST(PlaceText, NamesTheFileOfAProgramRelativeToItsFolder) {
  EXPECT_EQ(placeOf({.file = "/home/a/train.py", .line = 23}, 23), "train.py:23");
  EXPECT_EQ(placeOf({.file = "/home/a/model/layers.py", .line = 7}, 0), "model/layers.py:7");
  EXPECT_EQ(placeOf({.file = "/home/ab/layers.py", .line = 7}, 0), "/home/ab/layers.py:7");
}

TEST(PlaceText, NamesTheLineOfAScenario) {
  EXPECT_EQ(placeOf({}, 23), "line 23");
  EXPECT_EQ(placeOf({.module = "layers.0"}, 23), "line 23");
}

TEST(PlaceText, IsEmptyIfThePlaceIsUnknown) {
  EXPECT_EQ(placeOf({}, 0), "");
  EXPECT_EQ(placeOf({.module = "layers.0"}, 0), "");
}

}  // namespace
}  // namespace shardlens
