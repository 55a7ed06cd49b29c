#include "core/query/language/event_tests.h"

#include "core/model/step_number.h"
#include "core/query/language/event_around.h"
#include "core/query/language/interval.h"
#include "core/query/language/query_fields.h"
#include "core/query/language/rank_tests.h"
#include "core/query/language/text_tests.h"
#include "core/trace/events/event_names.h"
#include "core/trace/merge/merged_parts.h"
#include "core/trace/records/site_record.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <unordered_map>

namespace shardlens {

namespace {

using Test = EventFilter::Test;

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}
bool contains(std::string_view text, std::string_view part) {
  const auto isSame = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), isSame) != text.end();
}
bool containsAny(std::string_view text, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return contains(text, part); });
}

Test textContains(const Journal& journal, StringId Event::*field, const Term& term) {
  return testOfText(journal, field, [values = term.values](std::string_view text) {
    return containsAny(text, values);
  });
}

Test ofGroup(const Journal& journal, const Term& term) {
  const auto is = [&journal, values = term.values](StringId id) {
    return id != 0 && containsAny(journal.text(id), values);
  };
  return [&journal, once = Once(is)](EventId, const Event& event) mutable {
    return once(groupOf(journal, event));
  };
}

// Tests the name of the event with `predicate`, once per name.
template <class Predicate>
Test ofName(const Journal& journal, Predicate predicate) {
  const auto ofText = [&journal, predicate](StringId id) { return predicate(journal.text(id)); };
  const auto ofRoute = [&journal, predicate](RouteId id) {
    return predicate(journal.routeText(id));
  };
  const auto ofSubkind = [&journal, predicate](std::uint32_t kindAndSubkind) {
    Event event;
    event.kind = static_cast<EventKind>(kindAndSubkind >> 8U);
    event.subkind = static_cast<std::uint8_t>(kindAndSubkind & 0xffU);
    return event.subkind != 0 && predicate(journal.name(event));
  };
  return [text = Once(ofText), route = Once(ofRoute), subkind = Once(ofSubkind)](
             EventId, const Event& event) mutable {
    if (event.name != 0) return text(event.name);
    if (event.route != 0) return route(event.route);
    return subkind(static_cast<std::uint32_t>(event.kind) << 8U | event.subkind);
  };
}

// Compares number(id, event) with the term's intervals. nullopt does not match.
template <class Number>
Test compared(const Term& term, Number number) {
  return [all = intervals(term, *findField(term.field)), number](EventId id, const Event& event) {
    const std::optional<std::int64_t> got = number(id, event);
    return got && std::any_of(all.begin(), all.end(), [&](const Interval& interval) {
             return interval.has(static_cast<double>(*got));
           });
  };
}

using MaybeNumber = std::optional<std::int64_t>;

// Returns true if `use` is true for a tensor of the event: its subject or an operator's inputs.
template <class Use>
bool anyTensor(const Journal& journal, EventId id, const Event& event, const Use& use) {
  const bool hasSubject = !isOfMask(event.kind) && !isOfCache(event.kind);
  if (hasSubject && event.subject != 0 && event.subject <= journal.tensors() &&
      use(event.subject)) {
    return true;
  }
  if (event.inputs == 0) return false;
  const auto inputs = journal.inputs(id);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](TensorId tensor) { return tensor != 0 && use(tensor); });
}

template <class Predicate>
Test ofTensorName(const Journal& journal, Predicate predicate) {
  const auto is = [&journal, predicate](StringId name) { return predicate(journal.text(name)); };
  return [&journal, once = Once(is)](EventId id, const Event& event) mutable {
    return anyTensor(journal, id, event,
                     [&](TensorId tensor) { return once(journal.nameOf(tensor)); });
  };
}

template <class Predicate>
Test ofSpec(const Journal& journal, Predicate predicate) {
  const auto is = [&journal, predicate](SpecId spec) { return predicate(journal.spec(spec)); };
  return [&journal, once = Once(is)](EventId id, const Event& event) mutable {
    return anyTensor(journal, id, event,
                     [&](TensorId tensor) { return once(journal.specOf(tensor)); });
  };
}

Test ofPlacement(const Journal& journal, const Term& term) {
  const auto isOneOf = [values = term.values](const Placement& placement) {
    const std::string text = toText(placement);
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return text == value || text.starts_with(value + "(");
    });
  };
  return ofSpec(journal, [isOneOf](const Spec& spec) {
    return std::any_of(spec.placements.begin(), spec.placements.end(), isOneOf);
  });
}

