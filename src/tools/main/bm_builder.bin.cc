// bm_builder.bin: the vendor's compiler of Caffe models, with its options. (BMNet guide 4.2)
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "base/errors/bmnet.h"
#include "base/log.h"
#include "tools/command_line.h"
#include "tools/compile.h"
#include "tools/exit_code.h"

namespace {

using tputwin::tools::CompileRequest;
using tputwin::tools::one_of_names;

// Exit code for missing and bad arguments: the vendor's exit(-1).
constexpr int kUsage = 255, kFailed = 1;

struct Options {
  std::string target = "bm1880", shape, fc_left_shift, log_directory;
  std::string layer_group = "no", weight_optimize = "no", fusion_layers = "no", cpu_softmax = "yes";
  int profile = 0;
  bool dequantized = false, dump_all = false;
};

// The first match wins, as in the vendor's sample.
tputwin::net::Level level_of(const Options& o) {
  using tputwin::net::Level;
  if (o.fusion_layers == "yes") return Level::layer_group;
  if (o.weight_optimize == "yes") return Level::weight_optimization;
  if (o.layer_group == "yes") return Level::recycle_memory;
  return Level::none;
}

void add_options(CLI::App& app, Options& o, CompileRequest& r) {
  const auto yes_no = one_of_names({"yes", "no"});
  app.add_option("-t,--target", o.target, "bm1880")->check(one_of_names({"bm1880"}));
  app.add_option("-n,--name", r.name, "name of the net")->required();
  app.add_option("-s,--shape", o.shape, "n,c,h,w of the input; 8, 12 ... numbers for several")
      ->required();
  app.add_option("-c,--caffemodel,-i,--in_model", r.caffemodel, "int8 caffemodel")->required();
  app.add_option("-m,--modified_proto", r.prototxt, "deploy prototxt to use");
  app.add_option("-d,--in_ctable", r.table, "calibration table")->required();
  app.add_option("-e,--out_ctable", r.out_table, "calibration table to write");
  app.add_option("-u,--plugin", r.plugin_directory, "folder of CPU plugins");
  app.add_option("-p,--out_proto", r.ir, "optimized IR as text");
  app.add_option("-o,--out_model", r.model, "bmodel");
  app.add_option("-b,--out_cmdbuf", r.commands, "raw command buffer");
  app.add_option("-g,--out_weight", r.weights, "raw weights");
  app.add_option("--enable-layer-group", o.layer_group, "yes or no")->check(yes_no);
  app.add_option("--enable-weight-optimize", o.weight_optimize, "yes or no")->check(yes_no);
  app.add_option("--enable-fusion-layers", o.fusion_layers, "yes or no")->check(yes_no);
  app.add_option("--enable-cpu-softmax", o.cpu_softmax, "yes; Softmax always runs on the CPU")
      ->check(yes_no);
  app.add_option("--enable-profile", o.profile, "accepted; `tputwin run` prints a profile");
  app.add_option("--fc-left-shift", o.fc_left_shift,
                 "accepted; inner products are never split along their inputs");
  app.add_option("--glog_out_dir", o.log_directory, "accepted; nothing is logged");
  app.add_flag("--enable-dequantized", o.dequantized, "outputs as floats");
  app.add_flag("--dump-all-neuron", o.dump_all, "keep all intermediate tensors");
}

// Parses groups of four numbers.
tputwin::Status set_shapes(const std::string& text, CompileRequest& r) {
  auto numbers = tputwin::tools::parse_shape(text);
  if (!numbers.ok()) return tputwin::Status(numbers.error());
  if (numbers->size() % 4 != 0)
    return tputwin::Error(tputwin::errors::net_cli)
        .argument("--shape", text)
        .detail("expected n,c,h,w for every input");
  for (size_t i = 0; i < numbers->size(); i += 4)
    r.shapes.emplace_back(numbers->begin() + static_cast<ptrdiff_t>(i),
                          numbers->begin() + static_cast<ptrdiff_t>(i) + 4);
  return {};
}

int fail(const tputwin::Error& error, int code) {
  tputwin::tools::print_error("bm_builder.bin", error);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles an int8 Caffe model into a bmodel", "bm_builder.bin");
  app.set_version_flag("--version", "tputwin " TPUTWIN_VERSION);
  app.footer(
      "Example:\n  bm_builder.bin -t bm1880 -n lenet -c int8.caffemodel -m deploy.prototxt "
      "-d table.pb2 -s 1,1,28,28 --enable-weight-optimize=yes -o lenet.bmodel\n");
  Options options;
  CompileRequest request;
  add_options(app, options, request);
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = tputwin::tools::parse(app, argc, argv, kUsage)) return *ended;
  if (request.ir.empty() && request.model.empty())
    return tputwin::tools::bad_usage(app, "--out_proto or --out_model is required", kUsage);
  if (tputwin::Status s = set_shapes(options.shape, request); !s.ok())
    return fail(s.error(), kUsage);
  request.options.level = level_of(options);
  request.options.dequantize_outputs = options.dequantized;
  request.options.keep_all = options.dump_all;
  auto result = tputwin::tools::compile_caffe(request);
  if (!result.ok()) return fail(result.error(), kFailed);
  tputwin::tools::print_warnings("bm_builder.bin");
  fmt::print("{}", tputwin::tools::compile_text(request, *result));
  return 0;
}
