#include "core/exports/html_page.h"

#include "core/base/json_text.h"
#include "core/exports/page_data.h"
#include "core/exports/step_events.h"
#include "core/exports/templates.h"

#include <ostream>

namespace shardlens {
namespace {

// Escapes '<', so that no recorded text can close the <script> element.
std::string inScript(const std::string& json) {
  std::string text;
  for (const char letter : json) {
    text += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
  }
  return text;
}

}  // namespace

Result<void> writeHtmlPage(const Journal& journal, std::optional<int> step, std::ostream& out,
                           view::Notation notation) {
  if (journal.size() == 0) return fail("page: the recording has no events");
  StepEvents events{.first = 1, .last = journal.size()};
  if (step) {
    const auto found = stepEvents(journal, *step);
    if (!found) return tl::unexpected(found.error());
    events = *found;
  }
  out << filled(
      kPageTemplate,
      {{"@style@", std::string(kPageStyle)},
       {"@data@", inScript(jsonText(pageData(journal, events.first, events.last, notation)))},
       {"@script@", std::string(kPageScript)}});
  return {};
}

}  // namespace shardlens
