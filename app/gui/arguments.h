#pragma once

#include "core/base/result.h"
#include "core/model/event.h"
#include "core/view/placement_words.h"

#include <QSize>
#include <QString>
#include <optional>
#include <string>

namespace shardlens {

// shardlens-gui [PATH] [--step N] [--screenshot OUT] [--panel NAME] [--size WxH] [--zoom PERCENT]
// [--dark] [--notation NAME]
struct Arguments {
  QString file;
  std::optional<EventId> step;
  QString screenshot;
  QString panel;  // of the screenshot; empty: the window
  QSize size;
  std::optional<double> zoom;  // 1: as ever
  std::optional<view::Notation> notation;
  bool dark = false;
  std::string told;  // what was asked for instead: help, or the version
};

// Refuses what it does not know, naming it.
Result<Arguments> parseArguments(int argc, const char* const* argv);

}  // namespace shardlens
