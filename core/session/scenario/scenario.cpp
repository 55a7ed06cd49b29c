#include "core/session/scenario/scenario.h"

#include "core/base/json_text.h"
#include "core/session/scenario/mesh_reader.h"
#include "core/session/scenario/scenario_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>

namespace shardlens {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kLongest = 40;  // characters quoted in a message

// Nesting limit, because readers recurse.
constexpr int kDeepest = 64;
struct TooDeep {};
bool notTooDeep(int depth, json::parse_event_t event, json&) {
  using Kind = json::parse_event_t;
  const bool opens = event == Kind::object_start || event == Kind::array_start;
  if (opens && depth >= kDeepest) throw TooDeep();
  return true;
}

// Finds the byte at which the parser rejects a valid token, such as a number that is too large. The
// exception does not contain it.
class Stop final : public json::json_sax_t {
 public:
  static std::size_t of(std::string_view text) {
    Stop stop;
    json::sax_parse(text, &stop, json::input_format_t::json, /*strict=*/true,
                    /*ignore_comments=*/true);
    return stop.at_;
  }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const json::string_t&) override { return true; }
  bool string(json::string_t&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(json::string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const json::exception&) override {
    at_ = at;
    return false;
  }

 private:
  std::size_t at_ = 0;
};

// Converts "[json.exception.out_of_range.406] number overflow parsing '1e999'".
std::string overflowError(const json::out_of_range& error) {
  const std::string text = error.what();
  std::string number = text.substr(text.rfind(' ') + 1);
  if (number.size() > kLongest + 2)
    number.replace(kLongest + 1, number.size() - kLongest - 2, "...");
  return "got " + number + ", expected a number that a double holds";
}

// Converts the JSON parser's message to "got ..., expected ...".
std::string syntaxError(const json::parse_error& error) {
  constexpr std::string_view kLineEnd = "<U+000A>";
  std::string text = error.what();
  if (const auto dash = text.find(" - "); dash != std::string::npos) text.erase(0, dash + 3);
  std::string expected = "JSON";
  if (const auto at = text.rfind("; expected "); at != std::string::npos) {
    expected = text.substr(at + 11);
    text.erase(at);
  }
  if (const auto read = text.find("; last read: '"); read != std::string::npos) {
    std::string tail = text.substr(read + 14);
    tail.pop_back();
    if (tail.ends_with(kLineEnd)) tail.erase(tail.size() - kLineEnd.size());
    if (tail.size() > kLongest) tail.erase(0, tail.size() - kLongest);
    while (!tail.empty() && (tail.front() & 0xC0) == 0x80) tail.erase(0, 1);
    text.erase(read);
    text += " in '" + tail + "'";
  }
  if (text.starts_with("unexpected ")) text.erase(0, 11);
  return "got " + text + ", expected " + expected;
}

// Parses one scenario and adds file and line to errors.
class Parser {
 public:
  Parser(std::string_view text, std::string path, int firstLine)
      : text_(text), path_(std::move(path)), firstLine_(firstLine) {}

  Result<Scenario> run() {
    // Trim blanks, so that an unfinished file is reported on its last line of text.
    const std::string_view body = text_.substr(0, text_.find_last_not_of(kSpaces) + 1);
    if (body.empty()) return failAt(firstLine_, "got an empty file, expected a scenario");
    // The parser treats a zero byte as the end of the text.
    if (const auto zero = body.find('\0'); zero != std::string_view::npos) {
      return failAt(lineOf(body, zero + 1), "got a zero byte, expected text");
    }
    try {
      root_ = json::parse(body, notTooDeep, /*allow_exceptions=*/true, /*ignore_comments=*/true);
    } catch (const TooDeep&) {
      return failAt(
          firstLine_,
          fmt::format("got lists and objects more than {} deep, expected a scenario", kDeepest));
    } catch (const json::parse_error& error) {
      return failAt(lineOf(body, error.byte), syntaxError(error));
    } catch (const json::out_of_range& error) {
      return failAt(lineOf(body, Stop::of(body)), overflowError(error));
    }
    lines_ = locateLines(body, firstLine_);
    if (!root_.is_object()) {
      return failAt(firstLine_, "got " + shown(root_) + ", expected a scenario in braces");
    }
    return read();
  }

