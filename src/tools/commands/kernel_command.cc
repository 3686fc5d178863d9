// tputwin kernel: lists or runs the kernels of a shared object.
#include <fmt/format.h>

#include "base/file.h"
#include "tools/commands/command.h"
#include "tools/kernel.h"
#include "tools/reports/json.h"

namespace tputwin::tools {
namespace {

int list_kernels(const std::string& library, bool json) {
  auto names = load_kernels(library);
  if (!names.ok()) return fail("tputwin", names.error());
  if (json) {
    print_json(*names);
    return kOk;
  }
  for (const std::string& name : *names) fmt::print("{}\n", name);
  return kOk;
}

int run_one_kernel(const std::string& library, const std::string& kernel,
                   const std::string& parameters, bool json) {
  auto text = parameters.empty() ? Result(std::vector<uint8_t>{'[', ']'}) : read_bytes(parameters);
  if (!text.ok()) return fail("tputwin", text.error());
  if (auto names = load_kernels(library); !names.ok()) return fail("tputwin", names.error());
  return print(run_kernel(kernel, {text->begin(), text->end()}, json));
}

}  // namespace

void add_kernel(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("kernel", "OKKernel kernels of a shared object");
  sub->require_subcommand(1);
  auto library = std::make_shared<std::string>(), kernel = std::make_shared<std::string>(),
       parameters = std::make_shared<std::string>();
  constexpr const char* kLibrary = "shared object of kernels compiled for this machine";
  auto json = std::make_shared<bool>(false);
  auto* list = sub->add_subcommand("list", "Names of the kernels");
  list->add_option("LIBRARY", *library, kLibrary)->required();
  list->add_flag("--json", *json, "as JSON");
  list->footer(footer("  tputwin kernel list kernels.so\n"));
  list->callback([=, &exit] { exit = list_kernels(*library, *json); });
  auto* run = sub->add_subcommand("run", "Run one kernel on the simulated chip");
  run->add_option("LIBRARY", *library, kLibrary)->required();
  run->add_option("NAME", *kernel, "the kernel")->required();
  run->add_option("--params", *parameters, "JSON file that describes the argument struct");
  run->add_flag("--json", *json, "as JSON");
  run->footer(footer("  tputwin kernel run kernels.so scale --params scale.json\n"));
  run->callback([=, &exit] { exit = run_one_kernel(*library, *kernel, *parameters, *json); });
  sub->footer(
      footer("  tputwin kernel list kernels.so\n"
             "  tputwin kernel run kernels.so scale --params scale.json\n"));
}

}  // namespace tputwin::tools
