// conv2d by oneDNN, for processors with AMX. Local memory is transposed to channels-last images,
// convolved with the requantization fused, and transposed back.
//
// The chip's saturate((sum + 2^(s-1)) >> s) is the library's round-to-nearest-even of
// sum * 2^-s + 2^-(s+2): the addend lifts ties above the tie, and no other value crosses it. fp32
// holds every value that does not saturate as long as s <= 14.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "base/bits.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/gemm/onednn/conv2d_onednn.h"
#include "ops/fast/gemm/packing/conv2d_bm1880_setup.h"
#include "ops/fast/scratch.h"
#include "ops/fast/walk/transpose.h"

namespace tputwin::fast {
namespace {

using Dims = dnnl::memory::dims;
using Type = dnnl::memory::data_type;

constexpr uint32_t kLargestShift = 14;

// While an object lives, the library's OpenMP uses one thread in calls of this thread. Its own
// workers would spin next to ours. The functions come from dlsym because the library chooses the
// OpenMP runtime.
class OneOpenMpThread {
 public:
  OneOpenMpThread() {
    if (set_ == nullptr || max_ == nullptr) return;
    before_ = max_();
    set_(1);
  }
  ~OneOpenMpThread() {
    if (before_ != 0) set_(before_);
  }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  static inline const auto set_ =
      reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  static inline const auto max_ =
      reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  int before_ = 0;
};

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

struct Extent {
  uint32_t h, w;
  auto operator<=>(const Extent&) const = default;
};

// Identifies a primitive, which computes `rows` output rows of one padded image.
struct Problem {
  uint32_t ic, oc;
  Extent kernel, stride, dilation;
  uint32_t rows, columns, rshift;
  bool signed_input, signed_output;
  auto operator<=>(const Problem&) const = default;

  int64_t padded_rows() const { return (rows - 1) * stride.h + (kernel.h - 1) * dilation.h + 1; }
  int64_t padded_columns() const {
    return (columns - 1) * stride.w + (kernel.w - 1) * dilation.w + 1;
  }
};

using Descriptor = dnnl::convolution_forward::primitive_desc;

// Describes the primitive of a problem. `weights` has the format `any`, or the format that another
// band chose.
Descriptor describe_primitive(const Problem& p, const dnnl::memory::desc& weights) {
  using Tag = dnnl::memory::format_tag;
  const dnnl::memory::desc in({1, p.ic, p.padded_rows(), p.padded_columns()},
                              p.signed_input ? Type::s8 : Type::u8, Tag::nhwc);
  const dnnl::memory::desc out({1, p.oc, p.rows, p.columns}, p.signed_output ? Type::s8 : Type::u8,
                               Tag::nhwc);
  const dnnl::memory::desc bias({p.oc}, Type::s32, Tag::x);
  const auto shift = static_cast<int>(p.rshift);
  dnnl::primitive_attr attributes;
  attributes.set_output_scales(0, {std::ldexp(1.0f, -shift)});
  dnnl::post_ops rounding;
  rounding.append_eltwise(1.0f, dnnl::algorithm::eltwise_linear, 1.0f,
                          std::ldexp(1.0f, -shift - 2));
  attributes.set_post_ops(rounding);
  return Descriptor({dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in,
                     weights, bias, out, Dims{p.stride.h, p.stride.w},
                     Dims{p.dilation.h - 1, p.dilation.w - 1}, Dims{0, 0}, Dims{0, 0}},
                    attributes, cpu());
}

struct Primitive {
  Descriptor descriptor;
  dnnl::convolution_forward convolution;
};

// Returns the primitive of this thread for a shape. The library binds primitives to the thread that
// made them.
const Primitive& primitive(const Problem& problem, const dnnl::memory::desc* weights) {
  constexpr size_t kMost = 64;
  thread_local std::map<Problem, Primitive> cache;
  auto found = cache.find(problem);
  if (found != cache.end() &&
      (weights == nullptr || found->second.descriptor.weights_desc() == *weights))
    return found->second;
  if (cache.size() >= kMost) cache.clear();
  const dnnl::memory::desc any({problem.oc, problem.ic, problem.kernel.h, problem.kernel.w},
                               Type::s8, dnnl::memory::format_tag::any);
  Descriptor descriptor = describe_primitive(problem, weights != nullptr ? *weights : any);
  return cache
      .insert_or_assign(problem, Primitive{descriptor, dnnl::convolution_forward(descriptor)})
      .first->second;
}

// The weights of one problem, as local memory holds them and as the library needs them. The
// library's reordering is slow, so it runs only if a byte of the weights differs from the last
// time.
struct Weights {
  std::vector<uint8_t> lanes;  // [oc][kh][kw][ic]
  Scratch packed;
  dnnl::memory::desc desc;
};

Weights& cached_weights(const Problem& problem) {
  constexpr size_t kMost = 64;
  thread_local std::map<Problem, Weights> cache;
  auto found = cache.find(problem);
  if (found != cache.end()) return found->second;
  if (cache.size() >= kMost) cache.clear();
  return cache[problem];
}

struct LibraryConvolution {
  const Conv2dBm1880& op;
  const Memory& memory;
  Problem whole;      // with all rows of an image
  AxisGeometry h, w;  // the padded, zero-inserted input, unchanged
  ColumnGeometry columns;
  uint32_t band = 0;        // output rows of one task
  size_t bands = 0;         // bands of an image
  uint8_t* in = nullptr;    // [n][padded row][padded column][ic]
  uint8_t* out = nullptr;   // [n][row][column][oc]
  void* weights = nullptr;  // in the library's layout
  int32_t* bias = nullptr;
  dnnl::memory::desc weights_desc;