Test ofDType(const Journal& journal, const Term& term) {
  return ofSpec(journal, [values = term.values](const Spec& spec) {
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return value == dtypeName(spec.meta.dtype) || value == dtypeShortName(spec.meta.dtype);
    });
  });
}

template <class Part>
Test ofSite(const Journal& journal, const Term& term, Part part) {
  return testOfText(journal, &Event::site, [values = term.values, part](std::string_view text) {
    return containsAny(part(readSite(text)), values);
  });
}

// Returns an event's line: in the scenario, else in the user's source.
class SiteLines {
 public:
  explicit SiteLines(const Journal& journal) : journal_(&journal) {}
  int of(const Event& event) {
    if (event.line != 0 || event.site == 0) return event.line;
    const auto [place, isNew] = known_.try_emplace(event.site);
    if (isNew) place->second = readSite(journal_->text(event.site)).line;
    return place->second;
  }

 private:
  const Journal* journal_;
  std::unordered_map<StringId, int> known_;
};

// Tests the innermost operator around the event, or the event itself. Caches it for consecutive
// events of one parent.
Test ofOperator(const Journal& journal, const Term& term) {
  const auto is = [&journal, values = term.values](StringId name) {
    return containsAny(journal.text(name), values);
  };
  return [&journal, once = Once(is), parent = EventId{0}, name = StringId{0}](
             EventId, const Event& event) mutable {
    if (event.kind == EventKind::Operator) return once(event.name);
    if (event.parent == 0) return false;
    if (event.parent != parent) {
      parent = event.parent;
      const EventId call = aroundOf(journal, parent, EventKind::Operator);
      name = call == 0 ? 0 : journal.at(call).name;
    }
    return name != 0 && once(name);
  };
}

Test ofAxis(const Journal& journal, const Term& term) {
  return [axes = Axes(journal), values = term.values](EventId, const Event& event) mutable {
    return event.kind == EventKind::Collective && std::ranges::count(values, axes.of(event)) > 0;
  };
}

Test ofCache(const Journal& journal, const Term& term) {
  return [&journal, values = term.values](EventId, const Event& event) {
    if (!isOfCache(event.kind)) return false;
    const std::string_view outcome =
        event.kind == EventKind::CacheEvicted ? "Evicted" : verdictName(event.verdict);
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return value == journal.name(event) || (contains(outcome, value) && !outcome.empty());
    });
  };
}

Test ofKind(const Term& term) {
  std::uint32_t kinds = 0;
  for (int kind = 0; kind < kEventKinds; ++kind) {
    const auto label = kindLabel(static_cast<EventKind>(kind));
    if (std::find(term.values.begin(), term.values.end(), label) != term.values.end()) {
      kinds |= 1U << kind;
    }
  }
  return [kinds](EventId, const Event& event) {
    return (kinds >> static_cast<unsigned>(event.kind) & 1U) != 0;
  };
}

// Looks up more events if the journal has grown.
Test ofNans(const Journal& journal) {
  return [&journal, events = journal.values().eventsWithNans(0, journal.size()),
          known = journal.size()](EventId id, const Event&) mutable {
    if (id > known) {
      const auto more = journal.values().eventsWithNans(known, journal.size());
      events.insert(events.end(), more.begin(), more.end());
      known = journal.size();
    }
    return std::binary_search(events.begin(), events.end(), id);
  };
}

// Searches a word in the event's kind, verdict and name, and in its tensors' names, placements and
// dtypes.
Test ofWord(const Journal& journal, const std::string& word) {
  std::uint32_t kinds = 0, verdicts = 0;
  for (int kind = 0; kind < kEventKinds; ++kind) {
    if (contains(kindLabel(static_cast<EventKind>(kind)), word)) kinds |= 1U << kind;
  }
  for (int verdict = 1; verdict < kVerdicts; ++verdict) {
    if (contains(verdictName(static_cast<Verdict>(verdict)), word)) verdicts |= 1U << verdict;
  }
  const auto matches = [word](std::string_view text) { return contains(text, word); };
  return [kinds, verdicts, inName = ofName(journal, matches),
          inTensor = ofTensorName(journal, matches),
          inSpec = ofSpec(journal, [matches](const Spec& spec) {
            return matches(toText(spec.placements)) || matches(dtypeShortName(spec.meta.dtype));
          })](EventId id, const Event& event) {
    return (kinds >> static_cast<unsigned>(event.kind) & 1U) != 0 ||
           (verdicts >> static_cast<unsigned>(event.verdict) & 1U) != 0 || inName(id, event) ||
           inTensor(id, event) || inSpec(id, event);
  };
}

