// tputwin compile: compiles a Caffe or ONNX model to a bmodel.
#include <fmt/format.h>

#include <cstdio>
#include <tuple>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/load.h"
#include "bmnet/targets/bm1684/target.h"
#include "tools/bm168x/compile_stream.h"
#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/compile.h"
#include "tools/reports/dryrun.h"
#include "tools/reports/json.h"

namespace tputwin::tools {
namespace {

enum class EndType { fp32, net };

struct CompileCommand {
  CompileRequest request;
  std::string onnx;
  std::vector<std::string> shapes;
  bool explain = false, json = false, is_dry = false;
  ChipFamily chip = ChipFamily::bm1880;
  net::bm1684x::StreamOptions stream;
  EndType input_type = EndType::fp32, output_type = EndType::fp32;

  // True for a chip with command streams.
  bool is_stream() const { return chip != ChipFamily::bm1880; }
  const net::bm1684x::Target& target() const {
    return chip == ChipFamily::bm1684 ? net::bm1684::bm1684_target()
                                      : net::bm1684x::bm1684x_target();
  }
};

// Options that only the compiler for the BM1880 has.
Status check_stream_options(const CompileCommand& command) {
  const CompileRequest& r = command.request;
  const std::pair<const char*, bool> given[] = {{"--out-ir", !r.ir.empty()},
                                                {"--out-commands", !r.commands.empty()},
                                                {"--out-weights", !r.weights.empty()},
                                                {"--out-table", !r.out_table.empty()},
                                                {"--plugins", !r.plugin_directory.empty()},
                                                {"--dequantized", r.options.dequantize_outputs}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      return Error(errors::net_cli)
          .in("compile")
          .argument(name, "given")
          .detail(fmt::format("the compiler for the {} does not have this option",
                              command.target().chip.name));
  return {};
}

void say_if_not_written(const CompileCommand& command) {
  if (command.request.model.empty() && !command.is_dry)
    std::fputs("no bmodel was written: --output names none\n", stdout);
}

void say_unused(const StreamResult& result) {
  for (const std::string& line : result.unused) std::printf("%s\n", line.c_str());
}

// Prints the plan of a net. Exit code 5 if it cannot be compiled.
int show_stream_plan(const CompileCommand& command, const net::bm1684x::StreamOptions& options) {
  auto plan = plan_stream(command.request, options);
  if (!plan.ok()) return fail("tputwin", plan.error());
  print_warnings("tputwin");
  if (command.json) {
    print_json(plan_json(command.request, *plan));
  } else {
    say_unused(plan->result);
    std::fputs(plan_text(command.request, *plan).c_str(), stdout);
  }
  return plan->problem.empty() ? kOk : kRefused;
}

int run_stream(CompileCommand& command) {
  if (const Status s = check_stream_options(command); !s.ok()) return fail("tputwin", s.error());
  net::bm1684x::StreamOptions options = command.stream;
  options.target = &command.target();
  options.level = command.request.options.level;
  options.keep_all = command.request.options.keep_all;
  options.float_inputs = command.input_type == EndType::fp32;
  options.float_outputs = command.output_type == EndType::fp32;
  if (command.is_dry) return show_stream_plan(command, options);
  auto result = compile_stream(command.request, options);
  if (!result.ok()) return fail("tputwin", result.error());
  print_warnings("tputwin");
  if (command.json) {
    print_json(stream_json(command.request, *result));
    return kOk;
  }
  say_unused(*result);
  for (const auto& stage : result->stages)
    if (command.explain) std::fputs(stage.explanation.c_str(), stdout);
  std::fputs(stream_text(command.request, *result).c_str(), stdout);
  say_if_not_written(command);
  return kOk;
}

// Prints the plan of a net. Exit code 5 if it cannot be compiled.
int show_dry_run(const CompileCommand& command) {
  auto run = dry_run(command.request);
  if (!run.ok()) return fail("tputwin", run.error());
  print_warnings("tputwin");
  if (command.json)
    print_json(dry_run_json(*run));
  else
    std::fputs(dry_run_text(command.request, *run).c_str(), stdout);
  return run->problems.empty() ? kOk : kRefused;
}

int run_compile(CompileCommand& command) {
  for (const std::string& text : command.shapes) {
    auto shape = parse_shape(text);
    if (!shape.ok()) return fail("tputwin", shape.error());
    command.request.shapes.push_back(*shape);
  }
  if (command.is_stream()) return run_stream(command);
  if (command.is_dry) return show_dry_run(command);
  auto result = compile_caffe(command.request);
  if (!result.ok()) return fail("tputwin", result.error());
  print_warnings("tputwin");
  if (command.json) {
    print_json(compile_json(command.request, *result));
    return kOk;
  }
  if (command.explain) std::fputs(result->compiled.explanation.c_str(), stdout);
  std::fputs(compile_text(command.request, *result).c_str(), stdout);
  say_if_not_written(command);
  return kOk;
}

// Adds the options of chip and numbers.
void add_target(CLI::App& sub, CompileCommand& command) {
  auto* chip = sub.add_option("--chip", command.chip, "bm1880, bm1684 or bm1684x; default: bm1880")
                   ->transform(one_of<ChipFamily>({{"bm1880", ChipFamily::bm1880},
                                                   {"bm1684", ChipFamily::bm1684},
                                                   {"bm1684x", ChipFamily::bm1684x}}))
                   ->type_name("ENUM");
  sub.add_option(
         "--type", command.stream.type,
         "numbers of the net on the bm1684 and bm1684x: fp32, or int8, which needs a table; on "
         "the bm1684x also fp16 and bf16; default: fp32")
      ->transform(one_of<DType>(
          {{"fp32", DType::f32}, {"fp16", DType::f16}, {"bf16", DType::bf16}, {"int8", DType::i8}}))
      ->needs(chip);
  for (const auto& [name, type, what] : {std::tuple("--input-type", &command.input_type, "inputs"),
                                         {"--output-type", &command.output_type, "outputs"}})
    sub.add_option(name, *type,
                   fmt::format("numbers of the {} on the bm1684x: fp32, or net for those of the "
                               "net, bytes with scales; default: fp32",
                               what))
        ->transform(one_of<EndType>({{"fp32", EndType::fp32}, {"net", EndType::net}}))
        ->needs(chip);
}

void add_shapes(CLI::App& sub, CompileCommand& command) {
  auto* shape = sub.add_option("--shape", command.shapes,
                               "n,c,h,w, once per input; default: the net's own; more of them make "
                               "several stages, not on the bm1880");
  sub.add_option("--batch", command.request.batch,
                 "samples, instead of the first extent of the inputs")
      ->check(at_least_one())
      ->excludes(shape);
}

// Adds the options of what is written and printed.
void add_files(CLI::App& sub, CompileCommand& command) {
  CompileRequest& r = command.request;
  sub.add_option("--plugins", r.plugin_directory,
                 "folder of x86_64/NAME.so of CPU operators; default: those of the compiler");
  sub.add_option("--out-ir", r.ir, "optimized IR as text");
  sub.add_option("--out-commands", r.commands, "raw command buffer");
  sub.add_option("--out-weights", r.weights, "raw weights");
  sub.add_option("--out-table", r.out_table, "calibration table as it was used");
  sub.add_flag("--explain", command.explain,
               "print groups, slices, local memory and predicted times, with reasons");
  sub.add_flag("--json", command.json, "print figures as JSON, without --explain");
  sub.add_flag("--dry-run", command.is_dry,
               "write nothing: list the operators and where they run, memory, predicted time, or "
               "why the net is refused; needs no table");
}

}  // namespace

void add_compile(CLI::App& app, int& exit) {
  using net::Level;
  auto* sub = app.add_subcommand("compile", "Compile a Caffe or ONNX model into a bmodel");
  auto command = std::make_shared<CompileCommand>();
  CompileRequest& r = command->request;
  auto* onnx = sub->add_option("ONNX", command->onnx, "NET.onnx, instead of Caffe's files");
  auto* caffe = sub->add_option("--caffemodel", r.caffemodel,
                                "weights: int8, or float, which are quantized with the table");
  onnx->excludes(caffe);
  sub->add_option("--prototxt", r.prototxt, "graph; default: that of the caffemodel");
  sub->add_option("--table", r.table,
                  "calibration table, binary or text; quantized ONNX has thresholds of its own");
  sub->add_option("--output,-o", r.model, "bmodel to write");
  sub->add_option("--name", r.name, "name of the net in the bmodel")
      ->capture_default_str()
      ->check(not_empty());
  add_shapes(*sub, *command);
  sub->add_option("--level", r.options.level,
                  "none, group, recycle, merge or weight, or 0 to 4; default: weight")
      ->transform(one_of<Level>({{"none", Level::none},
                                 {"group", Level::layer_group},
                                 {"recycle", Level::recycle_memory},
                                 {"merge", Level::merge_activations},
                                 {"weight", Level::weight_optimization}}));
  sub->add_flag("--dequantized", r.options.dequantize_outputs, "outputs as floats");
  sub->add_flag("--keep-all", r.options.keep_all, "keep all intermediate tensors");
  sub->add_flag("!--no-layer-names", r.options.layer_names,
                "leave out of the model which layer each command is of");
  add_target(*sub, *command);
  add_output_names(*sub, r.outputs);
  add_files(*sub, *command);
  sub->footer(
      footer("  tputwin compile --prototxt deploy.prototxt --caffemodel int8.caffemodel "
             "--table table.pb2 -o net.bmodel --explain\n"
             "  tputwin compile net.onnx --table table.pb2 -o net.bmodel\n"
             "  tputwin compile --dry-run net.onnx\n"
             "  tputwin compile net.onnx --chip bm1684x --type fp16 -o net.bmodel\n"
             "  tputwin compile yolov5s.onnx --chip bm1684x --output-names 350,498,646 -o "
             "net.bmodel\n"));
  sub->callback([command, &exit] {
    CompileRequest& request = command->request;
    if (!command->onnx.empty()) request.caffemodel = command->onnx;
    if (request.caffemodel.empty()) throw CLI::RequiredError("--caffemodel, or NET.onnx,");
    if (request.table.empty() && !command->is_dry && !command->is_stream() &&
        !net::is_onnx_file(request.caffemodel))
      throw CLI::RequiredError("--table");
    exit = run_compile(*command);
  });
}

}  // namespace tputwin::tools