 private:
  Result<Scenario> read() {
    Scenario scenario;
    scenario.path = path_;
    scenario.source = std::string(text_);
    auto read = readVersion().and_then([&] { return readMesh(); }).and_then([&](DeviceMesh mesh) {
      scenario.mesh = std::move(mesh);
      return readOptions(std::move(scenario));
    });
    if (!read) return read;
    auto steps = readSteps();
    if (!steps) return tl::unexpected(std::move(steps.error()));
    read->steps = std::move(*steps);
    return read;
  }

  Result<void> readVersion() const {
    if (!root_.contains("shardlens")) {
      return failAt(lines_.object, R"(got no "shardlens", expected "shardlens": 1)");
    }
    const json& version = root_["shardlens"];
    if (version.is_number_integer() && version > kVersion) {
      return refuse("shardlens", "1: the file is of a newer version than this program");
    }
    if (version != kVersion || !version.is_number_integer()) return refuse("shardlens", "1");
    return {};
  }

  Result<DeviceMesh> readMesh() const {
    if (!root_.contains("mesh")) {
      return failAt(lines_.object, R"(got no "mesh", expected "mesh": )"
                                   R"({"shape": [2, 2], "names": ["dp", "tp"]})");
    }
    auto mesh = shardlens::readMesh(root_["mesh"]);
    if (!mesh) return failAt(lines_.of("mesh"), mesh.error().message);
    if (root_["mesh"].contains("ranks")) {
      return refuse("mesh",
                    R"(no "ranks": a scenario's are 0, 1, ..., only a step's mesh has others)");
    }
    return mesh;
  }

  Result<Scenario> readOptions(Scenario scenario) const {
    if (const auto title = root_.find("title"); title != root_.end()) {
      if (!title->is_string()) return refuse("title", "text");
      scenario.title = title->get<std::string>();
    }
    if (const auto masking = root_.find("masking"); masking != root_.end()) {
      if (*masking != "fused" && *masking != "stepwise") {
        return refuse("masking", R"("fused" or "stepwise")");
      }
      scenario.masking = *masking == "fused" ? Masking::Fused : Masking::Stepwise;
    }
    if (const auto emulate = root_.find("emulate"); emulate != root_.end()) {
      if (*emulate != "torch-2.15" && *emulate != "before-131264") {
        return refuse("emulate", R"("torch-2.15" or "before-131264")");
      }
      if (root_.contains("masking") && scenario.masking == Masking::Fused) {
        return refuse("masking", R"("stepwise", which emulation requires)");
      }
      const bool today = *emulate == "torch-2.15";
      scenario.emulation = today ? Emulation::Torch215 : Emulation::Before131264;
      scenario.masking = Masking::Stepwise;
    }
    if (const auto planner = root_.find("planner"); planner != root_.end()) {
      const auto kind =
          planner->is_string() ? parsePlanner(planner->get<std::string>()) : std::nullopt;
      if (!kind) return refuse("planner", R"("greedy", "min-cost" or "decompose")");
      scenario.planner = *kind;
    }
    if (const auto allowed = root_.find("redistributions"); allowed != root_.end()) {
      if (*allowed != "implicit" && *allowed != "explicit") {
        return refuse("redistributions", R"("implicit" or "explicit")");
      }
      const bool isExplicit = *allowed == "explicit";
      scenario.redistributions = isExplicit ? Redistributions::Explicit : Redistributions::Implicit;
    }
    return scenario;
  }

  Result<std::vector<ScenarioStep>> readSteps() const {
    if (!root_.contains("steps")) {
      return failAt(lines_.object, R"(got no "steps", expected "steps": [{"call": ...}, ...])");
    }
    if (!root_["steps"].is_array()) return refuse("steps", "a list of steps");
    if (root_["steps"].empty()) return refuse("steps", "at least one step");
    std::vector<ScenarioStep> steps;
    for (const json& element : root_["steps"]) {
      auto step = readStep(element, steps.size());
      if (!step) return tl::unexpected(std::move(step.error()));
      steps.push_back(std::move(*step));
    }
    return steps;
  }

