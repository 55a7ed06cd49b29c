#include "app/cli/command_line.h"

#include "core/query/problems.h"
#include "core/query/query_fields.h"
#include "shardlens_build.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <charconv>
#include <map>
#include <string>

namespace shardlens::cli {
namespace {

constexpr auto kAbout =
    "Shardlens runs a placement program on ranks, writes every step down, and lets you walk\n"
    "through the record. Scenario files are described in SCENARIO.md.";
constexpr auto kExitCodes =
    "Exit codes: 0 all ran, 1 a step was refused, 2 the command line or a file is wrong.";

constexpr auto kOnRuns =
    "To find the first step whose result is not that of plain tensors:\n"
    "  shardlens run --check FILE\n"
    "Inputs are whole there, and redistributions leave tensors as they are. Whole numbers have to "
    "be\n"
    "equal, others as close as torch.testing.assert_close has it.\n"
    "\n"
    "On processes every one of a launch runs the same command, and they share the ranks evenly:\n"
    "  torchrun --no-python --nproc-per-node 4 shardlens run FILE\n"
    "The one that has rank 0 prints; each writes PATH/rank-N.shardlens, N being its lowest rank.\n"
    "When one dies, is stopped or does something else, the others name it and end.\n"
    "With --backend nccl one process drives all GPUs of the machine; launched so, each takes the "
    "one\n"
    "of its LOCAL_RANK. More ranks than GPUs share them.\n"
    "\n"
    "Exit codes: 0 all ran, 1 a step was refused, a result differs from the plain one or a "
    "process\n"
    "was lost, 2 the command line or a file is wrong.";

constexpr auto kOnPlans =
    "Placements: R, S(dim), SS(dim,split), P(op), NormP(p), MaskP(op,[shape],dim), one for each\n"
    "mesh dimension. A MaskP of 16 KiB a rank and more is taken for a lookup whose rows are "
    "moved;\n"
    "GPUs, and ranks whose ids differ, add its terms instead (--all shows what that takes), and\n"
    "how many rows each rank sends is up to the ids. Times are estimated, not measured; a "
    "topology\n"
    "file changes the figures, and what it leaves out stays as it is:\n"
    "  {\"ranks_per_host\": 8, \"startup_us\": 6.6,\n"
    "   \"inside\": {\"gb_per_s\": 87.7, \"latency_us\": 0.6},\n"
    "   \"between\": {\"gb_per_s\": 19.3, \"latency_us\": 2.7}}\n"
    "\n"
    "Exit codes: 0 planned, 1 the redistribution is refused, 2 the command line or the file is\n"
    "wrong.";

constexpr auto kOnShowing =
    "  shardlens show run.shardlens --step 3 --values\n"
    "  shardlens show DIR --filter \"implicit bytes>1MB\"\n"
    "What a query can ask is said by shardlens query --help.\n"
    "\n"
    "Exit codes: 0 some events were found, 1 none, or a file of the folder was left out, 2 the\n"
    "command line, the query or a file is wrong.";

std::string onQueries() {
  std::string text =
      "Terms with blanks between them, all of which hold: words that are in the event's kind,\n"
      "verdict, name or tensors, and fields; nan and running ask for that. With a minus a term "
      "does\n"
      "not hold. Of several values, FIELD:A,B, one is enough.\n"
      "  shardlens query \"implicit kind:redistribute -op:embedding\" run.shardlens\n"
      "  shardlens query \"kind:collective bytes>1MB axis:tp time>=1ms rank:0-3\" DIR\n"
      "\n"
      "Fields:\n";
  for (const auto& field : queryFields()) {
    std::string words;
    for (const auto word : field.words) words += (words.empty() ? ": " : ", ") + std::string(word);
    text += fmt::format("  {:<10} {}{}\n", field.name, field.meaning, words);
  }
  return text +
         "\n"
         "Or one SELECT over the tables events, tensors, shard_values and meta; FORMAT.md says "
         "what\n"
         "is in their columns.\n"
         "  shardlens query \"SELECT name, count(*) AS times, sum(bytes) AS bytes FROM events\n"
         "    WHERE kind = 'Collective' GROUP BY name\" run.shardlens\n"
         "\n"
         "Exit codes: 0 something was found, 1 nothing, or a file of the folder was left out, 2 "
         "the\n"
         "command line, the question or a file is wrong.";
}

constexpr auto kOnServing =
    "Listens on 127.0.0.1 alone, until it is interrupted. From another machine, through a tunnel:\n"
    "  ssh -N -L 7070:127.0.0.1:PORT HOST &\n"
    "  shardlens follow 127.0.0.1:7070 --into DIR\n"
    "\n"
    "Exit codes: 1 nobody can connect any more, 2 the command line, the port or a file is wrong.";

constexpr auto kOnFollowing =
    "The token is read from the variable SHARDLENS_TOKEN, the file, or standard input. Of several\n"
    "hosts, follow each into the same folder; shardlens-gui DIR shows all of them as they grow.\n"
    "\n"
    "Exit codes: 0 the run has ended, 1 the connection is gone, 2 refused, or the command line or\n"
    "a file is wrong.";

constexpr auto kOnLinting =
    "A file of expectations has one a line: how many events, and which, as shardlens query finds\n"
    "them; of each step, module or process group where it says so.\n"
    "  # what this model is allowed to send\n"
    "  no implicit kind:redistribute module:layers.3\n"
    "  at most 2 kind:collective name:all_reduce per module\n"
    "  exactly 1 kind:collective name:all_gather per step\n"
    "  at least 1 cache:hit\n"
    "\n"
    "Exit codes: 0 all is as expected, 1 it is not, or a file of the folder was left out, 2 the\n"
    "command line or a file is wrong.";

std::string onProblems() {
  std::string text = "What is looked for, as JSON names it:\n";
  for (const auto& rule : problemRules()) text += "  " + rule + "\n";
  return text +
         "\n"
         "Exit codes: 0 none was found, 1 some were, or a file of the folder was left out, 2 the\n"
         "command line or a file is wrong.";
}

std::string versionText() {
  std::string text = "shardlens " + std::string(kVersion);
  text += "\ntorch " + std::string(kTorchVersion);
  text += "\nCUDA  " + std::string(kCudaSummary);
  text += "\nNCCL  " + std::string(kNcclSummary);
  return text;
}

std::string refuseCapture(const std::string& rule) {
  const auto parsed = parseCaptureRule(rule);
  return parsed ? std::string() : parsed.error().message;
}

std::string refuseBackend(const std::string& name) {
  if (name == "simulated" || name == "gloo" || name == "nccl") return {};
  return "got " + name + ", expected simulated, gloo or nccl";
}

std::string refuseAddress(const std::string& text) {
  const auto colon = text.rfind(':');
  int port = 0;
  const char* const end = text.data() + text.size();
  const bool named = colon != std::string::npos && colon != 0;
  const auto parsed = std::from_chars(named ? text.data() + colon + 1 : end, end, port);
  if (parsed.ec == std::errc() && parsed.ptr == end && port > 0 && port < 65536) return {};
  return "got " + text + ", expected HOST:PORT";
}

std::string refusePosition(const std::string& text) {
  std::int64_t position = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, position);
  if (parsed.ec == std::errc() && parsed.ptr == end) return {};
  return "got " + text + ", expected a number of events";
}

std::string failureText(const CLI::App* app, const CLI::Error& error) {
  const auto left = app->remaining();
  const std::string what =
      app->get_subcommands().empty() && !left.empty() && !left.front().starts_with('-')
          ? "got " + left.front() +
                ", expected run, replay, show, info, query, problems, lint, plan, "
                "ops, doctor, serve or follow"
          : error.what();
  return "shardlens: " + what + "\nRun with --help for more information.\n";
}

class CommandLine {
 public:
  CommandLine() {
    app_.failure_message(failureText);
    app_.footer(kExitCodes);
    app_.set_version_flag("--version", versionText());
    app_.require_subcommand(1);
    addRun();
    addReplay();
    addShow();
    addInfo();
    addQuery();
    addProblems();
    addLint();
    addPlan();
    addOps();
    addDoctor();
    addServe();
    addFollow();
    addEngine();
  }

