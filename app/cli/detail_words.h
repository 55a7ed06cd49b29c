#pragma once

#include <string>
#include <string_view>

namespace shardlens::cli {

// Words for the texts that stand in a journal as JSON or in a notation. What is missing in them
// (an older recording, another program's) is left out of the words.

std::string timesText(int count);                    // "once", "3 times"
std::string groupsText(std::string_view ranks);      // "0,1|2,3" -> "{0,1} {2,3}", not all of many
std::string argumentsText(std::string_view detail);  // of an operator: "(w: f32[10, 3](S(0)))"
std::string missText(std::string_view detail);       // why a look-up found nothing
std::string chosenText(std::string_view detail);     // " (S(0), R) -> P(sum), moves 96 bytes"
std::string holdersText(std::string_view detail);    // of a mask buffer: ", held by y, z"
// The next best candidates, cheapest first: "replicate (moves 90 bytes), batch (...)".
std::string rivalsText(std::string_view detail);

}  // namespace shardlens::cli
