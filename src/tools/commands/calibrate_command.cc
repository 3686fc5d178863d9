// tputwin calibrate: converts a float Caffe or ONNX net to an int8 net and its table.
#include "tools/commands/calibrate_command.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "bmnet/onnx/load.h"
#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/compile.h"

namespace tputwin::tools {
namespace {

using net::DataKind;
using net::RawType;
using net::ThresholdMethod;

}  // namespace

void add_preparation_options(CLI::App& app, net::DataOptions& data) {
  app.add_option("--mean", data.mean,
                 "subtracted from pixels 0..255: one value, or one per channel, joined by commas: "
                 "104,117,123")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FLOAT[,FLOAT]");
  app.add_option("--scale", data.scale,
                 "factor after the mean: one value, or one per channel, joined by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FLOAT[,FLOAT]");
  app.add_flag("--rgb", data.rgb, "channels are red, green, blue; default: blue, green, red");
  app.add_flag("--crop", data.crop, "take the middle of larger pictures instead of scaling them");
  app.add_flag("--letterbox", data.letterbox,
               "keep the proportions of pictures, in the middle of a border");
  app.add_option("--border", data.border, "pixels around a letterboxed picture; default 114");
  app.add_option_function<std::vector<int>>(
         "--resize",
         [&data](const std::vector<int>& size) {
           data.resize_h = size[0];
           data.resize_w = size[1];
         },
         "h,w that pictures are scaled to before the middle is taken")
      ->delimiter(',')
      ->expected(2);
}

void add_data_options(CLI::App& app, CalibrateRequest& request) {
  net::DataOptions& data = request.data_options;
  app.add_option(
         "--data", request.data,
         "folder of pictures (or of one folder per class), idx file, LMDB, raw tensors, or .npy "
         "of all samples; default: what the net's data layer names. For several inputs: "
         "INPUT=PATH once per input, or one .npz with an array for each")
      ->allow_extra_args(false);
  app.add_option("--data-kind", data.kind,
                 "auto, images, idx, raw or lmdb; default: by what is there")
      ->transform(one_of<DataKind>({{"auto", DataKind::automatic},
                                    {"images", DataKind::images},
                                    {"idx", DataKind::idx},
                                    {"raw", DataKind::raw},
                                    {"lmdb", DataKind::lmdb}}));
  app.add_option("--list", data.list, "text of lines \"FILE [LABEL]\" of the folder's pictures");
  add_preparation_options(app, data);
  app.add_option("--raw-type", data.raw_type, "f32, u8 or i8 values of raw tensors; default f32")
      ->transform(
          one_of<RawType>({{"f32", RawType::f32}, {"u8", RawType::u8}, {"i8", RawType::i8}}));
  app.add_option_function<std::vector<std::string>>(
         "--shape",
         [&request](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             auto shape = parse_shape(text);
             if (!shape.ok()) throw CLI::ValidationError("--shape", shape.error().message());
             request.shapes.emplace_back(shape->begin(), shape->end());
           }
         },
         "n,c,h,w of the input where the net has none; once per input")
      ->allow_extra_args(false);
}

void add_method_options(CLI::App& app, CalibrateRequest& request) {
  net::CalibrationOptions& options = request.options;
  app.add_option("--method", options.method,
                 "of choosing thresholds: mse (default), kl, percentile or max")
      ->transform(one_of<ThresholdMethod>({{"kl", ThresholdMethod::divergence},
                                           {"mse", ThresholdMethod::squared_error},
                                           {"percentile", ThresholdMethod::percentile},
                                           {"max", ThresholdMethod::maximum}}));
  app.add_option("--percentile", options.percent, "of --method percentile; default 99.99")
      ->check(between(50, 100));
  app.add_option("--bins", options.bins, "of the histograms, a multiple of 128; default 2048")
      ->check(CLI::Range(128, 1 << 20));
  app.add_option("--batch", options.batch, "samples computed at once; default 16")
      ->check(CLI::Range(1u, 65536u));
  app.add_flag("!--no-equalize", options.equalize,
               "keep the ranges of channels as they are in the float net");
  app.add_flag("!--no-bias-correction", options.correct_biases,
               "biases by the plain rule, as the vendor's tools make them");
  app.add_option("--report", request.report_path, "write the report as JSON here");
  app.add_option("--require", request.required,
                 "cosine with the float net that every output must reach; exit code 6 otherwise")
      ->check(between(0, 1));
  app.add_option("--reach", options.reach,
                 "leave layers to the host in floats, or on the bm1684 and bm1684x in wider "
                 "numbers, until every "
                 "output has this cosine; exit code 6 if it has not even then")
      ->check(between(0, 1));
}

