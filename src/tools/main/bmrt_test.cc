// bmrt_test: runs the nets of bmodels for the BM1684 and the BM1684X, prints their times and
// compares with the outputs of a context directory.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "base/errors/tools.h"
#include "base/log.h"
#include "tools/bm168x/bmrt_test.h"
#include "tools/command_line.h"
#include "tools/exit_code.h"

namespace {

using namespace tputwin;
using namespace tputwin::tools;

constexpr const char* kName = "bmrt_test";

struct Arguments {
  std::vector<std::string> files, directories;
  std::string list, shapes, output_shapes;
  int device = 0, compare = 1;
  std::vector<int> cores;
  BmrtTestOptions options;
};

// Parses "[1,3,224,224],[1,8]".
bool parse_shapes(const std::string& text, ShapeList& shapes) {
  for (const char c : text) {
    if (c == '[')
      shapes.emplace_back();
    else if (c == ',' && !shapes.empty() && !shapes.back().empty() && shapes.back().back() != 0)
      shapes.back().push_back(0);
    else if ('0' <= c && c <= '9' && !shapes.empty()) {
      if (shapes.back().empty()) shapes.back().push_back(0);
      shapes.back().back() = shapes.back().back() * 10 + static_cast<uint32_t>(c - '0');
    } else if (c != ']' && c != ',' && c != ' ') {
      return false;
    }
  }
  return true;
}

int report(const Result<BmrtTestReport>& result) {
  if (!result.ok()) return fail(kName, result.error());
  std::fputs(result->text.c_str(), stdout);
  return result->equal ? kOk : kDiffers;
}

int test_file(const std::string& path, const BmrtTestOptions& options) {
  auto file = bmodel::open_file(path);
  if (!file.ok()) return fail(kName, file.error());
  if (file->bm168x() == nullptr)
    return fail(kName, Error(errors::cli_bm168x).argument("--bmodel", path));
  return report(test_nets(*file, {}, options));
}

int run(const Arguments& arguments) {
  int worst = kOk;
  for (const std::string& path : arguments.files)
    worst = std::max(worst, test_file(path, arguments.options));
  for (const std::string& path : arguments.directories)
    worst = std::max(worst, report(test_directory(path, arguments.options)));
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs bmodels of the BM1684 and BM1684X, times and compares them", kName);
  app.set_version_flag("--version", "bmrt_test of tputwin " TPUTWIN_VERSION);
  app.footer(
      fmt::format("Examples:\n  bmrt_test --bmodel net.bmodel --calculate_times 10\n"
                  "  bmrt_test --context_dir net_output\n\n{}",
                  kExitCodes));
  Arguments a;
  BmrtTestOptions& o = a.options;
  app.add_option("--bmodel", a.files, "run every net and stage on made-up input");
  app.add_option("--context_dir", a.directories,
                 "compilation.bmodel, input_ref_data.dat, output_ref_data.dat: run and compare");
  app.add_option("--bmodel_list", a.list, "a file that names a context directory a line");
  app.add_option("--devid", a.device, "the device; 0")->check(CLI::Range(0, 0));
  app.add_option("--compare", a.compare, "0: do not compare")->check(CLI::Range(0, 1));
  app.add_option("--accuracy_f", o.float_accuracy, "largest relative difference of floats (0.01)");
  app.add_option("--accuracy_i", o.int_accuracy, "largest difference of integers (0)");
  app.add_option("--loopnum", o.loops, "run so many times")->check(at_least_one());
  app.add_option("--calculate_times", o.times, "times this many runs")->check(at_least_one());
  app.add_option("--thread_num", o.threads, "threads with a runtime each")->check(at_least_one());
  app.add_option("--net_idx", o.net, "only this net, from 0");
  app.add_option("--stage_idx", o.stage, "only this stage, from 0");
  app.add_option("--shapes", a.shapes, "only the stage of these input shapes: [1,3,8,8],[1,4]");
  app.add_option("--export_output", o.export_output, "write all outputs to this file");
  app.add_option("--export_neuron", o.export_neuron,
                 "write the neuron memory that the stages leave to this file");
  app.add_option("--output_shapes", a.output_shapes, "what the outputs are: [1,1000],[1,4]");
  app.add_flag("--profile", o.profile, "show operations, and what they cost at full rate");
  app.add_flag("--subnet_time", o.subnet_time, "show how long each subnet takes");
  app.add_flag("--debug_output", o.debug_output, "show the first values of each output");
  app.add_option("--core_list", a.cores, "these chips have core 0")->check(CLI::Range(0, 0));
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  if (!parse_shapes(a.shapes, o.shapes))
    return bad_usage(app, "--shapes: expected [1,3,8,8]", kUsage);
  if (!parse_shapes(a.output_shapes, o.output_shapes))
    return bad_usage(app, "--output_shapes: expected [1,1000]", kUsage);
  o.compare = a.compare != 0;
  if (!a.list.empty()) {
    std::ifstream lines(a.list);
    if (!lines) return bad_usage(app, "--bmodel_list: no such file", kUsage);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) a.directories.push_back(line);
  }
  if (a.files.empty() && a.directories.empty())
    return bad_usage(app, "--bmodel or --context_dir is required", kUsage);
  return run(a);
}
