#include "ui/models/problem_watch.h"

#include "ui/text/empty_journal.h"
#include "ui/text/format.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardlens {
namespace {

constexpr qint64 kProblemSlice = 4;    // ms per slice
constexpr EventId kAtATime = 16;       // events between two readings of the clock
constexpr qint64 kBetweenLists = 250;  // ms between two updates of the list during the search

}  // namespace

EventId eventAfter(const std::vector<EventId>& events, EventId position) {
  const auto next = std::upper_bound(events.begin(), events.end(), position);
  return next == events.end() ? 0 : *next;
}

EventId eventBefore(const std::vector<EventId>& events, EventId position) {
  const auto here = std::lower_bound(events.begin(), events.end(), position);
  return here == events.begin() ? 0 : *std::prev(here);
}

ProblemWatch::ProblemWatch(QObject* parent)
    : QObject(parent),
      journal_(&emptyJournal()),
      search_(std::make_unique<ProblemSearch>(*journal_)),
      problems_(std::make_shared<const std::vector<Problem>>()) {
  connect(&slices_, &QTimer::timeout, this, &ProblemWatch::searchSlice);
}

void ProblemWatch::setJournal(const Journal& journal, RunState run, std::vector<int> lost) {
  const bool isOther = std::exchange(journal_, &journal) != &journal;
  const bool hasEnded = std::exchange(run_, run) != run;
  const bool areOthersLost = std::exchange(lost_, std::move(lost)) != lost_;
  if (isOther) restart();
  search_->setLost(lost_);
  if (isOther || hasEnded || areOthersLost) {
    collect();
  }
  if (isSearching() && !slices_.isActive()) {
    slices_.start(0);
  }
}

void ProblemWatch::setNotation(view::Notation notation) {
  if (std::exchange(notation_, notation) == notation) {
    return;
  }
  restart();
  collect();
  if (isSearching()) {
    slices_.start(0);
  }
}

void ProblemWatch::setEnding(std::vector<Problem> ending) {
  if (std::exchange(ending_, std::move(ending)) != ending_) {
    collect();
  }
}

void ProblemWatch::restart() {
  search_ = std::make_unique<ProblemSearch>(*journal_, lost_, notation_);
  isPrepared_ = search_->prepare([] { return false; });
  since_.start();
}

void ProblemWatch::searchSlice() {
  QElapsedTimer slice;
  slice.start();
  const auto mayGoOn = [&] { return slice.elapsed() < kProblemSlice; };
  while (seen() < size() && mayGoOn()) {
    search_->look(kAtATime);
  }
  isPrepared_ = search_->prepare(mayGoOn);
  if (!isSearching()) {
    slices_.stop();
  }
  if (!isSearching() || since_.elapsed() >= kBetweenLists) {
    collect();
  }
}

void ProblemWatch::collect() {
  auto found = search_->problems(run_);
  inferred_ = search_->inferred(run_);
  for (const Problem& end : ending_) {
    const EventId last = end.events.empty() ? 0 : end.events.front();
    const auto isAfter = [last](const Problem& problem) {
      return problem.severity == Problem::Severity::Warning || problem.events.empty() ||
             problem.events.front() > last;
    };
    found.insert(std::find_if(found.begin(), found.end(), isAfter), end);
  }
  if (found != *problems_) {
    problems_ = std::make_shared<const std::vector<Problem>>(std::move(found));
    errors_ = static_cast<int>(std::count_if(
        problems_->begin(), problems_->end(),
        [](const Problem& problem) { return problem.severity == Problem::Severity::Error; }));
  }
  since_.start();
  Q_EMIT changed();
}

std::string ProblemWatch::suspectAt(EventId event) const {
  for (const Problem& problem : *problems_) {
    if (!problem.suspect.empty() && std::ranges::binary_search(problem.events, event)) {
      return problem.suspect;
    }
  }
  return {};
}

QString ProblemWatch::summary() const {
  QStringList parts;
  if (errors() > 0) {
    parts << countText(errors(), tr("error"), tr("errors"));
  }
  if (warnings() > 0) {
    parts << countText(warnings(), tr("warning"), tr("warnings"));
  }
  return parts.join(QStringLiteral(" · "));
}

EventId ProblemWatch::next(EventId position) const {
  EventId nearest = 0;
  for (const Problem& problem : *problems_) {
    const EventId event = eventAfter(problem.events, position);
    nearest = event != 0 && (nearest == 0 || event < nearest) ? event : nearest;
  }
  return nearest;
}

EventId ProblemWatch::previous(EventId position) const {
  EventId nearest = 0;
  for (const Problem& problem : *problems_) {
    nearest = std::max(nearest, eventBefore(problem.events, position));
  }
  return nearest;
}

}  // namespace shardlens
