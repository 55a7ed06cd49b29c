#include "app/cli/topology_file.h"

#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <limits>

namespace shardlens::cli {
namespace {

using nlohmann::json;

// Reads one file. Every error starts with its path.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path.string()) {}

  Result<CostModel> read() {
    std::error_code failed;
    if (std::filesystem::is_directory(path_, failed)) {
      return refuse("a folder", "a topology (.json)");
    }
    std::ifstream file(path_);
    if (!file) return refuse("no such file", "a topology (.json)");
    const auto root = json::parse(file, nullptr, /*allow_exceptions=*/false,
                                  /*ignore_comments=*/true);
    if (root.is_discarded())
      return refuse("no JSON", R"(a topology, for example {"ranks_per_host": 8})");
    CostModel model;
    readWhole(root, "ranks_per_host", model.ranksPerHost);
    readNumber(root, "startup_us", model.startup, /*mayBeZero=*/true);
    readLink(root, "inside", model.bandwidth, model.latency);
    readLink(root, "between", model.betweenHostsBandwidth, model.betweenHostsLatency);
    refuseOthers(root, "the file", {"ranks_per_host", "startup_us", "inside", "between"});
    if (!wrong_.empty()) return fail(wrong_);
    return model;
  }

 private:
  tl::unexpected<Error> refuse(const std::string& got, const std::string& expected) {
    if (wrong_.empty()) wrong_ = path_ + ": got " + got + ", expected " + expected;
    return fail(wrong_);
  }
  static std::string shown(const std::string& key, const json& value) {
    return '"' + key + "\": " + shardlens::shown(value);
  }

  void readWhole(const json& object, const std::string& key, int& into) {
    if (!object.is_object() || !object.contains(key)) return;
    const json& value = object[key];
    const bool fits =
        value.is_number_unsigned() && value >= 1 && value <= std::numeric_limits<int>::max();
    if (fits) {
      into = value.get<int>();
    } else {
      refuse(shown(key, value), "a whole number of 1 or more");
    }
  }

  void readNumber(const json& object, const std::string& key, double& into, bool mayBeZero) {
    if (!object.is_object() || !object.contains(key)) return;
    const json& value = object[key];
    if (value.is_number() && (value > 0 || (mayBeZero && value == 0))) {
      into = value.get<double>();
    } else {
      refuse(shown(key, value), mayBeZero ? "a number of 0 or more" : "a number above 0");
    }
  }

  void readLink(const json& object, const std::string& key, double& bandwidth, double& latency) {
    if (!object.is_object() || !object.contains(key)) return;
    const json& link = object[key];
    readNumber(link, "gb_per_s", bandwidth, /*mayBeZero=*/false);
    readNumber(link, "latency_us", latency, /*mayBeZero=*/true);
    refuseOthers(link, '"' + key + '"', {"gb_per_s", "latency_us"});
  }

  void refuseOthers(const json& object, const std::string& where,
                    const std::vector<std::string>& known) {
    std::string all;
    for (const auto& key : known) all += (all.empty() ? "" : ", ") + key;
    if (!object.is_object()) {
      refuse(shardlens::shown(object), where + " to be an object with any of " + all);
      return;
    }
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        refuse('"' + key + "\" in " + where, "one of " + all);
      }
    }
  }

  std::string path_;
  std::string wrong_;  // the first error
};

}  // namespace

Result<CostModel> readTopology(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace shardlens::cli
