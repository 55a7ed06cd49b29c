#include "core/imports/formats/comm_debug_mode.h"

#include "core/imports/collectives.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/plain_value.h"
#include "core/imports/placement_texts.h"

#include <algorithm>
#include <map>
#include <optional>

namespace shardlens {

namespace {

using Counts = std::map<CollectiveKind, std::int64_t>;  // number of collectives

// Returns collectiveOf() for "c10d_functional.all_reduce" or "_c10d_functional.all_reduce.default";
// nullopt for other operators. Names that do not begin with "c10d" or "_c10d" are other operators.
std::optional<CollectiveKind> functionalCollective(std::string_view name) {
  if (name.find("c10d") > 1) return std::nullopt;
  name.remove_prefix(std::min(name.find('.') + 1, name.size()));
  return collectiveOf(name.substr(0, name.find('.')));
}

// Reads the tree of modules and adds its events.
class CommModules {
 public:
  CommModules(JsonReader& json, ImportedRank& rank) : json_(json), rank_(rank) {}

  // Numbers of collectives in a module and its children, by direction.
  struct Both {
    Counts forward, backward;
  };
  // Reads one module and returns all its counts. `parent` is the enclosing module's event, or 0.
  Both read(EventId parent);

 private:
  struct Module {
    std::string name;
    EventId event = 0;
  };
  Counts counts();
  Counts operators(const Module& module, const char* pass);
  void addOperator(const Module& module, const PlainValue& call, const char* pass);
  void addCollective(const Module& module, CollectiveKind kind, const char* pass);
  // Adds a Collective for each call in `all` that is not in `known`.
  void addRest(const Module& module, const Counts& all, const Counts& known, const char* pass);

  JsonReader& json_;
  ImportedRank& rank_;
  std::int64_t counted_ = 0;  // collectives added from counts alone; limited to a million
};

void addTo(Counts& sum, const Counts& more) {
  for (const auto& [kind, count] : more) sum[kind] += count;
}

CommModules::Both CommModules::read(EventId parent) {
  Module module;
  Both all, known;
  json_.object([&](std::string_view key) {
    if (key == "fqn") {
      module.name = json_.text();
      Event event;
      event.kind = EventKind::Operator;
      event.parent = parent;
      event.name = rank_.intern(module.name);
      module.event = rank_.add(event);
    } else if (module.event == 0) {
      json_.refuse("the member fqn before, and its name");
    } else if (key == "children") {
      json_.list([&] {
        const Both child = read(module.event);
        addTo(known.forward, child.forward);
        addTo(known.backward, child.backward);
      });
    } else if (key == "collectives_forward") {
      all.forward = counts();
    } else if (key == "collectives_backward") {
      all.backward = counts();
    } else if (key == "operations_forward") {
      addTo(known.forward, operators(module, "forward"));
    } else if (key == "operations_backward") {
      addTo(known.backward, operators(module, "backward"));
    } else {
      json_.skip();
    }
  });
  // At lower noise levels the dump omits operators but still counts their collectives.
  addRest(module, all.forward, known.forward, "forward");
  addRest(module, all.backward, known.backward, "backward");
  return all;
}

// Reads [["c10d_functional.all_reduce", 2]].
Counts CommModules::counts() {
  Counts counts;
  json_.list([&] {
    const std::string where = json_.where();
    const PlainValue one = readPlain(json_);
    if (one.list().size() != 2) refuseDump(where, "another value", "a name and a count");
    const auto collective = functionalCollective(one.list()[0].text());
    auto& count = counts[collective.value_or(CollectiveKind::Other)];
    if (__builtin_add_overflow(count, one.list()[1].integer(), &count)) {
      refuseDump(where, "a count beyond 64 bits", "one of calls");
    }
  });
  counts.erase(CollectiveKind::Other);
  return counts;
}

// Adds the module's operators and collectives. Returns the numbers of collectives.
Counts CommModules::operators(const Module& module, const char* pass) {
  Counts collectives;
  json_.list([&] {
    const PlainValue call = readPlain(json_);
    const auto collective = functionalCollective(call["name"].text());
    if (!collective) return addOperator(module, call, pass);
    addCollective(module, *collective, pass);
    ++collectives[*collective];
  });
  return collectives;
}

void CommModules::addOperator(const Module& module, const PlainValue& call, const char* pass) {
  Event event;
  event.kind = EventKind::Operator;
  event.parent = module.event;
  event.name = rank_.intern(operatorName(call["name"].text()));
  event.site = rank_.intern(siteText({.module = module.name, .pass = pass}));
  const EventId id = rank_.add(event);
  CandidateRecord ran;
  for (const auto& placements : call["input_sharding"].list()) {
    ran.inputs.push_back(shortPlacements(placements.text()));
  }
  if (!ran.inputs.empty()) rank_.addStrategy(id, std::move(ran));
}

void CommModules::addCollective(const Module& module, CollectiveKind kind, const char* pass) {
  Event event;
  event.kind = EventKind::Collective;
  event.parent = module.event;
  event.subkind = static_cast<std::uint8_t>(kind);
  event.site = rank_.intern(siteText({.module = module.name, .pass = pass}));
  rank_.add(event);
}

void CommModules::addRest(const Module& module, const Counts& all, const Counts& known,
                          const char* pass) {
  constexpr std::int64_t kMost = 1'000'000;
  for (const auto& [kind, count] : all) {
    const auto inner = known.find(kind);
    const std::int64_t rest = std::max<std::int64_t>(
        0, count - std::min(count, inner == known.end() ? 0 : inner->second));
    if (rest > kMost - counted_) json_.refuse("counts of at most a million before");
    counted_ += rest;
    for (std::int64_t i = 0; i < rest; ++i) addCollective(module, kind, pass);
  }
}

}  // namespace

void importCommDebugMode(ByteSource& source, ImportedRank& rank) {
  JsonReader json(source);
  CommModules(json, rank).read(0);
  json.end();
}

}  // namespace shardlens
