// Convolutions of the machine compared with oneDNN's int8 convolution, in one process, and with the
// processor's peak rate of byte products.
//
// Both get random data in memory that was written before, and the same number of threads: the
// machine TPUTWIN_THREADS (default: all processors), oneDNN OMP_NUM_THREADS (default: the same).
// The machine's data is planar in the lanes; oneDNN uses the layouts it prefers.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "machine/device.h"
#include "memory/layout.h"
#include "ops/fast/fast.h"

namespace {

using namespace tputwin;
using Clock = std::chrono::steady_clock;

struct Problem {
  uint32_t ic, oc, kernel, extent;
  std::string name() const {
    return fmt::format("conv {}->{} {}x{} {}x{}", ic, oc, kernel, kernel, extent, extent);
  }
  double operations() const { return 2.0 * ic * oc * kernel * kernel * extent * extent; }
};

constexpr Problem kProblems[] = {{64, 64, 3, 56}, {256, 256, 3, 14}, {256, 64, 1, 56}};
constexpr uint32_t kRightShift = 9;

void fill_random(uint8_t* bytes, size_t count) {
  std::mt19937 random(1);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(random());
}

// One instruction: all of a layer fits into local memory.
Instruction conv_instruction(const Problem& p, const Chip& chip) {
  Shape in{1, p.ic, p.extent, p.extent}, out{1, p.oc, p.extent, p.extent};
  Shape weight{p.ic, p.oc, p.kernel, p.kernel};
  Conv2dBm1880 op;
  uint64_t address = 0;
  op.in = local_tensor(chip, address, in, true, DType::i8);
  address += local_lane_bytes(chip, in, true);
  op.out = local_tensor(chip, address, out, true, DType::i8);
  address += local_lane_bytes(chip, out, true);
  op.weight = conv_weight(address, weight, DType::i8);
  address += uint64_t{ceil_div(p.oc, chip.lanes)} * p.ic * p.kernel * p.kernel;
  op.bias = conv_bias(chip, address, p.oc, true);
  uint32_t pad = p.kernel / 2;
  op.window.h = op.window.w = {.kernel = p.kernel, .pad_before = pad, .pad_after = pad};
  op.rshift = kRightShift;
  return {.op = op, .engine = Engine::compute, .id = 1};
}

// Runs the convolution in oneDNN with an equal requantization: round-half-up is round-to-even of
// the value plus a quarter of the last bit before the point.
class LibraryConvolution {
 public:
  explicit LibraryConvolution(const Problem& p)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using dnnl::memory;
    using type = memory::data_type;
    const auto any = memory::format_tag::any;
    memory::dim n = p.extent, pad = p.kernel / 2;
    memory::desc in({1, p.ic, n, n}, type::s8, any), out({1, p.oc, n, n}, type::s8, any);
    memory::desc weight({p.oc, p.ic, p.kernel, p.kernel}, type::s8, any);
    memory::desc bias({p.oc}, type::s32, memory::format_tag::x);
    dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference,
                                         dnnl::algorithm::convolution_direct, in, weight, bias, out,
                                         {1, 1}, {pad, pad}, {pad, pad});
    dnnl::primitive_attr attributes;
    attributes.set_output_scales(0, {std::ldexp(1.0f, -static_cast<int>(kRightShift))});
    dnnl::post_ops rounding;
    rounding.append_eltwise(1.0f, dnnl::algorithm::eltwise_linear, 1.0f,
                            std::ldexp(1.0f, -static_cast<int>(kRightShift) - 2));
    attributes.set_post_ops(rounding);
    dnnl::convolution_forward::primitive_desc primitive(desc, attributes, engine_);
    name_ = primitive.impl_info_str();
    convolution_ = dnnl::convolution_forward(primitive);
    add(DNNL_ARG_SRC, primitive.src_desc());
    add(DNNL_ARG_WEIGHTS, primitive.weights_desc());
    add(DNNL_ARG_BIAS, primitive.bias_desc());
    add(DNNL_ARG_DST, primitive.dst_desc());
  }

  void run() {
    convolution_.execute(stream_, arguments_);
    stream_.wait();
  }
  const std::string& name() const { return name_; }

 private:
  void add(int argument, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, engine_);
    fill_random(static_cast<uint8_t*>(memory.get_data_handle()), desc.get_size());
    arguments_.emplace(argument, memory);
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_forward convolution_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::string name_;
};

