#include "core/exports/page_data.h"

#include "core/base/json_text.h"
#include "core/exports/page_shards.h"
#include "core/model/step_number.h"
#include "core/trace/events/event_names.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/words/cache_lookup.h"
#include "core/view/words/detail_words.h"
#include "core/view/words/event_sentences.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace shardlens {
namespace {

using nlohmann::ordered_json;

constexpr EventId kMostEvents = 4000;
constexpr std::int64_t kMostCells = 400'000;

const char* toneName(view::Tone tone) {
  switch (tone) {
    case view::Tone::Quiet:
      return "quiet";
    case view::Tone::Good:
      return "good";
    case view::Tone::Warn:
      return "warn";
    case view::Tone::Bad:
      return "bad";
    case view::Tone::Strong:
      return "strong";
    case view::Tone::Traffic:
      return "traffic";
    case view::Tone::Value:
      return "value";
    case view::Tone::Plain:
      return "";
  }
  return "";
}

ordered_json spansOf(const view::StyledText& text) {
  ordered_json spans = ordered_json::array();
  for (const auto& span : text.spans)
    spans.push_back({view::truncated(span.text), toneName(span.tone)});
  return spans;
}

class PageData {
 public:
  PageData(const Journal& journal, EventId first, EventId last, view::Notation notation)
      : journal_(journal),
        first_(first),
        last_(std::min(last, first + kMostEvents - 1)),
        notation_(notation),
        sentences_(journal, notation),
        states_(journal),
        shards_(journal, last_) {
    if (last_ < last) {
      omissions_.push_back(fmt::format("Only events {} to {} of {}: a page has room for {}.",
                                       first_, last_, journal.size(), kMostEvents));
    }
  }

  ordered_json data() {
    for (EventId id = first_; id <= last_; ++id) take(id);
    return {
        {"title", titleText()},        {"about", aboutText()},       {"first", first_},
        {"start", startAt()},          {"total", journal_.size()},   {"omissions", omissions_},
        {"notes", notesOf()},          {"events", events_},          {"tensors", listOf(tensors_)},
        {"buffers", listOf(buffers_)}, {"entries", listOf(entries_)}};
  }

 private:
  using ById = std::map<std::uint32_t, ordered_json>;

  static ordered_json listOf(const ById& all) {
    ordered_json list = ordered_json::array();
    for (const auto& [id, one] : all) list.push_back(one);
    return list;
  }

  std::string titleText() const {
    const std::string title(journal_.meta("title"));
    if (!title.empty()) return title;
    const std::string imported(journal_.meta("imported"));
    return imported.empty() ? "A recording" : imported;
  }

  // Returns the position that the page opens at, which is also that of the window: the first error
  // or the first result that differs from plain torch, whichever is earlier, else the end.
  EventId startAt() const {
    EventId start = last_;
    for (const EventId id : {journal_.firstError(), journal_.firstDifference()}) {
      if (id >= first_) start = std::min(start, id);
    }
    return start;
  }

  std::string aboutText() const {
    // The folder is of no use to a reader on another machine.
    std::string text = std::filesystem::path(journal_.meta("path")).filename().string();
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (sentences_.mesh()) add("mesh " + view::axesText(*sentences_.mesh()));
    for (const char* key : {"backend", "masking", "emulate"}) {
      if (!journal_.meta(key).empty()) add(fmt::format("{} {}", key, journal_.meta(key)));
    }
    return text;
  }

  // Returns the notes of the scenario's steps, by step.
  ordered_json notesOf() const {
    ordered_json notes = ordered_json::array();
    const auto scenario = parsedJson(journal_.meta("scenario"), Comments::Allowed);
    if (!scenario.is_object()) return notes;
    for (const auto& step : scenario.value("steps", nlohmann::json::array())) {
      notes.push_back(textOf(step, "note"));
    }
    return notes;
  }

  void take(EventId id) {
    const Event event = journal_.at(id);
    const view::EventWords words = view::eventWords(journal_, id, notation_);
    ordered_json shown = {{"parent", event.parent},
                          {"step", stepNumber(event.step)},
                          {"kind", kindLabel(event.kind)},
                          {"title", words.title},
                          {"note", words.note},
                          {"tone", toneName(words.tone)},
                          {"text", spansOf(sentences_.text(id))}};
    if (event.line > 0) shown["line"] = event.line;
    const auto mark = journal_.bookmarks().find(id);
    if (mark != journal_.bookmarks().end()) shown["bookmark"] = mark->second;
    for (const auto& line : sentences_.more(id)) shown["more"].push_back(spansOf(line));
    for (const TensorId tensor : namedBy(id, event)) {
      shown["tensors"].push_back(tensor);
      addTensorState(tensor, id);
    }
    if (isOfMask(event.kind)) addMaskBuffer(event.subject, id);
    if (isOfCache(event.kind)) addCacheState(id, event);
    events_.push_back(std::move(shown));
  }

