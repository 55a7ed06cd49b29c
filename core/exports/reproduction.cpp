#include "core/exports/reproduction.h"

#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/exports/python_text.h"
#include "core/exports/recorded_python.h"
#include "core/exports/step_events.h"
#include "core/exports/templates.h"
#include "core/model/step_number.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/names.h"
#include "core/view/words/run_again.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace shardlens {
namespace {

using nlohmann::json;

// Appends the names that an argument refers to: w for "$w".
void addNames(const json& argument, std::vector<std::string>& names) {
  if (argument.is_structured()) {
    for (const auto& item : argument) addNames(item, names);
  } else if (argument.is_string() && argument.get<std::string>().starts_with('$')) {
    names.push_back(argument.get<std::string>().substr(1));
  }
}

// Builds the script of one step.
class Reproduction {
 public:
  Reproduction(const Journal& journal, DeviceMesh mesh, json steps, const StepEvents& events)
      : journal_(journal),
        mesh_(std::move(mesh)),
        steps_(std::move(steps)),
        events_(events),
        recorded_(journal, mesh_) {}

  Result<std::string> script() {
    const auto done = isGradient() ? writeAllSteps() : writeStep();
    if (!done) return tl::unexpected(done.error());
    if (const auto expected = writeExpected(); !expected) {
      return tl::unexpected(expected.error());
    }
    return filled(kReproductionTemplate, {{"@about@", about()},
                                          {"@ranks@", std::to_string(mesh_.size())},
                                          {"@read@", read_},
                                          {"@expected@", expected_},
                                          {"@step@", run_}});
  }

 private:
  const json& at(int step) const { return steps_[static_cast<std::size_t>(step)]; }
  std::string callOf(int step) const { return textOf(at(step), "call"); }
  std::string idOf(int step) const {
    const auto id = textOf(at(step), "id");
    return id.empty() ? fmt::format("step{}", step) : id;
  }
  bool isGradient() const { return callOf(events_.step) == "grad"; }
  tl::unexpected<Error> refuse(const std::string& why) const {
    return fail(fmt::format("step {}: {}", stepNumber(events_.step), why));
  }

