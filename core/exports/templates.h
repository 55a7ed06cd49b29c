#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// The files of templates/, as they were when this was built.
extern const std::string_view kReproductionTemplate;
extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

// A template with each of these texts in the place of its mark, "@read@". What is filled in is not
// looked through for marks.
using Filling = std::vector<std::pair<std::string_view, std::string>>;
std::string filled(std::string_view pattern, const Filling& filling);

}  // namespace shardlens
