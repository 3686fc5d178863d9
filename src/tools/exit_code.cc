#include "tools/exit_code.h"

#include <fmt/format.h>

#include <cstdio>

namespace tputwin::tools {

ExitCode exit_code(const Error& error) {
  switch (error.id()) {
    case ErrorId::sys_file_read:
    case ErrorId::sys_file_write:
      return kBadFile;
    case ErrorId::cli_shape:
    case ErrorId::cli_input_size:
    case ErrorId::cli_compare_size:
    case ErrorId::cli_variety:
    case ErrorId::cli_unknown_error:
    case ErrorId::net_cli:
    case ErrorId::bml_kernel_unknown:
    case ErrorId::bml_kernel_name:
    case ErrorId::mod_combine:
      return kUsage;
    default:
      // What a container cannot hold is about the file, like what a file gets wrong.
      bool container = error.code().starts_with("TW-MOD");
      return container || error.info().kind == ErrorKind::malformed ? kBadFile : kFailed;
  }
}

ExitCode fail(std::string_view tool, const Error& error) {
  fmt::print(stderr, "{}: error: {}\n", tool, error.message());
  return exit_code(error);
}

}  // namespace tputwin::tools
