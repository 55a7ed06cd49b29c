#pragma once

#include "app/cli/ink.h"
#include "core/trace/journal/journal.h"
#include "core/view/event_sentences.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::cli {

// A run as a person reads it: a paragraph a step, a line an event, what lies inside of another
// indented under it. It knows nothing but the journal, so a live run and a recording read the same.
class Account {
 public:
  Account(const Journal& journal, Ink ink) : journal_(journal), ink_(ink) {}

  // The events that came since the last call; before the first of them, what is being run.
  std::string news();
  // One of them, and those around it; what has been told before is left out.
  std::string told(EventId id);
  // What the run came to.
  std::string summary() const;

 private:
  std::string head();
  std::string stepLines(const Event& event) const;
  std::string eventLine(EventId id) const;
  std::string bookmarkLine(EventId id, std::size_t indent) const;
  int depthOf(const Event& event) const;
  std::string putInText(std::int64_t bytes) const;
  std::string checkSummary() const;

  const Journal& journal_;
  Ink ink_;
  std::optional<view::EventSentences> sentences_;
  std::vector<std::string> notes_;  // the scenario's, a step each
  EventId told_ = 0;
};

}  // namespace shardlens::cli
