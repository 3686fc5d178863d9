// tputwin eval: evaluates a float net and its model on labelled samples.
#include "tools/eval.h"
#include "tools/reports/json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/errors/bmnet.h"
#include "bmnet/calibrate/equalize.h"
#include "bmnet/calibrate/float_weights.h"
#include "bmnet/calibrate/statistics.h"
#include "bmnet/ir/samples.h"
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/prepare.h"
#include "tools/command_line.h"
#include "tools/commands/calibrate_command.h"
#include "tools/commands/command.h"
#include "tools/data/samples.h"

namespace tputwin::tools {
namespace {

struct EvalCommand {
  std::string prototxt, caffemodel, onnx;             // float
  std::string bmodel;                                 // accuracy
  std::string int8_prototxt, int8_caffemodel, table;  // layer by layer
  CalibrateRequest source;                            // of the samples
  std::vector<std::string> outputs;
  EvalOptions options;
  bool layers = false, json = false;
};

constexpr uint64_t kSamplesOfLayers = 10;

// Returns the samples of each input.
Result<DataSets> open_data(const EvalCommand& command, const net::Network& net) {
  TW_ASSIGN_OR_RETURN(inputs, net::sample_inputs(net));
  return open_samples(command.source.data, command.source.data_options, inputs);
}

Result<std::string> accuracy(const EvalCommand& command) {
  TW_ASSIGN_OR_RETURN(report, evaluate_together({.prototxt = command.prototxt,
                                                 .caffemodel = command.caffemodel,
                                                 .outputs = command.outputs,
                                                 .model = command.bmodel,
                                                 .data = command.source.data,
                                                 .data_options = command.source.data_options,
                                                 .options = command.options}));
  if (!report) return std::string();  // another process of the run prints it
  return command.json ? eval_json(*report).dump(2) + "\n" : report_text(*report);
}

// Refuses an int8 net as the float net.
Status check_float(const EvalCommand& command) {
  net::ImportOptions import;
  import.outputs = command.outputs;
  TW_ASSIGN_OR_RETURN(loaded, net::load_net(command.prototxt, command.caffemodel, import));
  return loaded.is_onnx ? Status() : net::check_float_weights(loaded.net);
}

Result<std::string> layers(const EvalCommand& command) {
  net::ImportOptions single, int8_net;
  single.outputs = command.outputs;
  TW_RETURN_IF_ERROR(check_float(command));
  TW_ASSIGN_OR_RETURN(own,
                      net::prepare({command.prototxt, command.caffemodel, std::nullopt, single}));
  // Another batch would change extents that count no samples.
  if (net::first_extents_count_samples(own.network) && !net::mixes_samples(own.network))
    single.batch = int8_net.batch = 1;
  TW_ASSIGN_OR_RETURN(floats,
                      net::prepare({command.prototxt, command.caffemodel, std::nullopt, single}));
  net::Network& fp32 = floats.network;
  if (command.source.options.equalize) net::equalize(fp32, floats.table);
  TW_ASSIGN_OR_RETURN(int8, net::prepare({command.int8_prototxt, command.int8_caffemodel,
                                          command.table, int8_net}));
  TW_ASSIGN_OR_RETURN(integers, net::resolve(int8.network, int8.table));
  TW_ASSIGN_OR_RETURN(data, open_data(command, fp32));
  std::vector<const net::DataSet*> sets;
  for (const auto& set : data) sets.push_back(set.get());
  const uint64_t samples = command.options.samples ? command.options.samples : kSamplesOfLayers;
  TW_ASSIGN_OR_RETURN(rows, compare_layers(fp32, int8.network, integers, sets, samples));
  return command.json ? layers_json(rows).dump(2) + "\n" : comparison_text(rows);
}

int run(EvalCommand& command) {
  command.options.progress = isatty(STDERR_FILENO) != 0;
  auto text = command.layers ? layers(command) : accuracy(command);
  if (!text.ok()) return fail("tputwin", text.error());
  print_warnings("tputwin");
  std::fputs(text->c_str(), stdout);
  return kOk;
}

// Adds the options of the compiled model.
void add_model(CLI::App& sub, EvalOptions& options) {
  sub.add_option("--net", options.net, "BM1684, BM1684X: the net, if the file has several");
  sub.add_option("--stage", options.stage,
                 "BM1684, BM1684X: the stage, from 0; default: the first");
  sub.add_option("--devices", options.devices,
                 "so many devices run batches of the model at the same time")
      ->check(at_least_one());
  sub.add_option("--output", options.output, "the scores, when there are several outputs");
  sub.add_option("--plugin", options.plugin_directory, "directory of CPU operators");
}

}  // namespace

void add_eval(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("eval", "Measure a float net and its model on labelled data");
  auto command = std::make_shared<EvalCommand>();
  sub->add_option("--prototxt", command->prototxt, "the float net; default: the caffemodel's");
  auto* caffe = sub->add_option("--caffemodel", command->caffemodel, "float weights");
  sub->add_option("ONNX", command->onnx, "NET.onnx, instead of Caffe's files")->excludes(caffe);
  auto* bmodel = sub->add_option("--bmodel", command->bmodel, "the compiled model, of any chip");
  add_model(*sub, command->options);
  add_output_names(*sub, command->outputs);
  sub->add_option("--checkpoint", command->options.checkpoint,
                  "a file for what is done, from which the same command goes on");
  add_native_plugins(*sub);
  add_data_options(*sub, command->source);
  sub->get_option("--data")->required();
  sub->add_option(
         "--samples", command->options.samples,
         fmt::format("only the first so many; default: all, or {} with --layers", kSamplesOfLayers))
      ->check(at_least_one());
  auto* layers = sub->add_flag("--layers", command->layers,
                               "instead, every layer of the int8 net next to the float net");
  sub->add_option("--int8-prototxt", command->int8_prototxt,
                  "the quantized net; default: its caffemodel's");
  auto* weights = sub->add_option("--int8-caffemodel", command->int8_caffemodel, "its weights");
  auto* table = sub->add_option("--table", command->table, "its calibration table");
  layers->needs(weights)->needs(table);
  sub->add_flag("--json", command->json, "print figures as JSON");
  sub->add_flag("!--no-equalize", command->source.options.equalize,
                "the int8 net was calibrated with --no-equalize, or by another tool");
  sub->footer(footer(
      "  tputwin eval --prototxt net.prototxt --caffemodel net.caffemodel --bmodel net.bmodel \\\n"
      "    --data t10k-images-idx3-ubyte.gz --scale 0.00390625\n"
      "  mpirun -n 4 tputwin eval ... --checkpoint eval.part\n"
      "  tputwin eval --prototxt net.prototxt --caffemodel net.caffemodel --layers \\\n"
      "    --int8-caffemodel bmnet_net_int8.caffemodel --table bmnet_net_calibration_table.pb2 \\\n"
      "    --data images/ --mean 104,117,123\n"));
  sub->callback([command, bmodel, &exit] {
    if (!command->onnx.empty()) command->caffemodel = command->onnx;
    if (command->caffemodel.empty()) throw CLI::RequiredError("--caffemodel, or NET.onnx,");
    if (!command->layers && bmodel->empty()) throw CLI::RequiredError("--bmodel, or --layers,");
    exit = run(*command);
  });
}

}  // namespace tputwin::tools
