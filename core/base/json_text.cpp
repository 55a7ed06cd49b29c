#include "core/base/json_text.h"

namespace shardlens {

SHARDLENS_JSON_TEXT(, nlohmann::json)
SHARDLENS_JSON_TEXT(, nlohmann::ordered_json)

}  // namespace shardlens
