// Whole networks, batch 1, in one run: compiled for the BM1880 and run on the simulator; in float
// by OpenCV's dnn module; and their quantized convolutions and inner products alone by oneDNN.
// Rounds alternate. The program prints the ratios, the times and the simulator's time by operation.
//
//   bench_networks [--rounds N] [--json FILE] [--models DIRECTORY] [NETWORK...]
//
// --models writes the compiled networks to DIRECTORY (NETWORK.bmodel), for `tputwin run --latency`.
// All use the same number of threads: TPUTWIN_THREADS (default: all processors), and for oneDNN
// OMP_NUM_THREADS (default: the same).
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/dnn.hpp>
#include <optional>

#include "base/file.h"
#include "base/parallel.h"
#include "bmodel/bmodel.h"
#include "classics/compiled.h"
#include "insight/timing/commands.h"
#include "isa/bm1880_codec.h"
#include "library_network.h"
#include "ops/fast/fast.h"
#include "options.h"
#include "times.h"
#include "tools/session.h"

namespace {

using namespace tputwin;
using bench::Clock;
using bench::Options;
using bench::seconds_since;
using bench::Times;

// Returns the text as OpenCV reads it: SSD's fork of Caffe gives parameters this name.
std::string for_opencv(std::string prototxt) {
  const std::string ours = "detectoutput_param", theirs = "detection_output_param";
  if (const size_t at = prototxt.find(ours); at != std::string::npos)
    prototxt.replace(at, ours.size(), theirs);
  return prototxt;
}

// The net in float by OpenCV, from the same Caffe files: layers from the text, weights from the
// other file.
class OpenCvNetwork {
 public:
  explicit OpenCvNetwork(const models::CompiledClassic& classic)
      : OpenCvNetwork(classic, for_opencv(classic.prototxt)) {}
  OpenCvNetwork(const models::CompiledClassic& classic, const std::string& prototxt)
      : net_(cv::dnn::readNetFromCaffe(prototxt.data(), prototxt.size(), classic.caffemodel.data(),
                                       classic.caffemodel.size())) {
    cv::setNumThreads(thread_count());
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    const std::vector<int> extents(classic.input.begin(), classic.input.end());
    input_.create(extents, CV_32F);
    cv::randu(input_, -1.0f, 1.0f);
  }
  void run() {
    // Without a new input the module would not compute again.
    net_.setInput(input_);
    cv::Mat output = net_.forward();
    if (output.empty()) throw std::runtime_error("OpenCV computed nothing");
  }

 private:
  cv::dnn::Net net_;
  cv::Mat input_;
};

// Wall time between instructions, by operation.
class Clockwork final : public Observer {
 public:
  void begin() { last_ = Clock::now(); }
  void on_instruction(const Instruction& instruction, const Footprint&, const Cost& cost) override {
    Row& row = rows_[std::string(name(instruction.op))];
    row.seconds += seconds_since(last_);
    row.count++;
    row.macs += static_cast<double>(cost.macs);
    row.bytes += static_cast<double>(cost.global_bytes);
    last_ = Clock::now();
  }

  struct Row {
    double seconds = 0, macs = 0, bytes = 0;
    uint64_t count = 0;
  };
  const std::map<std::string, Row>& rows() const { return rows_; }

 private:
  std::map<std::string, Row> rows_;
  Clock::time_point last_;
};

// The compiled net on the simulator; its input is noise.
class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(const models::CompiledClassic& classic) : file_(classic.bmodel) {
    auto model = bmodel::read(file_);
    if (!model.ok()) {
      fail(model.error());
      return;
    }
    const bmodel::Variety& variety = model->varieties.front();
    cmdbuf_ = variety.cmdbuf;
    weight_bytes_ = static_cast<double>(model->weight_of(variety).size());
    input_.resize(variety.input_bytes());
    output_.resize(variety.output_bytes());
    std::minstd_rand random;
    for (uint8_t& byte : input_) byte = static_cast<uint8_t>(random());
    if (Status status = session_.open(file_); !status.ok()) fail(status.error());
  }
  const std::string& problem() const { return problem_; }

  void run() {
    if (Status status = session_.infer(input_, output_); !status.ok()) fail(status.error());
  }
  double weight_bytes() const { return weight_bytes_; }
  // Returns the milliseconds that a run on the chip is predicted to take (docs/timing.md).
  double chip_ms() const {
    auto program = isa::decode_program(cmdbuf_, bm1880());
    if (!program.ok()) return 0;
    return static_cast<double>(insight::predicted_cycles(*program, bm1880())) / bm1880().clock_hz *
           1e3;
  }
  // Observes one run. Observing takes time itself, so only the shares are meaningful.
  Clockwork watch() {
    Clockwork clockwork;
    session_.device()->observers().add(&clockwork);
    clockwork.begin();
    run();
    session_.device()->observers().remove(&clockwork);
    return clockwork;
  }

 private:
  void fail(const Error& error) { problem_ = error.message(); }

  std::vector<uint8_t> file_, cmdbuf_, input_, output_;
  double weight_bytes_ = 0;
  tools::Session session_;
  std::string problem_;
};

struct Result {
  std::string name;
  Times simulator, opencv, library;
  double chip_ms = 0, macs = 0, weight_bytes = 0;
  size_t library_layers = 0;
  Clockwork clockwork;
};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

// Returns null if OpenCV does not know a layer of the net.
std::unique_ptr<OpenCvNetwork> make_opencv(const models::CompiledClassic& classic) {
  try {
    auto network = std::make_unique<OpenCvNetwork>(classic);
    network->run();
    return network;
  } catch (const std::exception& error) {
    fmt::print("OpenCV: {}\n", error.what());
    return nullptr;
  }
}

