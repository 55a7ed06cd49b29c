#include "core/trace/file/slice_loader.h"

#include "core/model/step_ranges.h"
#include "core/trace/events/event_references.h"
#include "core/trace/file/checked_rows.h"
#include "core/trace/records/limits_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace shardlens {
namespace {

std::string limitOf(const std::vector<RankRange>& steps) {
  const bool isOne = steps.size() == 1 && steps.front().first == steps.front().last;
  return fmt::format("only step{} {} {} opened: what earlier steps made is unknown",
                     isOne ? "" : "s", stepRangesText(steps), isOne ? "was" : "were");
}

}  // namespace

SliceLoader::SliceLoader(Database& database, const std::vector<RankRange>& steps, StepSlice& into)
    : database_(database),
      steps_(steps),
      into_(into),
      meta_(database, "SELECT key, value FROM meta"),
      strings_(database, "SELECT text FROM strings WHERE id = ?"),
      specs_(database, "SELECT id, dtype, shape, placements, mesh FROM specs WHERE id = ?"),
      routes_(database, "SELECT id, placements FROM routes WHERE id = ?"),
      tensors_(database,
               "SELECT first, count, records FROM tensor_blocks WHERE first <= ?"
               " ORDER BY first DESC LIMIT 1"),
      block_(database, "SELECT count, records FROM blocks WHERE first = ?"),
      bookmarks_(database, "SELECT event, note FROM bookmarks ORDER BY event") {}

void SliceLoader::load(const Progress& progress) {
  Transaction transaction(database_);
  loadMeta();
  blocks_ = database_.integer("SELECT coalesce(max(first), 0) FROM blocks") / kBlockEvents;
  blocks_ += database_.integer("SELECT count(*) FROM (SELECT 1 FROM blocks LIMIT 1)");
  std::int64_t next = 0;
  for (const auto& [first, last] : steps_) {
    next = std::max(next, firstBlockOf(first));
    for (bool isAfter = false; next < blocks_ && !isAfter; ++next) {
      if (progress) progress(static_cast<double>(next) / static_cast<double>(blocks_));
      readBlock(next);
      isAfter = std::ranges::none_of(unpacked_.events,
                                     [last = last](const Event& event) {
                                       return event.step <= last && event.step >= 0;
                                     }) &&
                std::ranges::any_of(unpacked_.events, [last = last](const Event& event) {
                  return event.step > last;
                });
      takeBlock();
    }
  }
  into_.hasLater |= next < blocks_;
  loadBookmarks();
  findValues();
  transaction.commit();
}

void SliceLoader::loadMeta() {
  const Statement::Rows rows(meta_);
  std::string limits = limitOf(steps_);
  while (meta_.step()) {
    const auto key = meta_.text(0);
    if (key == kEndedKey) into_.isClosed = true;
    if (key == kLimitsKey) limits += "\n" + std::string(meta_.text(1));
    if (!isOfFile(key)) into_.journal.onMeta(key, meta_.text(1));
  }
  into_.journal.onMeta(kLimitsKey, limits);
}

void SliceLoader::loadBookmarks() {
  const Statement::Rows rows(bookmarks_);
  while (bookmarks_.step()) {
    const EventId id = into_.ids.eventOf(bookmarkedAt(bookmarks_));
    if (id != 0) into_.journal.onBookmark(id, bookmarks_.text(1));
  }
}

// The values of a step are written before those of later steps.
void SliceLoader::findValues() {
  const EventId events = into_.ids.events();
  if (events == 0) return;
  const std::int64_t all = database_.integer("SELECT coalesce(max(id), 0) FROM shard_values");
  if (all == 0) return;
  Statement value(database_, "SELECT event FROM shard_values WHERE id = ?");
  into_.firstValue = firstValueAfter(value, into_.ids.ownEventOf(1) - 1, all);
  into_.lastValue = firstValueAfter(value, into_.ids.ownEventOf(events), all);
}

