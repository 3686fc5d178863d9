// Whole networks, batch 1, in one run: compiled for the BM1880 and on the twin; in float by
// OpenCV's dnn module; and their quantized convolutions and inner products alone by oneDNN. Then
// where the twin's time goes, operation by operation.
//
// All with the same number of threads: TPUTWIN_THREADS (default: all processors), and for oneDNN
// OMP_NUM_THREADS (default: the same).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <opencv2/dnn.hpp>
#include <thread>

#include "base/parallel.h"
#include "bmodel/bmodel.h"
#include "classic.h"
#include "isa/bm1880_codec.h"
#include "library_network.h"
#include "ops/fast/fast.h"
#include "tools/session.h"

namespace {

using namespace tputwin;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds of the faster of two calls. The pause lets spinning workers of the libraries fall asleep:
// they would share the processors with whoever comes next.
template <class F>
double seconds_per_call(F&& call) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  double best = 1e9;
  for (int i = 0; i < 2; ++i) {
    const auto start = Clock::now();
    call();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

// The net in float by OpenCV, from the same Caffe files.
class OpenCvNetwork {
 public:
  explicit OpenCvNetwork(const bench::Classic& classic)
      : net_(cv::dnn::readNetFromCaffe(classic.prototxt.data(), classic.prototxt.size(),
                                       classic.caffemodel.data(), classic.caffemodel.size())) {
    cv::setNumThreads(thread_count());
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    const std::vector<int> extents(classic.input.begin(), classic.input.end());
    input_.create(extents, CV_32F);
    cv::randu(input_, -1.0f, 1.0f);
  }
  void run() {
    net_.setInput(input_);  // without a new input the module would not compute again
    cv::Mat output = net_.forward();
    benchmark::DoNotOptimize(output.data);
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

// The compiled net on the twin, its input loaded with noise.
class TwinNetwork {
 public:
  explicit TwinNetwork(const bench::Classic& classic) : file_(classic.bmodel) {
    auto model = bmodel::read(file_);
    if (!model.ok()) {
      fail(model.error());
      return;
    }
    const bmodel::Variety& variety = model->varieties.front();
    cmdbuf_ = variety.cmdbuf;
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
  double decode_seconds() const {
    return seconds_per_call([&] {
      auto program = isa::decode_program(cmdbuf_, bm1880());
      benchmark::DoNotOptimize(program.ok());
    });
  }
  // One run, watched. Watching costs time of its own, so shares count, not sums.
  Clockwork watch() {
    Clockwork clockwork;
    session_.device()->add_observer(&clockwork);
    clockwork.begin();
    run();
    session_.device()->remove_observer(&clockwork);
    return clockwork;
  }

 private:
  void fail(const Error& error) { problem_ = error.message(); }

  std::vector<uint8_t> file_, cmdbuf_, input_, output_;
  tools::Session session_;
  std::string problem_;
};

void bench_network(benchmark::State& state, const std::string& name) {
  auto classic = bench::load_classic(name, BENCH_PLUGINS);
  if (!classic.ok()) return state.SkipWithError(classic.error().message().c_str());
  TwinNetwork twin(*classic);
  OpenCvNetwork opencv(*classic);
  bench::LibraryNetwork library(classic->int8);
  double ours = 1e9, floats = 1e9, theirs = 1e9;
  for (auto _ : state) {
    const double mine = seconds_per_call([&] { twin.run(); });
    if (!twin.problem().empty()) return state.SkipWithError(twin.problem().c_str());
    ours = std::min(ours, mine);
    floats = std::min(floats, seconds_per_call([&] { opencv.run(); }));
    theirs = std::min(theirs, seconds_per_call([&] { library.run(); }));
    state.SetIterationTime(mine);
  }
  state.counters["twin_ms"] = ours * 1e3;
  state.counters["OpenCV_fp32_ms"] = floats * 1e3;
  state.counters["oneDNN_int8_ms"] = theirs * 1e3;
  state.counters["images/s"] = 1 / ours;
  state.counters["TOPS"] = 2 * library.macs() / ours / 1e12;
  state.counters["vs_OpenCV"] = floats / ours;
  state.counters["vs_oneDNN"] = theirs / ours;
  state.SetLabel(fmt::format("{} threads, {}, {} layers of oneDNN", thread_count(),
                             fast::selected_isa(), library.layers()));

  const Clockwork clockwork = twin.watch();
  double all = 0;
  for (const auto& [operation, row] : clockwork.rows()) all += row.seconds;
  fmt::print("{}: decoding takes {:.2f} ms once; where the time of a run goes:\n", name,
             twin.decode_seconds() * 1e3);
  for (const auto& [operation, row] : clockwork.rows())
    fmt::print("  {:<16}{:7} x {:6.1f} %  {:8.2f} ms  {:8.1f} GMAC/s  {:6.2f} GB/s\n", operation,
               row.count, 100 * row.seconds / all, row.seconds * 1e3, row.macs / row.seconds / 1e9,
               row.bytes / row.seconds / 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"resnet50", "mobilenet_v1", "squeezenet"})
    benchmark::RegisterBenchmark(name, bench_network, name)
        ->UseManualTime()
        ->Iterations(10)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