Test fieldTest(const Journal& journal, const Term& term, Field field) {
  switch (field) {
    case Field::Axis:
      return ofAxis(journal, term);
    case Field::Buffer:
      return compared(term, [](EventId, const Event& event) {
        return isOfMask(event.kind) ? MaybeNumber(event.subject) : std::nullopt;
      });
    case Field::Bytes:
      return compared(term, [&journal](EventId id, const Event& event) {
        if (event.kind == EventKind::Redistribute) return MaybeNumber(bytesInside(journal, id));
        return isOfCache(event.kind) ? std::nullopt : MaybeNumber(event.bytes);
      });
    case Field::Cache:
      return ofCache(journal, term);
    case Field::Device:
      return textContains(journal, &Event::device, term);
    case Field::DType:
      return ofDType(journal, term);
    case Field::Exposed:
      return compared(term, [](EventId, const Event& event) {
        return event.exposed != 0 ? MaybeNumber(event.exposed) : std::nullopt;
      });
    case Field::File:
      return ofSite(journal, term, [](const SiteRecord& site) { return site.file; });
    case Field::Group:
      return ofGroup(journal, term);
    case Field::Id:
      return compared(term, [](EventId id, const Event&) { return MaybeNumber(id); });
    case Field::Kind:
      return ofKind(term);
    case Field::Line:
      return compared(term,
                      [lines = std::make_shared<SiteLines>(journal)](EventId, const Event& event) {
                        return MaybeNumber(lines->of(event));
                      });
    case Field::Module:
      return ofSite(journal, term, [](const SiteRecord& site) { return site.module; });
    case Field::Name:
      return ofName(journal, [values = term.values](std::string_view name) {
        return containsAny(name, values);
      });
    case Field::Op:
      return ofOperator(journal, term);
    case Field::Pass:
      return ofSite(journal, term, [](const SiteRecord& site) { return site.pass; });
    case Field::Placement:
      return ofPlacement(journal, term);
    case Field::Rank:
      return testOfRanks(journal, term);
    case Field::Refcount:
      return compared(term, [](EventId, const Event& event) {
        return isOfMask(event.kind) ? MaybeNumber(event.count) : std::nullopt;
      });
    case Field::Role:
      return testOfRoles(journal, term);
    case Field::Sequence:
      return compared(term, [](EventId, const Event& event) {
        return event.sequence != 0 ? MaybeNumber(event.sequence) : std::nullopt;
      });
    case Field::Step:
      return compared(
          term, [](EventId, const Event& event) { return MaybeNumber(stepNumber(event.step)); });
    case Field::Tensor:
      return ofTensorName(journal, [values = term.values](std::string_view name) {
        return std::find(values.begin(), values.end(), name) != values.end();
      });
    case Field::Time:
      return compared(term, [](EventId, const Event& event) {
        return event.duration != Event::kRunning ? MaybeNumber(event.duration) : std::nullopt;
      });
  }
  return {};
}

}  // namespace

EventFilter::Test makeEventTest(const Journal& journal, const Term& term) {
  if (!term.field.empty()) return fieldTest(journal, term, findField(term.field)->field);
  const std::string& word = term.values.front();
  if (word == kNan) return ofNans(journal);
  if (word == kDiverged) return testOfDivergences(journal);
  if (word == kRunning) {
    return [](EventId, const Event& event) { return event.duration == Event::kRunning; };
  }
  return ofWord(journal, word);
}

EventFilter::BlockTest makeBlockTest(const Term& term, const EventFilter::Test& test) {
  const FieldInfo* field = findField(term.field);
  if (field == nullptr || term.isNot) return nullptr;
  if (field->field == Field::Step) {
    return [test](const BlockSummary& block) {
      constexpr std::int64_t kFew = 64;  // beyond so many steps the block is not excluded
      if (std::int64_t{block.greatestStep} - block.leastStep > kFew) return true;
      for (std::int32_t step = block.leastStep; step <= block.greatestStep; ++step) {
        Event event;
        event.step = step;
        if (test(0, event)) return true;
      }
      return false;
    };
  }
  if (field->field == Field::Kind) {
    std::uint32_t accepted = 0;
    for (int kind = 0; kind < kEventKinds; ++kind) {
      Event event;
      event.kind = static_cast<EventKind>(kind);
      if (test(0, event)) accepted |= std::uint32_t{1} << static_cast<unsigned>(kind);
    }
    return [accepted](const BlockSummary& block) { return (block.kinds & accepted) != 0; };
  }
  return nullptr;
}

}  // namespace shardlens