// Returns the seconds of the fastest of the calls that fit into five milliseconds. The pause lets
// the library's spinning workers fall asleep, so that they do not take processor time from the next
// measurement.
template <class F>
double seconds_per_call(F&& call) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  call();
  const auto start = Clock::now();
  double best = 1e9;
  for (auto now = start; now - start < std::chrono::milliseconds(5);) {
    const auto before = now;
    call();
    now = Clock::now();
    best = std::min(best, std::chrono::duration<double>(now - before).count());
  }
  return best;
}

#if defined(__x86_64__)
constexpr int kChains = 8;  // independent sums hide the latency

__attribute__((target("avx512f,avx512vnni"))) int multiply_bytes(uint64_t rounds) {
  const __m512i data = _mm512_set1_epi8(3), weights = _mm512_set1_epi8(5);
  // Eight variables, because an array would be kept in memory. The values differ, so that the
  // compiler cannot merge the sums.
  __m512i a = _mm512_set1_epi32(1), b = _mm512_set1_epi32(2);
  __m512i c = _mm512_set1_epi32(3), d = _mm512_set1_epi32(4);
  __m512i e = _mm512_set1_epi32(5), f = _mm512_set1_epi32(6);
  __m512i g = _mm512_set1_epi32(7), h = _mm512_set1_epi32(8);
  for (uint64_t i = 0; i < rounds; ++i) {
    a = _mm512_dpbusd_epi32(a, data, weights), b = _mm512_dpbusd_epi32(b, data, weights);
    c = _mm512_dpbusd_epi32(c, data, weights), d = _mm512_dpbusd_epi32(d, data, weights);
    e = _mm512_dpbusd_epi32(e, data, weights), f = _mm512_dpbusd_epi32(f, data, weights);
    g = _mm512_dpbusd_epi32(g, data, weights), h = _mm512_dpbusd_epi32(h, data, weights);
  }
  const __m512i low = _mm512_xor_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(c, d));
  const __m512i high = _mm512_xor_si512(_mm512_xor_si512(e, f), _mm512_xor_si512(g, h));
  int lanes[16];
  _mm512_storeu_si512(lanes, _mm512_xor_si512(low, high));
  return lanes[0];
}

// Measures the processor's peak: byte products in registers, on every thread.
void bench_peak(benchmark::State& state) {
  constexpr uint64_t kRounds = 250'000;
  const auto threads = static_cast<uint64_t>(thread_count());
  double best = 1e9;
  for (auto _ : state) {
    auto start = Clock::now();
    std::vector<std::jthread> workers;
    for (uint64_t t = 0; t < threads; ++t)
      workers.emplace_back([] { benchmark::DoNotOptimize(multiply_bytes(kRounds)); });
    workers.clear();
    std::chrono::duration<double> elapsed = Clock::now() - start;
    best = std::min(best, elapsed.count());
    state.SetIterationTime(elapsed.count());
  }
  state.counters["TOPS"] = 2.0 * 64 * kChains * kRounds * threads / best / 1e12;
}
#endif

void bench_conv(benchmark::State& state, const Problem& problem) {
  auto device = Device::create({.chip = &bm1880()}).value().release();
  std::unique_ptr<Device> owned(device);
  fill_random(device->memories().take_local().host_bytes().data(),
              device->memories().take_local().host_bytes().size());
  const Instruction instruction = conv_instruction(problem, device->chip());
  LibraryConvolution library(problem);

  // The best of all rounds: other load on the host can only make a round slower.
  double ours = 1e9, theirs = 1e9;
  for (auto _ : state) {
    double mine = seconds_per_call([&] {
      Status status = device->run({&instruction, 1});
      if (!status.ok()) state.SkipWithError(status.message().c_str());
    });
    ours = std::min(ours, mine);
    theirs = std::min(theirs, seconds_per_call([&] { library.run(); }));
    state.SetIterationTime(mine);
  }
  state.counters["TOPS"] = problem.operations() / ours / 1e12;
  state.counters["oneDNN_TOPS"] = problem.operations() / theirs / 1e12;
  state.counters["ratio"] = theirs / ours;
  state.SetLabel(fmt::format("{} threads, {} next to {}", thread_count(), fast::selected_isa(),
                             library.name()));
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni"))
    benchmark::RegisterBenchmark("peak of AVX512-VNNI byte products", bench_peak)
        ->UseManualTime()
        ->Iterations(200)
        ->Unit(benchmark::kMillisecond);
#endif
  for (const Problem& problem : kProblems)
    benchmark::RegisterBenchmark(problem.name().c_str(), bench_conv, problem)
        ->UseManualTime()
        ->Iterations(25)
        ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