  std::variant<Command, int> parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? kAllRan : kUnusable;
    }
    if (*replay_) return Command(replayOptions_);
    if (*show_) return Command(showOptions_);
    if (*info_) return Command(infoOptions_);
    if (*query_) return Command(queryOptions_);
    if (*problems_) return Command(problemsOptions_);
    if (*lint_) return Command(lintOptions_);
    if (*plan_) return Command(planOptions_);
    if (*ops_) return Command(opsOptions_);
    if (*doctor_) return Command(doctorOptions_);
    if (*serve_) return Command(serveCommand_);
    if (*follow_) return Command(followCommand_);
    if (*engine_) return Command(engineOptions_);
    return Command(runOptions_);
  }

 private:
  void addRun() {
    run_ = app_.add_subcommand("run", "Run scenarios and tell what happened and why");
    run_->add_option("FILE", runOptions_.files, "Scenarios: .json, or .jsonl with one a line")
        ->required();
    addJson(run_, runOptions_.output, "Print the answers, one JSON object a line");
    run_->add_option("--record", runOptions_.record,
                     "Write a recording of the (one) scenario; on processes, a folder of them")
        ->type_name("PATH");
    run_->add_option_function<std::vector<std::string>>(
            "--values",
            [this](const std::vector<std::string>& rules) {
              std::vector<CaptureRule> parsed;
              for (const auto& rule : rules) parsed.push_back(parseCaptureRule(rule).value());
              runOptions_.values = Capture(std::move(parsed));
            },
            "What is recorded of the ranks' shards: none, stats, or all (the default; of shards "
            "above 64 KiB stats). Of some of them: all:step=3-5:rank=0,2:tensor=y. May be given "
            "more than once: the last that holds counts, and nothing is kept where none does")
        ->type_name("LEVEL[:CONDITION]...")
        ->allow_extra_args(false)
        ->check(CLI::Validator(refuseCapture, "", "values"))
        ->needs("--record");
    auto* backend =
        run_->add_option("--backend", runOptions_.backend,
                         "What carries the collectives: simulated, gloo, or nccl on GPUs; where it "
                         "is left out, processes that torchrun started take nccl or else gloo")
            ->type_name("NAME")
            ->check(CLI::Validator(refuseBackend, "", "backend"));
    auto* check = run_->add_flag(
        "--check", runOptions_.check,
        "Run the same program on plain tensors too, on simulated ranks, and say of each result "
        "how far it is from the plain one, and where");
    run_->add_flag(
            "--dry", runOptions_.dry,
            "Without data: where everything would lie, what would be sent and how long that "
            "is estimated to take, as the first rank sees it and processors would run it; rows "
            "that a lookup moves count as if each rank owned equally many")
        ->excludes(backend)
        ->excludes(check);
    addTopology(run_, runOptions_.topology);
    run_->add_flag_callback(
        "--verify-caches", [this] { runOptions_.caches = Caches::Verified; },
        "Work out anew whatever the caches remember, and refuse a step where they are wrong");
    run_->footer(kOnRuns);
  }

  void addReplay() {
    replay_ = app_.add_subcommand("replay", "Show what a recording holds at a step");
    addRecording(replay_, replayOptions_.files);
    replay_
        ->add_option("--step", replayOptions_.position,
                     "After how many events; the end where it is left out")
        ->type_name("N")
        ->check(CLI::Validator(refusePosition, "", "position"));
    addJson(replay_, replayOptions_.output, "Print one JSON object");
  }

  void addShow() {
    show_ = app_.add_subcommand("show", "Show the events of a recording, each inside of another");
    addRecording(show_, showOptions_.files);
    show_->add_option("--filter", showOptions_.filter,
                      "Those that a query asks for, and what is around them");
    const auto add = [this](const char* option, const char* field, const char* type,
                            const char* help) {
      show_
          ->add_option_function<std::string>(
              option,
              [this, field](const std::string& value) {
                showOptions_.filter += fmt::format(" {}:\"{}\"", field, value);
              },
              help)
          ->type_name(type);
    };
    add("--step", "step", "N", "Those of a step, or of several as 3-5");
    add("--rank", "rank", "N", "Those that a rank had a part in");
    add("--tensor", "tensor", "NAME", "Those about a tensor");
    show_->add_flag("--values", showOptions_.values, "What each rank holds of each result");
    addJson(show_, showOptions_.output, "Print one JSON object an event");
    show_->footer(kOnShowing);
  }

  void addInfo() {
    info_ = app_.add_subcommand("info", "Say what a recording is, and what its events come to");
    addRecording(info_, infoOptions_.files);
    addJson(info_, infoOptions_.output, "Print one JSON object");
  }

  void addQuery() {
    query_ = app_.add_subcommand("query", "Find events of a recording, or ask it with SQL");
    query_->add_option("QUERY", queryOptions_.question, "Terms, or one SELECT; see below")
        ->required();
    addRecording(query_, queryOptions_.files);
    addJson(query_, queryOptions_.output, "Print one JSON object an event, or a row");
    query_->footer(onQueries());
  }

  void addProblems() {
    problems_ =
        app_.add_subcommand("problems", "Say what is wrong in a recording, or costs too much");
    addRecording(problems_, problemsOptions_.files);
    addJson(problems_, problemsOptions_.output, "Print one JSON object a problem");
    problems_->footer(onProblems());
  }

  void addLint() {
    lint_ =
        app_.add_subcommand("lint", "Fail where a recording has problems, or is not as expected");
    addRecording(lint_, lintOptions_.files);
    lint_
        ->add_option("--expect", lintOptions_.expectations, "A file of what is expected; see below")
        ->type_name("FILE");
    lint_
        ->add_option("--allow", lintOptions_.allowed,
                     "A rule of shardlens problems that is no error; more than once for several")
        ->type_name("RULE")
        ->allow_extra_args(false);
    addJson(lint_, lintOptions_.output, "Print one JSON object a problem");
    lint_->footer(kOnLinting);
  }

  void addPlan() {
    plan_ =
        app_.add_subcommand("plan", "Show how a tensor gets from placements to others, and why");
    const auto add = [this](const char* name, std::string& into, const char* type,
                            const char* help) {
      return plan_->add_option(name, into, help)->type_name(type);
    };
    add("--mesh", planOptions_.mesh, "SIZES[:NAMES]", "The mesh, as 2x4 or 2x4:dp,tp")->required();
    add("--shape", planOptions_.shape, "SIZES", "The whole tensor, as 16,32")->required();
    add("--dtype", planOptions_.dtype, "TYPE", "Its element type, as float32 (default) or f32");
    add("--from", planOptions_.from, "PLACEMENTS", "How it lies, as \"S(0),R\"")->required();
    add("--to", planOptions_.to, "PLACEMENTS", "How it shall lie, as \"R,S(1)\"")->required();
    add("--planner", planOptions_.planner, "KIND", "min-cost (default), greedy or decompose");
    addTopology(plan_, planOptions_.topology);
    plan_->add_flag("--all", planOptions_.all, "Show all other plans that were weighed");
    addJson(plan_, planOptions_.output, "Print one JSON object");
    plan_->footer(kOnPlans);
  }

  void addOps() {
    ops_ = app_.add_subcommand("ops", "List the operators that have a sharding rule");
    ops_->add_option("NAME", opsOptions_.name, "A part of the name, as embedding; with schemas");
    addJson(ops_, opsOptions_.output, "Print one JSON object");
    ops_->footer("Exit codes: 0 some were found, 1 none, 2 the command line is wrong.");
  }

  void addDoctor() {
    doctor_ = app_.add_subcommand(
        "doctor", "Say what this machine has for runs, and what to do about what it has not");
    addJson(doctor_, doctorOptions_.output, "Print one JSON object");
    doctor_->footer(
        "Exit codes: 0 simulated ranks and processes can run, 1 something is wrong, 2 the command\n"
        "line is wrong. GPUs may be missing.");
  }

  void addServe() {
    serve_ = app_.add_subcommand("serve", "Let others follow the recordings of a run");
    serve_->add_option("DIR", serveCommand_.folder, "The folder that the run records to")
        ->required();
    serve_->add_option("--port", serveCommand_.port, "On 127.0.0.1; any free one by default")
        ->type_name("N");
    addTokenFile(serve_, serveCommand_.tokenFile,
                 "What clients have to know; drawn and printed where it is left out");
    serve_->footer(kOnServing);
  }

  void addFollow() {
    follow_ = app_.add_subcommand("follow", "Copy the recordings of a run while it goes on");
    follow_
        ->add_option_function<std::string>(
            "HOST:PORT",
            [this](const std::string& where) {
              const auto colon = where.rfind(':');
              followCommand_.host = where.substr(0, colon);
              followCommand_.port = where.substr(colon + 1);
            },
            "What serve says, or the near end of a tunnel to it")
        ->required()
        ->check(CLI::Validator(refuseAddress, "", "address"));
    follow_->add_option("--into", followCommand_.into, "The folder to write to")
        ->type_name("DIR")
        ->required();
    addTokenFile(follow_, followCommand_.tokenFile, "Its first line is the token");
    addJson(follow_, followCommand_.output, "Print what happens, one JSON object a line");
    follow_->footer(kOnFollowing);
  }

  static void addTokenFile(CLI::App* command, std::optional<std::filesystem::path>& file,
                           const std::string& help) {
    command->add_option("--token-file", file, help + "; only its owner may read it")
        ->type_name("FILE");
  }

  // The window's child process: not for people, so not in the help.
  void addEngine() {
    engine_ = app_.add_subcommand("engine", "Run a scenario for the window");
    engine_->group("");
    engine_->add_option("--socket", engineOptions_.socket)->required();
    engine_->add_option("--record", engineOptions_.record)->required();
    engine_->add_option("SCENARIO", engineOptions_.scenario)->required();
  }

  static void addTopology(CLI::App* command, std::optional<std::filesystem::path>& file) {
    command
        ->add_option("--topology", file,
                     "What links and collectives take, by which plans are chosen (plan --help)")
        ->type_name("FILE");
  }

  static void addRecording(CLI::App* command, std::vector<std::filesystem::path>& files) {
    command
        ->add_option("PATH", files,
                     "A recording; or those of a run's processes, or their folder, as one")
        ->required();
  }

  static void addJson(CLI::App* command, Output& output, const std::string& help) {
    command->add_flag_callback(
        "--json", [&output] { output = Output::Json; }, help);
  }

  CLI::App app_{kAbout, "shardlens"};
  CLI::App* run_ = nullptr;
  CLI::App* replay_ = nullptr;
  CLI::App* show_ = nullptr;
  CLI::App* info_ = nullptr;
  CLI::App* query_ = nullptr;
  CLI::App* problems_ = nullptr;
  CLI::App* lint_ = nullptr;
  CLI::App* plan_ = nullptr;
  CLI::App* ops_ = nullptr;
  CLI::App* doctor_ = nullptr;
  CLI::App* serve_ = nullptr;
  CLI::App* follow_ = nullptr;
  CLI::App* engine_ = nullptr;
  RunOptions runOptions_;
  ReplayOptions replayOptions_;
  ShowOptions showOptions_;
  InfoOptions infoOptions_;
  QueryOptions queryOptions_;
  ProblemsOptions problemsOptions_;
  LintOptions lintOptions_;
  PlanOptions planOptions_;
  OpsOptions opsOptions_;
  DoctorOptions doctorOptions_;
  ServeCommand serveCommand_;
  FollowCommand followCommand_;
  EngineOptions engineOptions_;
};

}  // namespace

std::variant<Command, int> parseCommandLine(int argc, char** argv) {
  return CommandLine().parse(argc, argv);
}

}  // namespace shardlens::cli
