#include "ui/shell/run_control.h"

#include "ui/models/breakpoints_model.h"
#include "ui/pages/message_bar.h"

#include <algorithm>
#include <array>

namespace shardlens {
namespace {

constexpr int kMessageDelay = 300;                                 // ms before a search is shown
constexpr std::array<double, 6> kSpeeds = {0.5, 1, 2, 5, 10, 20};  // events per second
constexpr int kUsual = 2;

const QString kStopped = QStringLiteral("stopped");
const QString kSearching = QStringLiteral("looking");

}  // namespace

RunControl::RunControl(Cursor& cursor, BreakpointsModel& breakpoints, MessageBar& bar)
    : cursor_(cursor), breakpoints_(breakpoints), bar_(bar), speed_(kUsual) {
  messageDelay_.setSingleShot(true);
  messageDelay_.setInterval(kMessageDelay);
  connect(&messageDelay_, &QTimer::timeout, this, [this] {
    bar_.showMessage(kSearching,
                     {MessageBar::Kind::Note, tr("Searching…"), tr("Stop"), [this] { stop(); }});
  });
  connect(&play_, &QTimer::timeout, this, &RunControl::playOn);
  connect(&cursor_, &Cursor::found, this, &RunControl::arrived);
  connect(&cursor_, &Cursor::moved, this, &RunControl::moved);
  setSpeed(kUsual);
}

void RunControl::begin(Search search) {
  setPlaying(false);
  bar_.withdraw(kStopped);
  Q_EMIT leaves();
  search_ = search;
  messageDelay_.start();
}

void RunControl::toNextBreakpoint() {
  begin(Search::Breakpoint);
  cursor_.toNext(breakpoints_.enabled(), Cursor::IfNone::ToTheEnd);
}

void RunControl::toPreviousBreakpoint() {
  begin(Search::Breakpoint);
  cursor_.toPrevious(breakpoints_.enabled(), Cursor::IfNone::ToTheEnd);
}

void RunControl::runTo(const QString& query) {
  const auto parsed = parseQuery(query.toStdString());
  if (parsed && !parsed->empty()) {
    begin(Search::Breakpoint);
    auto any = breakpoints_.enabled();
    any.push_back(*parsed);
    cursor_.toNext(std::move(any), Cursor::IfNone::ToTheEnd);
  }
}

void RunControl::backTo(const QString& query) {
  const auto parsed = parseQuery(query.toStdString());
  if (parsed && !parsed->empty()) {
    toPreviousMatch(*parsed);
  }
}

void RunControl::toNextMatch(const Query& query) {
  begin(Search::Match);
  cursor_.toNext({query}, Cursor::IfNone::Stay);
}

void RunControl::toPreviousMatch(const Query& query) {
  begin(Search::Match);
  cursor_.toPrevious({query}, Cursor::IfNone::Stay);
}

void RunControl::arrived(EventId event) {
  messageDelay_.stop();
  bar_.withdraw(kSearching);
  if (event != 0) {
    if (search_ == Search::Breakpoint) {
      stopsHere();
    }
    return;
  }
  if (search_ == Search::Match || !breakpoints_.enabled().empty()) {
    reportedAt_ = cursor_.position();
    bar_.showMessage(
        kStopped, {MessageBar::Kind::Note,
                   search_ == Search::Match ? tr("No more matches") : tr("No breakpoint reached")});
  }
}

// Reports the breakpoints that stop at the position and counts a hit for each. Returns false if
// there are none.
bool RunControl::stopsHere() {
  const EventId here = cursor_.position();
  const QStringList names = here == 0 ? QStringList() : breakpoints_.hit(cursor_.journal(), here);
  if (names.isEmpty()) {
    return false;
  }
  reportedAt_ = here;
  bar_.showMessage(
      kStopped, {MessageBar::Kind::Note,
                 tr("Stopped at event %1: breakpoint “%2”").arg(here).arg(names.join(tr("”, “")))});
  return true;
}

// Withdraws messages about other positions.
void RunControl::moved() {
  if (cursor_.position() != reportedAt_) {
    bar_.withdraw(kStopped);
  }
  if (!cursor_.waits()) {
    messageDelay_.stop();
    bar_.withdraw(kSearching);
  }
  if (isPlaying() && cursor_.position() != played_) {
    played_ = cursor_.position();
    if (stopsHere()) {
      setPlaying(false);
    }
  }
}

void RunControl::setPlaying(bool playing) {
  if (playing == isPlaying()) {
    return;
  }
  if (playing) {
    played_ = cursor_.position();
    bar_.withdraw(kStopped);
    play_.start();
  } else {
    play_.stop();
  }
  Q_EMIT changed();
}

// Skips a turn while the cursor waits for the next event.
void RunControl::playOn() {
  if (cursor_.atEnd()) {
    return setPlaying(false);
  }
  if (!cursor_.waits()) {
    cursor_.step();
    moved();
  }
}

QString RunControl::speedText() const {
  return tr("%1/s").arg(kSpeeds[static_cast<std::size_t>(speed_)]);
}

void RunControl::setSpeed(int speed) {
  speed_ = std::clamp(speed, 0, static_cast<int>(kSpeeds.size()) - 1);
  play_.setInterval(static_cast<int>(1000 / kSpeeds[static_cast<std::size_t>(speed_)]));
  Q_EMIT changed();
}

void RunControl::stop() {
  setPlaying(false);
  messageDelay_.stop();
  bar_.withdraw(kSearching);
  cursor_.stay();
}

}  // namespace shardlens
