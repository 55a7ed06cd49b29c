#pragma once

#include "app/cli/ink.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/event_sentences.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::cli {

// The text of a run for users: one paragraph per step, one line per event, nested events indented.
// Reads only the journal, so a live run and a recording give the same text. Keeps a reference to
// the journal.
class Account {
 public:
  Account(const Journal& journal, Ink ink, view::Notation notation = view::Notation::DTensor)
      : journal_(journal), ink_(ink), notation_(notation) {}

  // Returns the text of the events since the last call. The first call starts with a header of the
  // run.
  std::string newText();
  // Returns the text of event `id`, preceded by its ancestors that were not printed yet. Empty if
  // `id` is not above the last printed event: pass ascending ids.
  std::string textWithParents(EventId id);
  // Returns the totals of the run: steps, collectives, bytes, cache hits and checks. Reads the
  // whole journal. Names the hosted ranks only after the first text.
  std::string summary() const;

 private:
  std::string head();
  std::string stepLines(const Event& event) const;
  std::string eventLine(EventId id) const;
  std::string bookmarkLine(EventId id, std::size_t indent) const;
  int depthOf(const Event& event) const;
  std::string sentBytesText(std::int64_t bytes) const;
  std::string checkSummary() const;

  const Journal& journal_;
  Ink ink_;
  view::Notation notation_;
  std::optional<view::EventSentences> sentences_;
  std::vector<std::string> notes_;  // the note of each step of the scenario
  EventId printed_ = 0;             // the last printed event
};

}  // namespace shardlens::cli