  Problem problem(uint32_t rows) const {
    Problem p = whole;
    p.rows = rows;
    return p;
  }
  size_t input_row_bytes() const { return whole.padded_columns() * whole.ic; }
  void take_weights();
  void pack_row(size_t row) const;
  void convolve(size_t task) const;
  void unpack_row(size_t row) const;
};

// Updates the cached weights from local memory.
void LibraryConvolution::take_weights() {
  const Shape& s = op.weight.shape;
  const size_t bytes = size_t{s.n} * s.h * s.w;
  Weights& cached = cached_weights(whole);
  cached.lanes.resize(bytes * whole.oc);
  std::atomic<bool> changed = cached.desc != weights_desc;
  parallel_for(whole.oc, (1 << 15) / bytes + 1, [&](size_t begin, size_t end) {
    for (auto oc = static_cast<uint32_t>(begin); oc < end; ++oc) {
      uint8_t* known = cached.lanes.data() + oc * bytes;
      for (uint32_t y = 0; y < s.h; ++y)
        for (uint32_t x = 0; x < s.w; ++x, known += s.n) {
          const uint8_t* now = memory.byte(op.weight, 0, oc, y, x);
          if (std::memcmp(known, now, s.n) == 0) continue;
          std::memcpy(known, now, s.n);
          changed.store(true, std::memory_order_relaxed);
        }
      bias[oc] = op.bias ? memory.read(*op.bias, 0, oc, 0, 0) : 0;
    }
  });
  weights = cached.packed.take<uint8_t>(weights_desc.get_size());
  if (!changed) return;
  const OneOpenMpThread one;
  const dnnl::memory::desc ohwi(
      {whole.oc, s.n, s.h, s.w}, Type::s8,
      Dims{static_cast<int64_t>(bytes), 1, int64_t{s.w} * s.n, int64_t{s.n}});
  dnnl::memory from(ohwi, cpu(), cached.lanes.data()), to(weights_desc, cpu(), weights);
  dnnl::stream stream(cpu());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  cached.desc = weights_desc;
}

// Calls f(first, count) for channels in neighbouring lanes, which are at constant distance.
template <class F>
void for_each_lane_run(const TensorView& v, const LocalMemory& local, F&& f) {
  const uint64_t first_lane = v.address / local.lane_bytes();
  for (uint32_t c = 0; c < v.shape.c;) {
    const auto lane = static_cast<uint32_t>((first_lane + c) % local.lanes());
    const uint32_t count = std::min(v.shape.c - c, local.lanes() - lane);
    f(c, count);
    c += count;
  }
}

void LibraryConvolution::pack_row(size_t row) const {
  uint8_t* to = in + row * input_row_bytes();
  const auto rows = static_cast<size_t>(whole.padded_rows());
  const int64_t y = h.source(0, static_cast<uint32_t>(row % rows));
  const bool covers_all = columns.count == w.extent && columns.step == 1;
  if (y < 0 || !covers_all) std::memset(to, 0, input_row_bytes());
  if (y < 0 || columns.count == 0) return;
  // Inserted zeros are skipped by the stride of the destination.
  for_each_lane_run(op.in, memory.local, [&](uint32_t c, uint32_t count) {
    const uint8_t* from = memory.byte(op.in, static_cast<uint32_t>(row / rows), c,
                                      static_cast<uint32_t>(y), columns.source);
    transpose(to + columns.first * whole.ic + c, columns.step * whole.ic, from,
              memory.local.lane_stride(), count, columns.count);
  });
}

void LibraryConvolution::convolve(size_t task) const {
  thread_local dnnl::stream stream(cpu());
  const OneOpenMpThread one;
  const auto image = static_cast<uint32_t>(task / bands);
  const auto first = static_cast<uint32_t>(task % bands) * band;
  const uint32_t rows = std::min(band, whole.rows - first);
  const Primitive& p = primitive(problem(rows), &weights_desc);
  uint8_t* from = in + (image * whole.padded_rows() + first * whole.stride.h) * input_row_bytes();
  uint8_t* to = out + (size_t{image} * whole.rows + first) * whole.columns * whole.oc;
  p.convolution.execute(stream, {{DNNL_ARG_SRC, {p.descriptor.src_desc(), cpu(), from}},
                                 {DNNL_ARG_WEIGHTS, {weights_desc, cpu(), weights}},
                                 {DNNL_ARG_BIAS, {p.descriptor.bias_desc(), cpu(), bias}},
                                 {DNNL_ARG_DST, {p.descriptor.dst_desc(), cpu(), to}}});
  stream.wait();
}

void LibraryConvolution::unpack_row(size_t row) const {
  const uint8_t* from = out + row * whole.columns * whole.oc;
  for_each_lane_run(op.out, memory.local, [&](uint32_t c, uint32_t count) {
    uint8_t* to = memory.byte(op.out, static_cast<uint32_t>(row / whole.rows), c,
                              static_cast<uint32_t>(row % whole.rows), 0);
    transpose(to, memory.local.lane_stride(), from + c, whole.oc, whole.columns, count);
  });
}

Problem problem_of(const Conv2dBm1880& op) {
  const Axis &h = op.window.h, &w = op.window.w;
  return {.ic = op.in.shape.c,
          .oc = op.out.shape.c,
          .kernel = {op.weight.shape.h, op.weight.shape.w},
          .stride = {h.stride, w.stride},
          .dilation = {h.dilation, w.dilation},
          .rows = op.out.shape.h,
          .columns = op.out.shape.w,
          .rshift = op.rshift,
          .signed_input = is_signed(op.in.dtype),
          .signed_output = !op.relu};
}

void convolve(const Conv2dBm1880& op, const Memory& memory) {
  const Shape &in = op.in.shape, &out = op.out.shape;
  const Axis &h = op.window.h, &w = op.window.w;
  LibraryConvolution l{op, memory, problem_of(op)};
  auto choose = [](AxisGeometry& planned, Axis axis, uint32_t extent, int64_t padded) {
    axis.stride = 1;
    axis.kernel = 1;
    planned.choose(axis, extent, static_cast<uint32_t>(padded), /*unrolled=*/false);
  };
  choose(l.h, h, in.h, l.whole.padded_rows());
  choose(l.w, w, in.w, l.whole.padded_columns());
  l.columns = find_columns(l.w, 0);
  // Images are cut into bands if there are fewer images than threads.
  const auto threads = static_cast<uint32_t>(thread_count());
  l.band = std::max(ceil_div(out.h, ceil_div(threads, out.n)), 1u);
  l.bands = ceil_div(out.h, l.band);

  thread_local Scratch in_scratch, out_scratch, bias_scratch;
  const size_t in_rows = out.n * static_cast<size_t>(l.whole.padded_rows());
  const size_t out_rows = size_t{out.n} * out.h;
  l.in = in_scratch.take<uint8_t>(in_rows * l.input_row_bytes());
  l.out = out_scratch.take<uint8_t>(out_rows * out.w * out.c);
  l.bias = bias_scratch.take<int32_t>(out.c);
  {
    const OneOpenMpThread one;
    l.weights_desc = primitive(l.problem(l.band), nullptr).descriptor.weights_desc();
  }
  l.take_weights();

  constexpr size_t kBytesWorthATask = 1 << 15;
  auto rows_per_task = [](size_t row_bytes) { return kBytesWorthATask / row_bytes + 1; };
  parallel_for(in_rows, rows_per_task(l.input_row_bytes()), [&l](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) l.pack_row(i);
  });
  parallel_for(out.n * l.bands, 1, [&l](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) l.convolve(i);
  });
  parallel_for(out_rows, rows_per_task(size_t{out.w} * out.c), [&l](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) l.unpack_row(i);
  });
}

}  // namespace

OneDnn onednn_on_this_host() {
#if !defined(__x86_64__)
  // On other architectures dnnl_get_effective_cpu_isa() returns a mask of all instruction sets.
  return OneDnn::not_exact;
#endif
  const int isa = dnnl_get_effective_cpu_isa();
  auto has = [isa](int level) { return (isa & level) == level; };
  // Without VNNI the library's int8 kernels saturate in 16 bits.
  return has(dnnl_cpu_isa_avx512_core_vnni) ? OneDnn::exact : OneDnn::not_exact;
}

Declined execute_onednn(const Conv2dBm1880& op, const Memory& memory) {
  if (!is_signed(op.weight.dtype) || op.rshift > kLargestShift || !sums_fit(op))
    return "the library's sums would not be exact";
  if (op.window.h.dilation == 0 || op.window.w.dilation == 0) return "a dilation of 0";
  try {
    convolve(op, memory);
    // The library throws if it rejects a shape. No result is written before that.
  } catch (const dnnl::error&) {
    return "a shape the library does not take";
  }
  return kRan;
}

}  // namespace tputwin::fast
