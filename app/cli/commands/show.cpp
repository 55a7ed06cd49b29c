#include "app/cli/account.h"
#include "app/cli/commands.h"
#include "app/cli/event_rows.h"
#include "app/cli/output.h"
#include "core/base/json_text.h"
#include "core/query/event_filter.h"
#include "core/trace/merge/trace_reader.h"
#include "core/view/snapshot_text.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace shardlens::cli {

namespace {

// The values that an event made, as those of a snapshot.
std::string madeValues(const Journal& journal, EventId id) {
  const Event event = journal.at(id);
  const bool hasMade = event.kind == EventKind::Result && event.subject != 0;
  return hasMade ? view::valuesText(journal, event.subject, id) : std::string();
}

}  // namespace

int show(const ShowOptions& options) {
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  const auto query = parseQuery(options.filter);
  if (!query) return unusable("--filter: " + underlined(options.filter, query.error()));
  const EventFilter filter(journal, *query);
  Account account(journal, Ink::forTerminal());
  bool any = false;
  for (EventId id = 0; (id = filter.next(id)) != 0; any = true) {
    if (options.output == Output::Json) {
      std::cout << jsonText(eventJson(journal, id)) << '\n';
      continue;
    }
    std::cout << account.told(id);
    if (options.values) std::cout << madeValues(journal, id);
  }
  if (query->empty() && any && options.output == Output::Words) std::cout << account.summary();
  const bool leftOut = sayLeftOut((*reader)->leftOut());
  return finishOutput(any && !leftOut ? kAllRan : kRefused);
}

}  // namespace shardlens::cli
