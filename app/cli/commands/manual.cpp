#include "app/cli/command_tree.h"
#include "app/cli/commands.h"
#include "core/base/text.h"
#include "shardlens_build.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <memory>
#include <sstream>

namespace shardlens::cli {
namespace {

// Escapes roff's special characters: backslashes, hyphens, and a dot or quote at the start of a
// line.
std::string roff(std::string_view text) {
  std::string all;
  for (const char letter : text) {
    if (all.empty() || all.back() == '\n') {
      if (letter == '.' || letter == '\'') all += "\\&";
    }
    if (letter == '\\') {
      all += "\\e";
    } else if (letter == '-') {
      all += "\\-";
    } else {
      all += letter;
    }
  }
  return all;
}

std::string heading(std::string_view page, std::string_view version) {
  std::string upper(page);
  for (char& letter : upper) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return fmt::format(".TH {} 1 \"\" \"Shardlens {}\" \"Shardlens\"\n", roff(upper), version);
}

// A text that keeps its line breaks.
std::string verbatim(const std::string& text) { return ".nf\n" + roff(text) + "\n.fi\n"; }

std::string nameOf(const OptionInfo& option) {
  std::string name = "\\fB" + roff(option.name) + "\\fR";
  if (!option.type.empty() && !option.isPositional) name += " \\fI" + roff(option.type) + "\\fR";
  return name;
}

// Returns shardlens(1) in the macros of man(7).
std::string programPage(const CLI::App& app, std::string_view version) {
  std::string text = heading("shardlens", version) +
                     ".SH NAME\nshardlens \\- see and debug tensor placements\n"
                     ".SH SYNOPSIS\n\\fBshardlens\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
                     ".SH DESCRIPTION\n" +
                     roff(app.get_description()) + "\n.SH COMMANDS\n";
  for (const auto& command : commandsOf(app)) {
    text += fmt::format(".TP\n\\fBshardlens\\-{}\\fR(1)\n{}\n", roff(command.name),
                        roff(command.about));
  }
  return text +
         ".SH EXIT STATUS\n0 all ran, 1 a step was refused, 2 the command line or a file is "
         "wrong.\n";
}

// Returns the page of a command, e.g. shardlens-run(1).
std::string commandPage(const CommandInfo& command, std::string_view version) {
  std::string positionals;
  std::string options;
  for (const auto& option : command.options) {
    const std::string about = roff(option.about);
    const std::string words =
        option.words.empty() ? "" : fmt::format("\n.br\nOne of {}.", roff(joined(option.words)));
    options += ".TP\n" + nameOf(option) + "\n" + about + words + "\n";
    if (option.isPositional) positionals += " \\fI" + roff(option.name) + "\\fR";
  }
  return heading("shardlens-" + command.name, version) +
         fmt::format(
             ".SH NAME\nshardlens\\-{0} \\- {1}\n"
             ".SH SYNOPSIS\n\\fBshardlens {0}\\fR [\\fIOPTIONS\\fR]{2}\n"
             ".SH OPTIONS\n{3}",
             roff(command.name), roff(command.about), positionals, options) +
         (command.footer.empty() ? "" : ".SH NOTES\n" + verbatim(command.footer)) +
         ".SH SEE ALSO\n\\fBshardlens\\fR(1)\n";
}

Result<void> writePage(const std::filesystem::path& path, const std::string& page) {
  std::ofstream file(path, std::ios::binary);
  file << page;
  file.close();
  if (!file) return fail("cannot write " + path.string());
  return {};
}

int writeManual(const CommandLine& line, const std::filesystem::path& folder) {
  auto written = writePage(folder / "shardlens.1", programPage(line.app(), kVersion));
  for (const auto& command : commandsOf(line.app())) {
    if (!written) break;
    written =
        writePage(folder / ("shardlens-" + command.name + ".1"), commandPage(command, kVersion));
  }
  return written ? kAllRan : unusable("manual: " + written.error().message);
}

}  // namespace

void addManual(CommandLine& line) {
  const auto folder = std::make_shared<std::filesystem::path>();
  CLI::App& command =
      line.addHidden("manual", [&line, folder] { return writeManual(line, *folder); });
  command.add_option("DIR", *folder)->required()->check(CLI::ExistingDirectory);
}

}  // namespace shardlens::cli