  Result<ScenarioStep> readStep(const json& element, std::size_t index) const {
    const int line = lines_.steps[index];
    std::string id = "step" + std::to_string(index);
    if (!element.is_object()) {
      return failAt(line, id + ": got " + shown(element) + R"(, expected {"call": ...})");
    }
    if (const auto given = element.find("id"); given != element.end()) {
      if (!given->is_string()) {
        return failAt(line, id + R"(: got "id": )" + shown(*given) + ", expected a name");
      }
      id = given->get<std::string>();
    }
    if (const auto module = element.find("module");
        module != element.end() && !module->is_string()) {
      return failAt(line, id + R"(: got "module": )" + shown(*module) +
                              R"(, expected a name, as "layers.3.attention")");
    }
    if (!element.contains("call")) {
      return failAt(line, id + R"(: got no "call", expected what it does, as "aten.sum")");
    }
    if (!element["call"].is_string()) {
      return failAt(line, id + R"(: got "call": )" + shown(element["call"]) +
                              R"(, expected what it does, as "aten.sum")");
    }
    return ScenarioStep{std::move(id), line, element};
  }

  // Returns the error that a top-level key has a wrong value.
  tl::unexpected<Error> refuse(const std::string& key, const std::string& expected) const {
    return failAt(lines_.of(key),
                  "got \"" + key + "\": " + shown(root_[key]) + ", expected " + expected);
  }

  tl::unexpected<Error> failAt(int line, const std::string& what) const {
    return fail(fmt::format("{}:{}: {}", path_, line, what));
  }

  // Returns the line of a byte that was read as number `bytesRead`, counted from 1.
  int lineOf(std::string_view body, std::size_t bytesRead) const {
    const std::size_t before = std::min(bytesRead == 0 ? 0 : bytesRead - 1, body.size());
    const auto end = body.begin() + static_cast<std::ptrdiff_t>(before);
    return firstLine_ + static_cast<int>(std::count(body.begin(), end, '\n'));
  }

  std::string_view text_;
  std::string path_;
  int firstLine_;
  json root_;
  ScenarioLines lines_;
};

constexpr auto kStandardInput = "standard input";

std::string readAll(std::istream& stream) {
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

Result<std::string> readText(const std::filesystem::path& path) {
  if (path == "-") return readAll(std::cin);
  const auto refused = [&](const std::string& got) {
    return fail(path.string() + ": got " + got + ", expected a scenario (.json or .jsonl)");
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return refused("a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return refused(errno == ENOENT ? "no such file" : std::generic_category().message(errno));
  }
  auto text = readAll(file);
  if (text.starts_with("SQLite format 3")) {
    return refused("a recording (for shardlens replay)");
  }
  return text;
}

// Detects whether standard input holds one scenario per line: its first line is valid JSON.
bool isAScenarioALine(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const auto line = text.substr(begin, text.find('\n', begin) - begin);
  return json::accept(line);
}

}  // namespace

Result<Scenario> parseScenario(std::string_view text, std::string path, int firstLine) {
  return Parser(text, std::move(path), firstLine).run();
}

Result<std::vector<Scenario>> readScenarios(const std::filesystem::path& path) {
  const auto text = readText(path);
  if (!text) return tl::unexpected(text.error());
  const bool isInput = path == "-";
  const auto name = isInput ? std::string(kStandardInput) : path.string();
  const bool aLineEach = isInput ? isAScenarioALine(*text) : path.extension() == ".jsonl";
  std::vector<Scenario> scenarios;
  std::string_view rest = *text;
  for (int line = 1; !rest.empty(); ++line) {
    const std::string_view part = aLineEach ? rest.substr(0, rest.find('\n')) : rest;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (aLineEach && part.find_first_not_of(kSpaces) == std::string_view::npos) continue;
    auto scenario = parseScenario(part, name, line);
    if (!scenario) return tl::unexpected(std::move(scenario.error()));
    scenarios.push_back(std::move(*scenario));
  }
  if (scenarios.empty()) {
    return fail(name + ":1: got an empty file, expected a scenario" + (aLineEach ? " a line" : ""));
  }
  return scenarios;
}

}  // namespace shardlens
