// Errors of command lines, as entries of the error catalogue.
#include "tools/command_line.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "base/errors/tools.h"
#include "base/log.h"
#include "base/variables.h"
#include "base/wrong_variables.h"
#include "tools/exit_code.h"
#include "tools/manual/manual.h"
#include "tools/manual/suggest.h"

namespace tputwin::tools {
namespace {

// Returns "tputwin run": the command that the arguments chose.
std::string chosen_command(const CLI::App& app) {
  std::string name = app.get_name();
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  return name;
}

// Formats of --help-as.
constexpr std::array kFormats{"man", "json", "bash", "zsh"};

// Handles `PROGRAM --help-as FORMAT`, even without required arguments.
std::optional<int> other_help(CLI::App& app, int argc, char** argv, int usage_code) {
  if (argc < 2 || std::string_view(argv[1]) != "--help-as") return {};
  const auto text = argc == 3 ? help_as(app, argv[2]) : std::nullopt;
  if (!text) {
    const std::vector<std::string> formats(kFormats.begin(), kFormats.end());
    return bad_usage(app, "--help-as: expected " + listed(formats), usage_code);
  }
  std::fputs(text->c_str(), stdout);
  return kOk;
}

// Prints the variables of the environment whose values are nonsense. Returns the exit code if a run
// would silently be different.
std::optional<int> check_environment(const std::string& tool, int usage_code) {
  std::optional<int> code;
  for (const Error& wrong : wrong_variables()) {
    if (wrong.info().level == Level::error) code = usage_code;
    print_line(tool, wrong);
  }
  static_cast<void>(log_level_in_force());  // says what is wrong with its own variable
  return code;
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string choices(const std::vector<std::string>& names) {
  return "{" + CLI::detail::join(names, ",") + "}";
}

CLI::Validator one_of_names(std::vector<std::string> names) {
  const std::string described = choices(names);
  auto check = [names = std::move(names)](std::string& text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return {};
    return "\"" + text + "\" is not known; expected " + listed(names);
  };
  return CLI::Validator(check, described);
}

CLI::Validator at_least_one() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
        if (digits && text.find_first_not_of('0') != text.npos) return {};
        return "\"" + text + "\" is not a number from 1 on";
      },
      "COUNT");
}

Error usage_error(const CLI::App& app, const std::string& problem) {
  const std::string command = chosen_command(app);
  return Error(errors::cli_usage)
      .in(command)
      .detail(fmt::format("{}; see `{} --help`", problem, command));
}

int bad_usage(const CLI::App& app, const std::string& problem, int usage_code) {
  print_error(app.get_name(), usage_error(app, problem));
  return usage_code;
}

void add_native_plugins(CLI::App& app) {
  app.add_flag_callback(
      "--allow-native-plugins", [] { setenv(name_of(EnvVariable::allow_native_plugins), "1", 1); },
      "load native code that the model carries: it runs with your rights");
}

std::optional<int> parse(CLI::App& app, int argc, char** argv, int usage_code) {
  app.add_option_function<std::string>(
         "--help-as",
         [](const std::string&) { throw CLI::ValidationError("--help-as", "it stands alone"); },
         "print this help as " + listed({kFormats.begin(), kFormats.end()}))
      ->type_name("FORMAT");
  if (auto ended = check_environment(app.get_name(), usage_code)) return ended;
  if (auto ended = other_help(app, argc, argv, usage_code)) return ended;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool unknown =
        kind == CLI::ExitCodes::ExtrasError || kind == CLI::ExitCodes::RequiredError;
    return bad_usage(app, error.what() + (unknown ? suggestion(app, argc, argv) : ""), usage_code);
  }
  return {};
}

}  // namespace tputwin::tools
