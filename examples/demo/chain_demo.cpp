// An image chain on the simulated BM1880, over the ten thousand test images of Fashion-MNIST,
// checked against the host and shown as a contact sheet.
#include <stdio.h>
#include <tputwin/error.h>

#include <CLI/CLI.hpp>
#include <string>

#include "chain_sheet.h"
#include "progress.h"
#include "tally.h"
#include "tpu.h"

namespace {

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string output = "build/chain.png";
  size_t images = 10000;
};

int fail(const std::string& reason) {
  fprintf(stderr, "demo_chain: %s\n", reason.c_str());
  return 1;
}

// Runs the chain on a device of its own; returns the seconds it took, negative on failure.
double run(const Dataset& dataset, Tally* tally, ChainResult& result) {
  bmctx_t ctx;
  if (bm_init(0, &ctx) != BM_SUCCESS) return -1;
  if (tally) tputwin::api::Device(ctx).add_observer(tally);
  ProgressBar bar(dataset.count());
  const double start = seconds();
  const bool ok = run_on_device(ctx, dataset.pixels, bar, result);
  const double taken = seconds() - start;
  bm_exit(ctx);
  return ok ? taken : -1;
}

int demo(const Options& options) {
  Dataset dataset;
  std::string reason;
  if (!read_dataset(options.data, "t10k", dataset, reason)) return fail(reason);
  dataset.keep(options.images / kBatch * kBatch);
  printf("%zu images of %s\n", dataset.count(), options.data.c_str());
  printf("conv 3x3 1->8, depthwise 3x3, max pool 2x2, depthwise 4x4 upscale, conv 1x1 8->3\n");

  ChainResult chip;
  const double taken = run(dataset, nullptr, chip);
  if (taken < 0) return fail(tputwin_last_error());
  printf("tputwin: %.2f s, %.0f images/s\n", taken, (double)dataset.count() / taken);

  // Runs the chain again with an observer; counting must not be part of the measured time.
  Tally tally;
  ChainResult observed;
  if (run(dataset, &tally, observed) < 0) return fail(tputwin_last_error());
  tally.print();
  const double prices = (double)tally.total().cycles / 1e9;
  printf("BM1880 at 1 GHz, by the prices of the commands: %.3f s, %.0f images/s\n", prices,
         (double)dataset.count() / prices);

  const ChainResult host = run_on_host(dataset.pixels);
  for (const ChainResult* r : {&chip, &observed})
    if (r->features != host.features || r->colours != host.colours)
      return fail("the result differs from the host's");
  printf("all %zu bytes equal the host's\n", host.features.size() + host.colours.size());

  if (!write_sheet(options.output, dataset, chip)) return fail("cannot write " + options.output);
  printf("wrote %s\n", options.output.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("An int8 image chain on the software BM1880, over Fashion-MNIST.");
  Options options;
  app.add_option("--data", options.data, "Directory of t10k-*.gz")->capture_default_str();
  app.add_option("--output", options.output, "Contact sheet, PNG")->capture_default_str();
  app.add_option("--images", options.images, "How many images, a multiple of 10")
      ->capture_default_str()
      ->check(CLI::Range(kBatch, 10000));
  CLI11_PARSE(app, argc, argv);
  return demo(options);
}