int run_calibrate(std::string_view tool, CalibrateRequest request) {
  request.progress = isatty(STDERR_FILENO) != 0;
  const bool json = request.report_path == "-";
  auto text = calibrate_files(std::move(request));
  if (!text.ok()) return fail(tool, text.error());
  print_warnings(tool);
  if (!json) std::fputs(text->text.c_str(), stdout);
  for (const Error& missed : text->missed) print_error(tool, missed);
  return text->missed.empty() ? kOk : kFound;
}

namespace {

// Adds the options of the chip that compiles the float net with the table.
void add_chip(CLI::App& app, CalibrateRequest& request) {
  auto* chip =
      app.add_option(
             "--chip", request.chip,
             "bm1880, bm1684 or bm1684x; only a table is written for the last two; default: "
             "bm1880")
          ->transform(one_of<ChipFamily>({{"bm1880", ChipFamily::bm1880},
                                          {"bm1684", ChipFamily::bm1684},
                                          {"bm1684x", ChipFamily::bm1684x}}))
          ->type_name("ENUM");
  app.add_option("--type", request.stream_type,
                 "numbers of the net: int8, or on the bm1684x fp16 or bf16; default: int8. With "
                 "--reach, layers get wider numbers until every output has the cosine")
      ->transform(one_of<DType>({{"int8", DType::i8}, {"fp16", DType::f16}, {"bf16", DType::bf16}}))
      ->needs(chip);
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("calibrate",
                                 "Convert a float Caffe or ONNX net to an int8 net and its table");
  auto request = std::make_shared<CalibrateRequest>();
  sub->add_option("NET", request->prototxt, "the net: a prototxt, or NET.onnx")->required();
  sub->add_option("CAFFEMODEL", request->caffemodel, "float weights of the prototxt");
  sub->add_option("--name", request->name, "of the net, in file names; default: the net's file's");
  sub->add_option("--output", request->output_directory, "folder to write to; default: here");
  sub->add_option("--samples", request->options.samples, "so many samples; default: all")
      ->check(at_least_one());
  sub->add_option("--checkpoint", request->checkpoint,
                  "a file for what is done, from which the same command goes on");
  sub->add_flag_callback(
      "--json", [request] { request->report_path = "-"; }, "print the report as JSON: --report -");
  add_data_options(*sub, *request);
  add_method_options(*sub, *request);
  add_chip(*sub, *request);
  add_output_names(*sub, request->outputs);
  sub->footer(
      footer("  tputwin calibrate lenet.prototxt lenet.caffemodel --data "
             "t10k-images-idx3-ubyte.gz --scale 0.00390625 --samples 200\n"
             "  tputwin calibrate det1.prototxt det1.caffemodel --data faces/ --mean 127.5 "
             "--scale 0.0078125 --rgb\n"
             "  tputwin calibrate net.onnx --data images/ --mean 127.5 --scale 0.0078125 --rgb\n"
             "  tputwin calibrate net.onnx --data images/ --chip bm1684x --reach 0.99\n"
             "  mpirun -n 4 tputwin calibrate ... --checkpoint calibrate.part\n"));
  sub->callback([request, &exit] {
    if (request->caffemodel.empty() && !net::is_onnx_file(request->prototxt))
      throw CLI::RequiredError("CAFFEMODEL");
    if (request->name.empty())
      request->name = std::filesystem::path(request->prototxt).stem().string();
    exit = run_calibrate("tputwin", *request);
  });
}

}  // namespace tputwin::tools
