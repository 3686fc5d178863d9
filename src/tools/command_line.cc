// Errors of command lines, as entries of the error catalogue.
#include "tools/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "base/errors/tools.h"
#include "base/log.h"
#include "base/parallel.h"
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

// A flag that no user gives. CLI11 ends a list of values (--ddr 28,56, or --json without a file) at
// "--" and drops it. So the parser would take the options of PROGRAM for its own. A flag before
// "--" ends the list first.
constexpr const char* kBeforeDashes = "--before-dashes";

void add_flag_before_dashes(CLI::App& app) {
  app.add_flag(kBeforeDashes)->group("");
  for (CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_name().empty()) add_flag_before_dashes(*sub);
}

// CLI11 lists the options that another one needs or excludes in the order of their addresses. Here
// they are in the order of their names.
class SortedFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (const auto& [label, others] :
         {std::pair("Needs", option->get_needs()), {"Excludes", option->get_excludes()}}) {
      const auto listed = [&](const std::vector<std::string>& names) {
        return fmt::format(" {}: {}", get_label(label), fmt::join(names, " "));
      };
      std::vector<std::string> names;
      for (const CLI::Option* other : others) names.push_back(other->get_name());
      const std::string unsorted = listed(names);
      std::ranges::sort(names);
      if (const size_t at = text.find(unsorted); at != std::string::npos && !names.empty())
        text.replace(at, unsorted.size(), listed(names));
    }
    return text;
  }
};

void sort_options(CLI::App& app, const std::shared_ptr<SortedFormatter>& formatter) {
  formatter->column_width(app.get_formatter()->get_column_width());
  app.formatter(formatter);
  for (CLI::App* sub : app.get_subcommands({})) sort_options(*sub, formatter);
}

// Returns the command that words choose, as far as it can be told without parsing them.
const CLI::App& command_of(const CLI::App& app, const std::vector<std::string>& words,
                           std::string& name) {
  const CLI::App* at = &app;
  name = app.get_name();
  for (const std::string& word : words) {
    const auto subs = at->get_subcommands(
        [&](const CLI::App* sub) { return !sub->get_name().empty() && sub->check_name(word); });
    if (subs.empty()) continue;
    at = subs.front();
    name += " " + at->get_name();
  }
  return *at;
}

// Returns the words of a command line with the flag before "--". An option whose value is missing
// there would take "--" for it.
Result<std::vector<std::string>> with_flag_before_dashes(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return words;
  std::string name;
  const CLI::App& command = command_of(app, {words.begin() + 1, dashes}, name);
  const std::string before = dashes - words.begin() > 1 ? *(dashes - 1) : "";
  const CLI::Option* option =
      before.starts_with('-') ? command.get_option_no_throw(before) : nullptr;
  if (option != nullptr && option->get_items_expected_min() > 0)
    return Error(errors::cli_usage)
        .in(name)
        .detail(fmt::format("{} has no value before --; see `{} --help`", before, name));
  add_flag_before_dashes(app);
  words.insert(dashes, kBeforeDashes);
  return words;
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

// Returns where options of PROGRAM stand, for a command that has one.
std::string place_of_program_options(const CLI::App& app, int argc, char** argv) {
  std::string name;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (std::find(words.begin(), words.end(), "--") != words.end()) return "";
  const CLI::App& command = command_of(app, words, name);
  if (command.get_option_no_throw("PROGRAM") == nullptr) return "";
  return fmt::format("; what follows -- belongs to PROGRAM: {} [OPTIONS] -- PROGRAM ...", name);
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

CLI::Validator between(double low, double high) {
  const std::string range = fmt::format("{:g} to {:g}", low, high);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return {};
        return "\"" + text + "\" is not a number from " + range;
      },
      "FLOAT");
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) -> std::string { return text.empty() ? "it must not be empty" : ""; },
      "TEXT");
}

CLI::Validator threads() {
  return at_least_one() & CLI::Range(1, kMostThreads, "1 to " + std::to_string(kMostThreads));
}

namespace {

// Returns the program that a command belongs to.
const CLI::App& program_of(const CLI::App& app) {
  const CLI::App* program = &app;
  while (program->get_parent() != nullptr) program = program->get_parent();
  return *program;
}

}  // namespace

Error usage_error(const CLI::App& app, const std::string& problem) {
  const std::string command = chosen_command(program_of(app));
  return Error(errors::cli_usage)
      .in(command)
      .detail(fmt::format("{}; see `{} --help`", problem, command));
}

int bad_usage(const CLI::App& app, const std::string& problem, int usage_code) {
  print_error(program_of(app).get_name(), usage_error(app, problem));
  return usage_code;
}

void add_native_plugins(CLI::App& app) {
  app.add_flag_callback(
      "--allow-native-plugins", [] { setenv(name_of(EnvVariable::allow_native_plugins), "1", 1); },
      "load native code that the model carries: it runs with your rights");
}

void add_output_names(CLI::App& app, std::vector<std::string>& names) {
  app.add_option("--output-names", names,
                 "of ONNX: end the net at these tensors, or at nodes of these names, with commas "
                 "between them; default: the file's outputs")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(not_empty())
      ->type_name("NAME[,NAME]");
}

std::optional<int> parse(CLI::App& app, int argc, char** argv, int usage_code) {
  app.add_option_function<std::string>(
         "--help-as",
         [](const std::string&) { throw CLI::ValidationError("--help-as", "it stands alone"); },
         "print this help as " + listed({kFormats.begin(), kFormats.end()}))
      ->type_name("FORMAT");
  sort_options(app, std::make_shared<SortedFormatter>());
  if (auto ended = check_environment(app.get_name(), usage_code)) return ended;
  if (auto ended = other_help(app, argc, argv, usage_code)) return ended;
  const auto words = with_flag_before_dashes(app, argc, argv);
  if (!words.ok()) {
    print_error(app.get_name(), words.error());
    return usage_code;
  }
  try {
    app.parse(std::vector<std::string>(words->rbegin(), words->rend() - 1));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool unknown =
        kind == CLI::ExitCodes::ExtrasError || kind == CLI::ExitCodes::RequiredError;
    std::string text = error.what();
    if (unknown) text += suggestion(app, argc, argv);
    if (kind == CLI::ExitCodes::ExtrasError) text += place_of_program_options(app, argc, argv);
    return bad_usage(app, text, usage_code);
  }
  return {};
}

}  // namespace tputwin::tools
