#pragma once

#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"

#include <gtest/gtest.h>

namespace shardlens {

// A window on the lookup's recording, at the nth event of a kind; the first one has nth = 0.
struct At : Window {
  explicit At(EventKind kind, int nth = 0) {
    recordLookup(journal);
    writeLookup(path("run.shardlens"));
    open(path("run.shardlens"));
    go(kind, nth);
  }
  void go(EventKind kind, int nth = 0) {
    position_ = LookupRun::find(journal, kind, nth);
    window.cursor().moveTo(position_);
    EXPECT_TRUE(shows(QStringLiteral("event %1 of 25").arg(position_)));
  }
  Journal journal;
  EventId position_ = 0;
};

}  // namespace shardlens
