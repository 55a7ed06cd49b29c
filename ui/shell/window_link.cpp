#include "ui/shell/window_link.h"

#include "ui/panels/steps_panel.h"
#include "ui/shell/main_window.h"
#include "ui/text/format.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <array>
#include <utility>

namespace shardlens {
namespace {

using view::Tone;

constexpr int kSoonest = 300;  // least delay in ms before a grown recording is compared again
constexpr int kShare = 4;      // the delay as a multiple of the last comparison's time

}  // namespace

WindowLink::WindowLink(MainWindow& first, MainWindow& second, MainWindow& leader)
    : QObject(&first),
      left_{&first},
      right_{&second},
      leader_(&leader == &first ? Side::Left : Side::Right) {
  recompare_.setSingleShot(true);
  connect(&recompare_, &QTimer::timeout, this, &WindowLink::compare);
  connect(&second, &QObject::destroyed, this, [this] {
    right_.window = nullptr;  // its members are destroyed before it is
    end();
  });
  connect(&second.host(), &DocumentHost::presented, this, &WindowLink::begin);
  connect(&second.host(), &DocumentHost::refused, this, &WindowLink::refused);
  connect(&second.host(), &DocumentHost::openingChanged, this, &WindowLink::showTexts);
  connect(&second.host(), &DocumentHost::openingChanged, this, &WindowLink::endIfCancelled,
          Qt::QueuedConnection);
  watch(Side::Left);
  first.setLink(this);
}

void WindowLink::watch(Side side) {
  MainWindow& window = *at(side).window;
  connect(&window.cursor(), &Cursor::moved, this, [this, side] { follow(side); });
  connect(&window.host(), &DocumentHost::changed, this, &WindowLink::compareGrowth);
  connect(&window.host(), &DocumentHost::aboutToClose, this, &WindowLink::end);
}

// Ends the link if the user cancels opening the second document.
void WindowLink::endIfCancelled() {
  if (!isOpen_ && right_.window != nullptr && !second().isOpening()) {
    end();
  }
}

// Closes the second window if its document cannot be opened.
void WindowLink::refused(const QString& message) {
  MainWindow& window = second();
  first().messages().showMessage(QStringLiteral("beside"), {MessageBar::Kind::Problem, message});
  end();
  if (window.document() == nullptr) {
    QMetaObject::invokeMethod(&window, &QWidget::close, Qt::QueuedConnection);
  }
}

void WindowLink::begin() {
  isOpen_ = true;
  second().host().disconnect(this);
  watch(Side::Right);
  second().setLink(this);
  for (Linked* each : {&left_, &right_}) {
    each->position = each->window->cursor().position();
  }
  compare();
  compareGrowth();
}

// Runs both engines to their ends, because only recorded events can be compared.
void WindowLink::compareGrowth() {
  if (!isOpen_) {
    return;
  }
  for (const Linked* each : {&left_, &right_}) {
    if (each->window->document()->engine() != nullptr) {
      each->window->document()->runTo(EngineClient::kToEnd);
    }
  }
  if (hasGrown() && comparison_ == nullptr && !recompare_.isActive()) {
    recompare_.start(std::max(kSoonest, kShare * duration_));
  }
}

bool WindowLink::hasGrown() const {
  const auto grew = [](const Linked& each) { return each.window->cursor().size() > each.size; };
  return grew(left_) || grew(right_);
}

void WindowLink::compare() {
  comparing_.start();
  percent_ = 0;
  for (Linked* each : {&left_, &right_}) {
    each->size = each->window->cursor().size();
  }
  comparison_ = std::make_unique<RecordingComparison>(first().document()->source(),
                                                      second().document()->source());
  connect(comparison_.get(), &RecordingComparison::progressed, this, [this](int percent) {
    percent_ = percent;
    showTexts();
  });
  connect(comparison_.get(), &RecordingComparison::compared, this, &WindowLink::take);
  connect(comparison_.get(), &RecordingComparison::failed, this, [this](const QString& message) {
    failure_ = message;
    endComparison();
  });
  showTexts();
}

void WindowLink::endComparison() {
  comparison_.release()->deleteLater();  // it is the sender of this signal
  duration_ = static_cast<int>(comparing_.elapsed());
  showTexts();
  compareGrowth();
}

void WindowLink::take(const std::shared_ptr<const ComparedRecordings>& result) {
  result_ = result;
  failure_.clear();
  const auto first = result->places.first();
  for (const Side side : {Side::Left, Side::Right}) {
    at(side).window->setDifferences({result, &result->places.events(side)},
                                    first ? first->in(side) : 0);
  }
  moveOther();
  endComparison();
  Q_EMIT compared();
}

// Ignores redraws without a change of position.
void WindowLink::follow(Side side) {
  const EventId position = at(side).window->cursor().position();
  if (std::exchange(at(side).position, position) != position) {
    leader_ = side;
    moveOther();
  }
}

void WindowLink::moveOther() {
  Linked& brought = at(other(leader_));
  const auto target = partner(leader_);
  if (target && *target <= brought.window->cursor().size()) {
    brought.position = *target;
    brought.window->cursor().moveTo(*target);
  }
  showTexts();
}

std::optional<EventId> WindowLink::partner(Side side) const {
  const EventId position = at(side).position;
  return result_ == nullptr   ? std::nullopt
         : side == Side::Left ? result_->pairs.rightOf(position)
                              : result_->pairs.leftOf(position);
}

void WindowLink::goToFirstDifference() { goTo(result_->places.first()); }

void WindowLink::goToNextDifference() { goTo(result_->places.next(here())); }

void WindowLink::goToPreviousDifference() { goTo(result_->places.previous(here())); }

// First picks up moves that were not signalled yet.
WindowLink::Place WindowLink::here() {
  follow(Side::Left);
  follow(Side::Right);
  const EventId position = at(leader_).position;
  return leader_ == Side::Left ? Place{position, result_->pairs.rightUpTo(position)}
                               : Place{result_->pairs.leftUpTo(position), position};
}

void WindowLink::goTo(const std::optional<Place>& place) {
  if (!place) {
    return;
  }
  for (const Side side : {Side::Left, Side::Right}) {
    at(side).position = place->in(side);
    at(side).window->jumpTo(at(side).position);
  }
  leader_ = has(Side::Left, *place) ? Side::Left : Side::Right;
  showTexts();
}

// Prefixes the folder if both files have the same name.
QString WindowLink::nameOf(Side side) const {
  const auto pathOf = [this](Side each) {
    const MainWindow& window = *at(each).window;
    const bool isOpening = !isOpen_ && each == Side::Right;
    const Document* document = isOpening ? window.opening() : window.document();
    return QFileInfo(document == nullptr ? QString() : document->path());
  };
  const QFileInfo path = pathOf(side);
  const bool isAlike = path.fileName() == pathOf(other(side)).fileName();
  return isAlike ? path.dir().dirName() + u'/' + path.fileName() : path.fileName();
}

// Returns how the event at the position differs; empty if it does not.
QString WindowLink::sentenceAt(Side side, EventId position) const {
  const auto isHere = [&](const RunDifference& difference) {
    return position != 0 && (side == Side::Left ? difference.left : difference.right) == position;
  };
  const auto& all = result_->differences;
  const auto found = std::find_if(all.begin(), all.end(), isHere);
  if (found != all.end()) {
    return toQString(found->sentence);
  }
  const auto& events = result_->places.events(side);
  return std::binary_search(events.begin(), events.end(), position) ? tr("a nested event differs")
                                                                    : QString();
}

LinkBar::Words WindowLink::wordsFor(Side side) const {
  const Side there = other(side);
  const std::array<QString, 2> letters{tr("A"), tr("B")};
  const auto letterOf = [&](Side each) { return letters[each == Side::Left ? 0 : 1]; };
  const QString name = nameOf(there);
  if (!isOpen_) {
    return {.link = letterOf(side), .place = tr("Opening %1 beside this window…").arg(name)};
  }
  LinkBar::Words words{
      .link = tr("%1 · linked with %2 (%3)").arg(letterOf(side), name, letterOf(there)),
      .hasDifferences = hasDifferences()};
  if (result_ == nullptr) {
    words.place = failure_.isEmpty() ? tr("Comparing…") : tr("Cannot compare: %1").arg(failure_);
    words.tone = failure_.isEmpty() ? Tone::Quiet : Tone::Warn;
    words.percent = comparison_ == nullptr ? 100 : percent_;
    return words;
  }
  QStringList place;
  if (!partner(leader_)) {
    const EventId compared = leader_ == Side::Left ? result_->leftSize : result_->rightSize;
    place << (at(leader_).position > compared ? tr("event not compared yet")
              : side == leader_
                  ? tr("only in this recording; %1 stays at event %2")
                        .arg(name)
                        .arg(at(there).position)
                  : tr("%1 is at an event that this recording does not contain").arg(name));
  }
  QString sentence = sentenceAt(leader_, at(leader_).position);
  if (sentence.isEmpty() && place.isEmpty()) {
    sentence = sentenceAt(other(leader_), at(other(leader_)).position);
  }
  place << sentence;
  place.removeAll(QString());
  words.tone = place.isEmpty() ? Tone::Quiet : Tone::Warn;
  words.place = place.isEmpty() ? summaryFor(side) : place.join(QStringLiteral(" · "));
  return words;
}

QString WindowLink::summaryFor(Side side) const {
  if (result_->all == 0) {
    return tr("no differences");
  }
  const QString all =
      countText(static_cast<int>(result_->all), tr("difference"), tr("differences"));
  const auto first = result_->places.first();
  return !first               ? tr("%1, only in settings").arg(all)
         : has(side, *first)  ? tr("%1, first at event %2").arg(all).arg(first->in(side))
         : side == Side::Left ? tr("%1, the first only in B").arg(all)
                              : tr("%1, the first only in A").arg(all);
}

// Returns true if the difference is an event of this side.
bool WindowLink::has(Side side, const Place& place) const {
  const auto& events = result_->places.events(side);
  return std::binary_search(events.begin(), events.end(), place.in(side));
}

void WindowLink::showTexts() {
  for (const Side side : {Side::Left, Side::Right}) {
    if (at(side).window != nullptr && at(side).window->link() == this) {
      at(side).window->linkBar().showTexts(wordsFor(side));
    }
  }
}

void WindowLink::end() {
  comparison_.reset();
  recompare_.stop();
  for (const Linked* each : {&left_, &right_}) {
    if (each->window != nullptr) {
      each->window->host().disconnect(this);
      each->window->cursor().disconnect(this);
      if (each->window->link() == this) {
        each->window->setLink(nullptr);
      }
    }
  }
  deleteLater();
}

}  // namespace shardlens