  std::vector<TensorId> namedBy(EventId id, const Event& event) const {
    std::vector<TensorId> named;
    for (const TensorId input : journal_.inputs(id)) named.push_back(input);
    if (event.kind == EventKind::Redistribute || event.kind == EventKind::Result ||
        event.kind == EventKind::Check) {
      named.push_back(event.subject);
    }
    if (event.kind == EventKind::MaskApplied) named.push_back(event.related);
    std::erase(named, 0U);
    return named;
  }

  // Adds a version of the tensor if it differs from the newest one.
  void addTensorState(TensorId id, EventId at) {
    const auto state = states_.at(at).tensor(id);
    if (!state) return;
    auto& shown = tensors_[id];
    if (shown.is_null()) {
      const TensorRecord tensor = journal_.tensor(id);
      shown = {{"id", id},
               {"name", view::tensorName(journal_, id)},
               {"text", view::tensorText(tensor)},
               {"placements", view::placedText(journal_, tensor, notation_)},
               {"born", state->born},
               {"versions", ordered_json::array()}};
    }
    auto& versions = shown["versions"];
    const ordered_json* before = versions.empty() ? nullptr : &versions.back();
    const bool isSame = before != nullptr && (*before)["changed"] == state->changed &&
                        (*before)["mask"] == state->mask && (*before)["buffer"] == state->buffer;
    if (isSame) return;
    ordered_json version = {{"at", std::max(before == nullptr ? state->born : at, state->born)},
                            {"changed", state->changed},
                            {"mask", state->mask},
                            {"buffer", state->buffer}};
    if (shards_.cells() < kMostCells) {
      version["shards"] = shards_.at(id, state->mask, at);
    } else if (!full_) {
      full_ = true;
      omissions_.push_back(fmt::format(
          "Values after event {} are left out: a page has room for {} elements.", at, kMostCells));
    }
    versions.push_back(std::move(version));
  }

  // Adds a version of the buffer, then updates all tensors, whose masks may have changed.
  void addMaskBuffer(BufferId id, EventId at) {
    const auto state = states_.at(at).buffer(id);
    if (!state) return;
    auto& shown = buffers_[id];
    if (shown.is_null()) {
      shown = {{"id", id}, {"versions", ordered_json::array()}};
      if (state->mask != 0) shown["shards"] = shards_.at(state->mask, 0, at);
    }
    shown["versions"].push_back(
        {{"at", at}, {"refcount", state->refcount}, {"holders", view::holdersText(*state)}});
    for (auto& [tensor, unused] : tensors_) addTensorState(tensor, at);
  }

  void addCacheState(EventId id, const Event& event) {
    const bool isMade = event.kind == EventKind::CacheLookup && event.verdict != Verdict::Hit;
    if (isMade && event.count == 0) return;  // the result is not cached
    const EventId made = isMade ? id : event.subject;
    if (made == 0) return;
    auto& entry = entries_[made];
    if (entry.is_null()) {
      entry = {{"cache", journal_.name(event)},
               {"key", view::truncated(view::placedKey(journal_, made, notation_))},
               {"made", made},
               {"hits", ordered_json::array()}};
    }
    if (event.kind == EventKind::CacheEvicted) {
      entry["gone"] = id;
    } else if (!isMade) {
      entry["hits"].push_back(id);
    }
  }

  const Journal& journal_;
  EventId first_;
  EventId last_;
  view::Notation notation_;
  view::EventSentences sentences_;
  StateIndex states_;
  PageShards shards_;
  bool full_ = false;
  ordered_json omissions_ = ordered_json::array();
  ordered_json events_ = ordered_json::array();
  ById tensors_, buffers_, entries_;
};

}  // namespace

ordered_json pageData(const Journal& journal, EventId first, EventId last,
                      view::Notation notation) {
  return PageData(journal, first, last, notation).data();
}

}  // namespace shardlens