  // Returns the title on one line, because it becomes part of a comment.
  std::string about() const {
    std::string text(journal_.meta("title"));
    text = fmt::format("Step {}{}: {}", stepNumber(events_.step), text.empty() ? "" : " of " + text,
                       view::truncated(journal_.name(journal_.at(events_.first))));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char letter) { return std::iscntrl(letter) != 0; },
        ' ');
    return text;
  }

  Result<void> writeStep() {
    const int step = events_.step;
    std::vector<std::string> names;
    for (const char* key : {"args", "kwargs"}) addNames(at(step).value(key, json()), names);
    for (const auto& name : names) {
      const auto done = writeRead(name, events_.first - 1);
      if (!done) return done;
      const bool needsGradient = callOf(step) == "cross_entropy_backward" && name == names.front();
      if (needsGradient) line(fmt::format("t[{}].requires_grad_(True)", pythonText(name)));
    }
    return writeCall(step);
  }

  // Writes all steps up to the gradient. Tensors that the scenario creates are read from the
  // recording.
  Result<void> writeAllSteps() {
    for (int step = 0; step <= events_.step; ++step) {
      const bool isGiven = callOf(step) == "tensor" || callOf(step) == "from_locals";
      const auto events = stepEvents(journal_, step);
      if (!events) return tl::unexpected(events.error());
      const auto done = isGiven ? writeRead(idOf(step), events->last) : writeCall(step);
      if (!done) return done;
      if (isGiven && isTrue(at(step), "requires_grad")) {
        line(fmt::format("t[{}].requires_grad_(True)", pythonText(idOf(step))));
      }
    }
    return {};
  }

  static bool isTrue(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
  }

  Result<void> writeCall(int step) {
    const std::string call = callOf(step);
    const json& stepJson = at(step);
    std::vector<std::string> arguments;
    for (const auto& argument : stepJson.value("args", json::array())) {
      arguments.push_back(pythonArgument(argument));
    }
    const std::string first = arguments.empty() ? "None" : arguments.front();
    std::string all = joined(arguments);
    const json keywords = stepJson.value("kwargs", json::object());
    if (!keywords.empty()) all += (all.empty() ? "**" : ", **") + pythonArgument(keywords);
    if (call.starts_with("aten.")) return writeOperator(step, call.substr(5), all);
    if (call == "tensor") return writeTensor(step);
    if (call == "redistribute") return writeRedistribution(step, first);
    if (call == "detach") return keep(step, first + ".detach()");
    if (call == "grad") return keep(step, first + ".grad");
    if (call == "backward" && step != events_.step) {
      line(fmt::format("{}.backward({})", first,
                       all.size() > first.size() ? all.substr(first.size() + 2) : ""));
      return {};
    }
    if (call == "backward") return refuse("backward has no result; choose the gradient's step");
    if (!call.starts_with("cross_entropy")) return refuse("DTensor has no counterpart of " + call);
    line("with loss_parallel():");
    if (call == "cross_entropy") return keep(step, "F.cross_entropy(" + all + ")", "    ");
    line("    F.cross_entropy(" + all + ").backward()");
    return keep(step, first + ".grad");
  }

  Result<void> writeOperator(int step, const std::string& name, const std::string& arguments) {
    const auto isWord = [](std::string_view text) {
      return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_';
      });
    };
    const auto dot = name.find('.');
    const std::string packet = name.substr(0, dot);
    const std::string overload = dot == std::string::npos ? "default" : name.substr(dot + 1);
    if (!isWord(packet) || !isWord(overload)) return refuse("aten has no operator " + name);
    const bool isKeyword = overload == "from";
    return keep(step, (isKeyword ? "getattr(aten." + packet + ", \"from\")"
                                 : "aten." + packet + "." + overload) +
                          "(" + arguments + ")");
  }

  // Uses the recorded mesh and placements, because a scenario may omit them.
  Result<void> writeTensor(int step) {
    const json& stepJson = at(step);
    if (stepJson.contains("shard_order"))
      return refuse("DTensor does not distribute by shard_order");
    const auto id = tensorOf(idOf(step), events_.last);
    if (!id) return tl::unexpected(id.error());
    const TensorRecord tensor = journal_.tensor(*id);
    const auto placements = pythonPlacements(tensor.placements);
    if (!placements) return refuse(placements.error().message);
    json spec;
    for (const char* key : {"data", "shape", "fill", "seed", "dtype", "low", "high", "value"}) {
      if (stepJson.contains(key)) spec[key] = stepJson[key];
    }
    const auto source = stepJson.find("source");
    return keep(
        step, fmt::format("distribute_tensor(dense({}), mesh_of(*{}), {}, "
                          "src_data_rank={})",
                          pythonLiteral(spec), pythonMesh(tensor.mesh ? *tensor.mesh : mesh_),
                          *placements, source == stepJson.end() ? "None" : pythonLiteral(*source)));
  }

  Result<void> writeRedistribution(int step, const std::string& tensor) {
    const json& stepJson = at(step);
    if (stepJson.contains("shard_order"))
      return refuse("DTensor does not redistribute by shard_order");
    Placements target;
    for (const auto& text : stepJson.value("placements", json::array())) {
      const auto placement = parsePlacement(text.is_string() ? text.get<std::string>() : "");
      if (!placement) return refuse(placement.error().message);
      target.push_back(*placement);
    }
    const auto placements = pythonPlacements(target);
    if (!placements) return refuse(placements.error().message);
    std::string arguments = "placements=" + *placements;
    for (const char* key : {"forward_dtype", "backward_dtype"}) {
      if (stepJson.contains(key))
        arguments += fmt::format(", {}={}", key, pythonArgument(stepJson[key]));
    }
    return keep(step, tensor + ".redistribute(" + arguments + ")");
  }

  Result<void> keep(int step, const std::string& result, const char* indent = "") {
    line(fmt::format("{}keep(t, {}, {})", indent, pythonText(idOf(step)), result));
    return {};
  }
  void line(const std::string& text) { run_ += "    " + text + "\n"; }

  // Returns the newest tensor of this name that its step produced up to `position`. "x.0" is a
  // result of step "x".
  Result<TensorId> tensorOf(const std::string& name, EventId position) {
    const std::string id = name.substr(0, name.find('.'));
    TensorId found = 0;
    for (EventId at = 1; at <= position; ++at) {
      const Event event = journal_.at(at);
      if (event.kind != EventKind::Result || journal_.name(event) != name) continue;
      const bool isOfStep =
          event.step >= 0 && event.step < static_cast<int>(steps_.size()) && idOf(event.step) == id;
      if (isOfStep) found = event.subject;
    }
    if (found == 0) return refuse("the recording does not have " + name);
    return found;
  }

  Result<void> writeRead(const std::string& name, EventId position) {
    if (!written_.insert(name).second) return {};
    const auto id = tensorOf(name, position);
    if (!id) return tl::unexpected(id.error());
    const auto text = recordedText(*id, name, position);
    if (!text) return tl::unexpected(text.error());
    read_ += "    " + pythonText(name) + ": " + *text + ",\n";
    return {};
  }

  // Writes the step's results and the arguments that it wrote to.
  Result<void> writeExpected() {
    std::vector<std::string> arguments;
    addNames(at(events_.step).value("args", json()), arguments);
    std::map<std::string, TensorId> results;
    const std::string own = idOf(events_.step);
    for (EventId id = events_.first; id <= events_.last; ++id) {
      const Event event = journal_.at(id);
      const std::string name(journal_.name(event));
      const bool isNamed = name == own || name.starts_with(own + ".") ||
                           std::find(arguments.begin(), arguments.end(), name) != arguments.end();
      if (event.kind == EventKind::Result && isNamed) results[name] = event.subject;
    }
    if (results.empty()) return refuse("it has no result");
    for (const auto& [name, id] : results) {
      const auto text = recordedText(id, name, events_.last);
      if (!text) return tl::unexpected(text.error());
      expected_ += "    " + pythonText(name) + ": " + *text + ",\n";
    }
    return {};
  }

  Result<std::string> recordedText(TensorId id, const std::string& name, EventId position) {
    return recorded_.text(id, name, position).or_else([&](const Error& error) {
      return Result<std::string>(refuse(error.message));
    });
  }

  const Journal& journal_;
  DeviceMesh mesh_;
  json steps_;
  StepEvents events_;
  RecordedPython recorded_;
  std::set<std::string> written_;
  std::string read_, expected_, run_;
};

}  // namespace

Result<std::string> pytorchScript(const Journal& journal, int step) {
  const auto events = stepEvents(journal, step);
  if (!events) return tl::unexpected(events.error());
  const auto mesh = recordedMesh(journal);
  if (!mesh) return fail("script: the recording has no mesh");
  if (const auto whyNot = view::whyNotRunAgain(journal); !whyNot.empty()) {
    return fail("script: " + whyNot);
  }
  const json scenario = parsedJson(journal.meta("scenario"), Comments::Allowed);
  const auto found = scenario.find("steps");
  const bool hasStep =
      scenario.is_object() && found != scenario.end() && found->is_array() &&
      static_cast<std::size_t>(step) < found->size() &&
      std::all_of(found->begin(), found->end(), [](const json& one) { return one.is_object(); });
  if (!hasStep)
    return fail(
        fmt::format("step {}: the recording's scenario does not have it", stepNumber(step)));
  return Reproduction(journal, *mesh, *found, *events).script();
}

}  // namespace shardlens
