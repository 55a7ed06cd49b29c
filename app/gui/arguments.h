#pragma once

#include "core/base/result.h"
#include "core/model/event.h"
#include "core/model/rank_ranges.h"
#include "core/view/words/placement_words.h"

#include <QSize>
#include <QString>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The command line of shardlens-gui:
// shardlens-gui [PATH] [--event N] [--steps N] [--compare B] [--screenshot OUT] [--panel NAME]
// [--size WxH]
// [--zoom PERCENT]
// [--dark] [--notation NAME]
struct Arguments {
  QString file;
  std::optional<EventId> event;                 // position to show
  std::optional<std::vector<RankRange>> steps;  // indexes of the steps to open
  QString compare;                              // recording to compare with; empty: none
  QString screenshot;
  QString panel;               // panel for the screenshot; empty: the whole window
  QSize size;                  // invalid if not given
  std::optional<double> zoom;  // 1: 100 %; nullopt: the default zoom
  std::optional<view::Notation> notation;
  bool dark = false;
  std::string output;  // text to print instead of opening a window: help or the version
};

// Parses the command line. Returns an error that names an unknown option or an invalid value. For
// --help and --version only `output` is set. Does not require a QApplication.
Result<Arguments> parseArguments(int argc, const char* const* argv);

}  // namespace shardlens
