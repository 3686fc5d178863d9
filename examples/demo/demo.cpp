// make demo: a residual net from float Caffe files to int8 on the simulated BM1880. Compiles it,
// runs the ten thousand test images of Fashion-MNIST, prints the accuracy of float and int8, and
// draws a contact sheet.
#include <stdio.h>
#include <tputwin/device.h>
#include <tputwin/error.h>

#include <CLI/CLI.hpp>
#include <string>

#include "inference.h"
#include "network.h"
#include "progress.h"
#include "sheet.h"
#include "tally.h"

namespace {

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string net = "models/resnet_fashion";
  std::string output = "build/demo.png";
  std::string plugins = DEMO_PLUGINS;
  std::string model;
  size_t images = 10000, calibration = 500;
  int batch = 50;
};

int fail(const std::string& reason) {
  fprintf(stderr, "demo: %s\n", reason.c_str());
  return 1;
}

size_t matches(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  size_t count = 0;
  for (size_t i = 0; i < a.size(); i++) count += a[i] == b[i];
  return count;
}

void print_accuracy(const char* name, const std::vector<uint8_t>& classes, const Dataset& dataset,
                    double taken) {
  const double count = (double)dataset.count();
  printf("%-13s %5.2f %% right, %.2f s, %.0f images/s\n", name,
         100.0 * (double)matches(classes, dataset.labels) / count, taken, count / taken);
}

bool write_file(const std::string& path, const std::vector<uint8_t>& bytes) {
  FILE* file = fopen(path.c_str(), "wb");
  if (file == NULL) return false;
  const bool ok = fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return fclose(file) == 0 && ok;
}

// Runs every image on the chip, then one batch with an observer, which takes time itself.
int run_on_chip(bmctx_t ctx, const CompiledNet& net, const Dataset& test,
                std::vector<uint8_t>& classes) {
  Classifier classifier(ctx, net.bmodel);
  if (!classifier.ok()) return fail(tputwin_last_error());
  ProgressBar bar(test.count());
  const double start = seconds();
  if (!classifier.classify(test, bar, classes)) return fail(tputwin_last_error());
  print_accuracy("int8, tputwin:", classes, test, seconds() - start);

  Dataset batch = test;
  batch.keep(std::min(classifier.batch(), test.count()));
  Tally tally;
  tputwin::api::Device device(ctx);
  std::vector<uint8_t> again;
  device.add_observer(&tally);
  if (!classifier.classify(
          batch, [](size_t) {}, again))
    return fail(tputwin_last_error());
  device.remove_observer(&tally);
  printf("one batch of %zu images:\n", classifier.batch());
  tally.print();
  const double prices = (double)tally.total().cycles / 1e9;
  printf("BM1880 at 1 GHz, by the prices of the commands: %.0f images/s\n",
         (double)classifier.batch() / prices);
  return 0;
}

int demo(const Options& options) {
  Dataset test;
  std::string reason;
  if (!read_dataset(options.data, "t10k", test, reason)) return fail(reason);
  test.keep(options.images);

  const CompileJob job = {options.net, options.data, options.calibration, options.batch,
                          options.plugins};
  CompiledNet net;
  double start = seconds();
  if (!compile_net(job, net, reason)) return fail(reason);
  printf("%s: %zu layers, %zu weights\n", options.net.c_str(), net.layers, net.weights);
  printf("calibrated on %zu training images and compiled for the BM1880 in %.1f s: ",
         options.calibration, seconds() - start);
  printf("%zu bytes of weights, %zu of model\n", net.weight_bytes, net.bmodel.size());
  if (!options.model.empty() && !write_file(options.model, net.bmodel))
    return fail("cannot write " + options.model);

  printf("%zu images of %s\n", test.count(), options.data.c_str());
  std::vector<uint8_t> by_float, by_chip;
  ProgressBar bar(test.count());
  start = seconds();
  if (!classify_float(job, test, bar, by_float, reason)) return fail(reason);
  print_accuracy("fp32, host:", by_float, test, seconds() - start);
  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return fail(tputwin_last_error());
  const int failed = run_on_chip(ctx, net, test, by_chip);
  bm_exit(ctx);
  if (failed) return failed;
  printf("%zu of %zu images have the same class in both\n", matches(by_float, by_chip),
         test.count());
  if (!write_sheet(options.output, test, by_chip)) return fail("cannot write " + options.output);
  printf("wrote %s\n", options.output.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A float Caffe net, compiled to int8, on the software BM1880.");
  Options options;
  app.add_option("--data", options.data, "Directory of train-*.gz and t10k-*.gz")
      ->capture_default_str();
  app.add_option("--net", options.net, "The net: NET.prototxt and NET.caffemodel")
      ->capture_default_str();
  app.add_option("--output", options.output, "Contact sheet, PNG")->capture_default_str();
  app.add_option("--plugins", options.plugins, "Directory of CPU operators")->capture_default_str();
  app.add_option("--model", options.model, "Write the bmodel here");
  app.add_option("--images", options.images, "How many test images")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  app.add_option("--calibration", options.calibration, "How many training images to calibrate on")
      ->capture_default_str()
      ->check(CLI::Range(1, 60000));
  app.add_option("--batch", options.batch, "Images per run")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  return demo(options);
}
