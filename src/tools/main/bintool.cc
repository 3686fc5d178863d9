// bintool: compares and dumps raw results.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.h"
#include "base/log.h"
#include "tools/command_line.h"
#include "tools/compare.h"
#include "tools/exit_code.h"

namespace {

using namespace tputwin;
using namespace tputwin::tools;

const std::vector<std::pair<std::string, Element>> kElements{
    {"int8", Element::int8}, {"fp32", Element::fp32}, {"float", Element::fp32}};

int compare_files(const std::string& first, const std::string& second, Element element,
                  double epsilon) {
  auto a = read_bytes(first), b = read_bytes(second);
  if (!a.ok()) return fail("bintool", a.error());
  if (!b.ok()) return fail("bintool", b.error());
  auto result = compare(*a, *b, element, epsilon);
  if (!result.ok()) return fail("bintool", result.error());
  for (const Difference& d : result->differences)
    fmt::print("{}: {} {}\n", d.index, d.first, d.second);
  fmt::print("{} of {} values differ by more than {}, similarity {:.6f}\n",
             result->differences.size(), result->count, epsilon, result->similarity);
  return result->equal() ? kOk : kDiffers;
}

int dump_file(const std::string& path, Element element) {
  auto bytes = read_bytes(path);
  if (!bytes.ok()) return fail("bintool", bytes.error());
  auto text = dump(*bytes, element);
  if (!text.ok()) return fail("bintool", text.error());
  std::fputs(text->c_str(), stdout);
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares and dumps files of raw int8 or fp32 values", "bintool");
  app.require_subcommand(1);
  app.footer(
      fmt::format("Examples:\n  bintool compare int8 result.bin expected.bin 1\n"
                  "  bintool dump fp32 result.bin\n\n{}",
                  kExitCodes));
  int exit = kOk;
  std::string first, second;
  Element element = Element::int8;
  double epsilon = 0;
  auto add_type = [&](CLI::App* sub) {
    sub->add_option("TYPE", element, "int8, fp32 or float")
        ->required()
        ->transform(one_of<Element>(kElements));
  };
  auto* comparing = app.add_subcommand("compare", "Print where two files differ");
  add_type(comparing);
  comparing->add_option("FILE0", first)->required();
  comparing->add_option("FILE1", second)->required();
  comparing->add_option("EPSILON", epsilon, "largest |difference| that counts as equal");
  comparing->callback([&] { exit = compare_files(first, second, element, epsilon); });
  auto* dumping = app.add_subcommand("dump", "Print every value");
  add_type(dumping);
  dumping->add_option("FILE0", first)->required();
  dumping->callback([&] { exit = dump_file(first, element); });
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  return exit;
}
