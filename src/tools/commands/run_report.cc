// The end of a run without pictures: its report, and the comparison with a file.
#include <fmt/format.h>

#include <cstdio>

#include "base/file.h"
#include "base/last_error.h"
#include "tools/commands/command.h"
#include "tools/commands/run_command.h"
#include "tools/compare.h"

namespace tputwin::tools {
namespace {

constexpr size_t kShownDifferences = 10;

// Reads raw bytes, or those of the array in an .npy file.
Result<std::vector<uint8_t>> read_expected(const std::string& path, uint64_t size) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path, most_to_read(size)));
  if (!path.ends_with(".npy")) return bytes;
  auto array = read_npy(std::move(bytes));
  if (!array.ok()) return in_call(array.error(), path);
  return std::move(array->bytes);
}

// With --json the report is printed, and the comparison is a member of it.
int compare_output(const std::vector<uint8_t>& output, const std::string& path, Json* json) {
  auto expected = read_expected(path, output.size());
  if (!expected.ok()) return fail("tputwin", expected.error());
  auto result = compare(output, *expected, Element::int8);
  if (!result.ok()) return fail("tputwin", result.error());
  if (json != nullptr) {
    (*json)["compare"] = comparison_json(*result, path);
    return result->equal() ? kOk : kDiffers;
  }
  if (result->equal()) {
    fmt::print("compare all {} bytes equal {}\n", result->count, path);
    return kOk;
  }
  fmt::print("compare {} of {} bytes differ from {}\n{}", result->differences.size(), result->count,
             path, differences_text(*result, kShownDifferences));
  return kDiffers;
}

}  // namespace

void print_report(const RunCommand& command, const std::string& text) {
  if (!command.json) std::fputs(text.c_str(), stdout);
}

int finish_run(const RunCommand& command, Json json, const std::vector<uint8_t>& output) {
  int code = kOk;
  if (!command.reference_output.empty())
    code = compare_output(output, command.reference_output, command.json ? &json : nullptr);
  if (command.json) print_json(json);
  return code;
}

}  // namespace tputwin::tools
