#include "core/imports/formats/debug_mode.h"

#include "core/imports/formats/debug_calls.h"
#include "core/imports/input/bad_dump.h"
#include "core/imports/input/json_reader.h"
#include "core/imports/input/line_reader.h"
#include "core/imports/input/plain_value.h"

#include <optional>

namespace shardlens {

namespace {

constexpr std::string_view kRedistribute = "redistribute_input";
constexpr std::string_view kOutput = "-> output: ";

// Normalises the spaces around arrows: "P(sum)->R" becomes "P(sum) -> R".
std::string spaced(std::string_view change) {
  std::string text;
  for (std::size_t at = 0; at < change.size();) {
    if (!change.substr(at).starts_with("->")) {
      text += change[at++];
      continue;
    }
    while (text.ends_with(' ')) text.pop_back();
    text += " -> ";
    for (at += 2; at < change.size() && change[at] == ' ';) ++at;
  }
  return text;
}

// Parses two forms: "redistribute_input [implicit] (1, R -> P(sum))" and "redistribute_input(t:
// f32[8], trace: R->P(sum))".
void readRedistribute(std::string_view line, DebugCall& call) {
  constexpr std::string_view kTrace = "trace: ";
  call.kind = DebugCall::Kind::Redistribute;
  call.isImplicit = line.find("[explicit]") == std::string_view::npos;
  const auto open = line.find('(');
  if (open == std::string_view::npos) return;
  std::string_view inside = line.substr(open + 1);
  if (const auto close = inside.rfind(")  ->  "); close != std::string_view::npos) {
    inside = inside.substr(0, close);
  } else if (inside.ends_with(')')) {
    inside.remove_suffix(1);
  }
  const auto trace = inside.find(kTrace);
  auto begin = trace == std::string_view::npos ? inside.find(", ") : trace;
  if (begin == std::string_view::npos) return;
  begin += trace == std::string_view::npos ? 2 : kTrace.size();
  call.name = spaced(inside.substr(begin));
}

// Parses a line of the text form. Returns nullopt for blank lines, comments and annotations.
std::optional<DebugCall> readCall(std::string_view line) {
  const auto indent = line.find_first_not_of(' ');
  if (indent == std::string_view::npos || line[indent] == '#' || line[indent] == '[') {
    return std::nullopt;
  }
  DebugCall call;
  call.depth = static_cast<std::int64_t>(indent);
  line.remove_prefix(indent);
  if (line.starts_with(kOutput)) {
    call.kind = DebugCall::Kind::Output;
    call.name = line.substr(kOutput.size());
  } else if (line.starts_with(kRedistribute)) {
    readRedistribute(line, call);
  } else {
    const auto open = line.find('(');
    if (open == std::string_view::npos) return std::nullopt;
    call.kind = DebugCall::Kind::Operator;
    call.name = line.substr(0, open);
    auto arguments = line.substr(open + 1);
    arguments = arguments.substr(0, arguments.find(")  ->  "));
    if (arguments.ends_with(')')) arguments.remove_suffix(1);
    call.arguments = arguments;
  }
  return call;
}

// Converts one entry of the JSON form.
DebugCall callOf(const PlainValue& log, const std::string& where) {
  DebugCall call;
  const std::string& type = log["type"].text();
  if (type.empty()) refuseDump(where, "a call without a type", "one of DebugMode's");
  call.depth = log["call_depth"].integer();
  if (type == "op") {
    call.kind = DebugCall::Kind::Operator;
    call.name = log["op_name"].text();
    call.arguments = log["args_str"].text();
  } else if (type == "redistribute") {
    call.kind = DebugCall::Kind::Redistribute;
    call.isImplicit = !log["is_explicit"].isTrue();
    const std::string& trace = log["transform_info_str"].text();
    call.name = spaced(!trace.empty() ? trace
                                      : log["src_placement_str"].text() + " -> " +
                                            log["dst_placement_str"].text());
  } else if (type == "output_placement") {
    call.kind = DebugCall::Kind::Output;
    call.name = log["placements_str"].text();
  } else {
    call.name = type == "triton_kernel" ? log["kernel_name"].text() : log["tag"].text();
  }
  return call;
}

}  // namespace

void importDebugModeText(ByteSource& source, ImportedRank& rank) {
  DebugCalls calls(rank);
  LineReader lines(source);
  while (const auto line = lines.next()) {
    if (const auto call = readCall(*line)) calls.take(*call);
  }
  calls.end();
  if (rank.events() == 0) refuseDump(lines.where(), "no call", "DebugMode's text");
}

void importDebugModeJson(ByteSource& source, ImportedRank& rank) {
  JsonReader json(source);
  DebugCalls calls(rank);
  json.object([&](std::string_view key) {
    if (key == "version") {
      const std::string where = json.where();
      const std::string version = json.asText();
      if (version != "1") refuseDump(where, "version " + version, "version 1 of DebugMode's logs");
    } else if (key == "logs") {
      json.list([&] {
        const std::string where = json.where();
        calls.take(callOf(readPlain(json), where));
      });
    } else {
      json.skip();
    }
  });
  json.end();
  calls.end();
}

}  // namespace shardlens
