// Exit codes of the tools, by kind of error.
#include "tools/exit_code.h"

#include "base/errors/base.h"
#include "base/errors/bmlib.h"
#include "base/errors/bmnet.h"
#include "base/errors/bmodel.h"
#include "base/errors/bmrt.h"
#include "base/errors/machine.h"
#include "base/errors/tools.h"
#include "base/last_error.h"

#include <fmt/format.h>

#include <cstdio>

#include "tools/manual/colour.h"

namespace tputwin::tools {

ExitCode exit_code(const Error& error) {
  switch (error.id()) {
    case errors::sys_file_read:
    case errors::sys_file_write:
    case errors::cli_selftest_files:
      return kBadFile;
    case errors::cli_shape:
    case errors::cli_input_size:
    case errors::cli_compare_size:
    case errors::cli_variety:
    case errors::cli_unknown_error:
    case errors::cli_selftest_kind:
    case errors::mch_isa:
    case errors::cli_usage:
    case errors::net_cli:
    case errors::cli_stage:
    case errors::cli_inputs:
    case errors::cli_input_number:
    case errors::cli_bm168x:
    case errors::cli_option_of_chip:
    case errors::cli_output:
    case errors::sys_variable:
    case errors::brt_net:
    case errors::bml_kernel_unknown:
    case errors::bml_kernel_name:
    case errors::mod_combine:
      return kUsage;
    default:
      if (error.code().starts_with("TW-NET") && error.info().kind != ErrorKind::malformed)
        return kRefused;
      // A limit of the container concerns the file, as an error in a file does.
      bool container = error.code().starts_with("TW-MOD");
      return container || error.info().kind == ErrorKind::malformed ? kBadFile : kFailed;
  }
}

void print_error(std::string_view tool, const Error& error) {
  fmt::print(stderr, "{}: {} {}\n", tool, coloured(stderr, Colour::red, "error:"), error.message());
}

void print_line(std::string_view tool, const Error& error) {
  if (error.info().level == Level::error) return print_error(tool, error);
  fmt::print(stderr, "{}: warning: {}\n", tool, error.message());
}

void print_warnings(std::string_view tool) {
  for (const WarningCount& warning : thread_diagnostics().warnings())
    fmt::print(stderr, "{}: warning: {}\n", tool, warning.sample.message());
}

ExitCode fail(std::string_view tool, const Error& error) {
  print_error(tool, error);
  return exit_code(error);
}

}  // namespace tputwin::tools