std::int64_t SliceLoader::firstValueAfter(Statement& value, EventId own, std::int64_t all) {
  std::int64_t least = 0, most = all;
  while (least < most) {
    const std::int64_t middle = least + (most - least) / 2;
    const Statement::Rows rows(value);
    value.bind(1, middle + 1);
    if (value.step() && value.integer(0) > own) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

void SliceLoader::readBlock(std::int64_t number) {
  if (read_ == number) return;
  const std::int64_t first = number * kBlockEvents + 1;
  const Statement::Rows rows(block_);
  if (first > std::numeric_limits<EventId>::max() || !block_.bind(1, first).step()) {
    damaged(fmt::format("the block of event {} is missing", first));
  }
  unpackAt(block_, static_cast<EventId>(first), unpacked_);
  read_ = number;
}

// Returns the greatest step of the block; if it has none, that of the closest block before which
// has one. Returns -1 if no block from `least` on has one.
int SliceLoader::stepUpTo(std::int64_t number, std::int64_t least) {
  for (; number >= least; --number) {
    readBlock(number);
    const auto last = std::ranges::max_element(unpacked_.events, {}, &Event::step);
    if (last->step >= 0) return last->step;
  }
  return -1;
}

// Returns the number of the first block that may have events of this step or a later one. Reads the
// last block first, to know the range of steps. The next guesses assume that all steps have as many
// events; further ones halve the range. If the last block has only earlier steps, all guesses halve
// it, because that block may have events that were recorded late.
std::int64_t SliceLoader::firstBlockOf(int step) {
  constexpr int kGuesses = 6;
  std::int64_t least = 0, most = blocks_;
  // The greatest step before block `least`, and that of block `most`; -1: unknown.
  int before = -1, last = -1;
  for (int guess = 0; least < most; ++guess) {
    std::int64_t number = least + (most - least) / 2;
    if (guess == 0) {
      number = most - 1;
    } else if (guess < kGuesses && last >= 0) {
      const double part =
          (static_cast<double>(step) - before) / (static_cast<double>(last) - before);
      number = least - 1 + static_cast<std::int64_t>(part * static_cast<double>(most - least + 1));
      number = std::clamp(number, least, most - 1);
    }
    const int its = stepUpTo(number, least);
    if (its >= step) {
      most = number;
      last = its;
    } else if (guess != 0) {
      least = number + 1;
      before = std::max(before, its);
    }
  }
  return least;
}

void SliceLoader::takeBlock() {
  unpacked_.forEach([this](EventId own, const Event& event, std::span<const TensorId> inputs) {
    if (contains(steps_, event.step)) {
      take(own, event, inputs);
    } else if (event.step > steps_.back().last) {
      into_.hasLater = true;
    }
  });
}

void SliceLoader::take(EventId own, Event event, std::span<const TensorId> inputs) {
  checkFields(own, event);
  into_.ids.addEvent(own);
  const auto reference = [&](std::uint32_t id, Reference to) {
    if (to == Reference::Event && id >= own) missingEntry(own);
    if (to == Reference::Event) return into_.ids.eventOf(id);
    return to == Reference::Tensor ? tensorOf(id) : id;
  };
  event.subject = reference(event.subject, subjectOf(event.kind));
  event.related = reference(event.related, relatedOf(event.kind));
  if (event.kind == EventKind::Result && event.subject == 0) missingEntry(own);
  if (isOfCache(event.kind) && event.subject != 0 && !isLookup_[event.subject]) missingEntry(own);
  isLookup_.resize(into_.ids.events() + 1);
  isLookup_.back() = event.kind == EventKind::CacheLookup;
  const auto count = static_cast<std::uint32_t>(event.count);
  event.count = static_cast<std::int32_t>(reference(count, countOf(event.kind)));
  event.parent = into_.ids.eventOf(event.parent);
  for (StringId Event::*text :
       {&Event::name, &Event::detail, &Event::ranks, &Event::site, &Event::device, &Event::group}) {
    event.*text = textOf(event.*text);
  }
  event.route = routeOf(event.route);
  inputs_.clear();
  for (const TensorId input : inputs) inputs_.push_back(tensorOf(input));
  into_.journal.onEvent(into_.ids.events(), event, inputs_);
}

StringId SliceLoader::textOf(StringId own) {
  const auto [known, isNew] = texts_.try_emplace(own, 0);
  if (own == 0 || !isNew) return known->second;
  const Statement::Rows rows(strings_);
  if (!strings_.bind(1, std::int64_t{own}).step()) damaged(fmt::format("text {} is missing", own));
  known->second = into_.journal.strings() + 1;
  into_.journal.onString(known->second, strings_.text(0));
  return known->second;
}

SpecId SliceLoader::specOf(SpecId own) {
  const auto [known, isNew] = specIds_.try_emplace(own, 0);
  if (!isNew) return known->second;
  const Statement::Rows rows(specs_);
  if (!specs_.bind(1, std::int64_t{own}).step()) damaged(fmt::format("spec {} is missing", own));
  known->second = into_.journal.specs() + 1;
  into_.journal.onSpec(known->second, specAt(specs_, own));
  return known->second;
}

RouteId SliceLoader::routeOf(RouteId own) {
  const auto [known, isNew] = routeIds_.try_emplace(own, 0);
  if (own == 0 || !isNew) return known->second;
  const Statement::Rows rows(routes_);
  if (!routes_.bind(1, std::int64_t{own}).step()) damaged(fmt::format("route {} is missing", own));
  known->second = into_.journal.routes() + 1;
  into_.journal.onRoute(known->second, routeAt(routes_, own));
  return known->second;
}

TensorId SliceLoader::tensorOf(TensorId own) {
  if (own == 0) return 0;
  if (const TensorId known = into_.ids.tensorOf(own); known != 0) return known;
  auto& [first, block] = tensorBlock_;
  if (own < first || own - first >= block.size()) {
    const Statement::Rows rows(tensors_);
    if (!tensors_.bind(1, std::int64_t{own}).step()) {
      damaged(fmt::format("tensor {} is missing", own));
    }
    block = tensorsAt(tensors_);
    first = static_cast<TensorId>(std::max<std::int64_t>(tensors_.integer(0), 1));
    if (own - first >= block.size()) damaged(fmt::format("tensor {} is missing", own));
  }
  const PackedTensor tensor = block[own - first];
  const StringId name = textOf(tensor.name);
  const SpecId spec = specOf(tensor.spec);
  into_.ids.addTensor(own);
  const TensorId id = into_.journal.tensors() + 1;
  into_.journal.onTensor(id, name, spec);
  return id;
}

}  // namespace shardlens
