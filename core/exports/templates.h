#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// The files of templates/, embedded at build time.
extern const std::string_view kReproductionTemplate;
extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

// Returns `pattern` with each mark, such as "@read@", replaced by its text. Inserted text is not
// searched for marks. Marks that do not occur are ignored.
using Filling = std::vector<std::pair<std::string_view, std::string>>;
std::string filled(std::string_view pattern, const Filling& filling);

}  // namespace shardlens