std::optional<Result> measure(const std::string& name, const Options& options) {
  auto classic = models::compile_classic(name, BENCH_PLUGINS);
  if (!classic.ok()) {
    fmt::print("{}: {}\n", name, classic.error().message());
    return {};
  }
  if (!options.folder.empty())
    static_cast<void>(write_bytes(options.folder + "/" + name + ".bmodel", classic->bmodel));
  SimulatedNetwork simulator(*classic);
  const auto opencv = make_opencv(*classic);
  bench::LibraryNetwork library(classic->int8);
  Result result{.name = name};
  for (int round = 0; round <= options.rounds; ++round) {
    result.simulator.measure([&] { simulator.run(); });
    if (opencv != nullptr) result.opencv.measure([&] { opencv->run(); });
    result.library.measure([&] { library.run(); });
    if (round == 0) result.simulator.forget(), result.opencv.forget(), result.library.forget();
  }
  if (!simulator.problem().empty()) {
    fmt::print("{}: {}\n", name, simulator.problem());
    return {};
  }
  result.chip_ms = simulator.chip_ms();
  result.macs = library.macs();
  result.weight_bytes = simulator.weight_bytes();
  result.library_layers = library.layers();
  result.clockwork = simulator.watch();
  return result;
}

void print(const Result& r) {
  const double simulator = r.simulator.median();
  fmt::print(
      "{:14} {:6.2f} {:6.2f} {:6.2f}   {:6.2f} {:6.2f} {:6.2f}  {:7.2f} {:7.2f} {:7.2f} {:7.2f}\n",
      r.name, ratio(simulator, r.library.median()), ratio(simulator, r.opencv.median()),
      ratio(simulator, r.chip_ms), ratio(r.simulator.least(), r.library.least()),
      ratio(r.simulator.least_cpu(), r.library.least_cpu()),
      ratio(r.simulator.least_cpu(), r.opencv.least_cpu()), simulator, r.library.median(),
      r.opencv.median(), r.chip_ms);
}

// Prints wall time of an observed run, in which every instruction runs by itself.
void print_operations(const Result& r) {
  double all = 0;
  for (const auto& [operation, row] : r.clockwork.rows()) all += row.seconds;
  fmt::print("{}: products of {:.2f} GMAC, {:.1f} MB of weights; {:.0f} GMAC/s in the median\n",
             r.name, r.macs / 1e9, r.weight_bytes / 1e6, r.macs / r.simulator.median() / 1e6);
  fmt::print("  where the time of a run goes that is watched instruction by instruction\n");
  for (const auto& [operation, row] : r.clockwork.rows())
    fmt::print("  {:<18}{:7} x {:6.1f} %  {:8.2f} ms  {:8.1f} GMAC/s  {:6.2f} GB/s\n", operation,
               row.count, 100 * row.seconds / all, row.seconds * 1e3, row.macs / row.seconds / 1e9,
               row.bytes / row.seconds / 1e9);
}

nlohmann::json json_of(const Result& r) {
  nlohmann::json json{{"name", r.name},
                      {"to_onednn", ratio(r.simulator.median(), r.library.median())},
                      {"to_opencv", ratio(r.simulator.median(), r.opencv.median())},
                      {"to_chip", ratio(r.simulator.median(), r.chip_ms)},
                      {"twin", r.simulator.json()},
                      {"onednn_int8_products", r.library.json()},
                      {"opencv_fp32", r.opencv.json()},
                      {"chip_ms", r.chip_ms},
                      {"macs", r.macs},
                      {"weight_bytes", r.weight_bytes}};
  for (const auto& [operation, row] : r.clockwork.rows())
    json["watched_ms"][operation] = row.seconds * 1e3;
  return json;
}

int run(const Options& options) {
#ifndef NDEBUG
  fmt::print("this is a debug build: its figures mean nothing\n");
#endif
  fmt::print("{} threads, {}; medians of {} calls\n", thread_count(), fast::selected_isa(),
             3 * options.rounds);
  fmt::print("{:14} {:>20}   {:>20}  {:>31}\n", "tputwin /", "medians", "least: time, cpu, cpu",
             "milliseconds, medians");
  fmt::print("{:14} {:>6} {:>6} {:>6}   {:>6} {:>6} {:>6}  {:>7} {:>7} {:>7} {:>7}\n", "", "oneDNN",
             "OpenCV", "chip", "oneDNN", "oneDNN", "OpenCV", "tputwin", "oneDNN", "OpenCV", "chip");
  nlohmann::json json{{"threads", thread_count()},
                      {"instruction_set", std::string(fast::selected_isa())},
                      {"networks", nlohmann::json::array()}};
  std::vector<Result> results;
  for (const std::string& name : options.networks) {
    auto result = measure(name, options);
    if (!result) return 1;
    print(*result);
    std::fflush(stdout);
    json["networks"].push_back(json_of(*result));
    results.push_back(std::move(*result));
  }
  for (const Result& result : results) print_operations(result);
  if (!options.json.empty()) std::ofstream(options.json) << json.dump(2) << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options{.rounds = 7};
  if (!options.read(argc, argv, "--models")) return 2;
  if (options.networks.empty())
    options.networks = {"resnet50",  "mobilenet_v1", "mobilenet_v2", "squeezenet",
                        "googlenet", "vgg16",        "ssd_mobilenet"};
  return run(options);
}
