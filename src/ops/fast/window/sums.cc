// The kernels of windows, the layout of channels, and the storing of results.
#include "ops/fast/window/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/window/sums.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>

#include "ops/fast/gemm/kernels/dot-inl.h"
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/vec/float32-inl.h"
#include "ops/fast/vec/rounding-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/transpose.h"
#include "ops/fast/window/three-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

constexpr size_t kBlock = 4;  // vectors
static_assert(kBlock * kElements32 <= kWindowSlack);

HWY_INLINE Floats LoadInt32(const uint32_t* words) {
  return hn::LoadU(F32(), reinterpret_cast<const float*>(words));
}
HWY_INLINE Ints LoadIntegers(const uint32_t* words) {
  return hn::LoadU(I32(), reinterpret_cast<const int32_t*>(words));
}
HWY_INLINE void StoreInt32(Ints x, uint32_t* to) {
  hn::StoreU(x, I32(), reinterpret_cast<int32_t*>(to));
}

// Stores bits of results. `doubt` becomes not 0 where a result is NaN.
HWY_INLINE void StoreResults(Floats x, Ints bits_of_x, uint32_t* to, Floats& doubt) {
  const Floats nan = nan_elements(x);
  StoreInt32(hn::Or(bits_of_x, bits(nan)), to);
  doubt = hn::Or(doubt, nan);
}

// Terms that all results share: the weights by number of tap.
struct CommonTerms {
  const float* weights;
  const WindowStarts& starts;

  HWY_INLINE Floats weight(size_t tap, size_t) const { return hn::Set(F32(), weights[tap]); }
  HWY_INLINE Floats first(size_t) const { return hn::Set(F32(), starts.first); }
  HWY_INLINE Floats second(size_t) const { return hn::Set(F32(), starts.second); }
  bool has_bias() const { return starts.bias != nullptr; }
  HWY_INLINE Floats bias(size_t) const { return hn::Set(F32(), *starts.bias); }
};
// Terms that each result has for itself.
struct OwnTerms {
  const WindowTerms& terms;

  HWY_INLINE Floats weight(size_t tap, size_t at) const {
    return hn::LoadU(F32(), terms.weights + tap * terms.pitch + at);
  }
  HWY_INLINE Floats first(size_t at) const { return hn::LoadU(F32(), terms.first + at); }
  HWY_INLINE Floats second(size_t at) const { return hn::LoadU(F32(), terms.second + at); }
  bool has_bias() const { return terms.bias != nullptr; }
  HWY_INLINE Floats bias(size_t at) const { return hn::LoadU(F32(), terms.bias + at); }
};

template <DType kType, size_t kV, class Terms>
HWY_INLINE void AddTap(const WindowRun& run, const Terms& terms, size_t tap, size_t at,
                       Floats* sums) {
  const uint32_t* const in = run.words + at + run.offsets[tap];
  for (size_t v = 0; v < kV; ++v) {
    const Floats factor = terms.weight(tap, at + v * kElements32);
    const Floats product = RoundTo<kType>(multiply(LoadInt32(in + v * kElements32), factor));
    sums[v] = RoundTo<kType>(hn::Add(sums[v], product));
  }
}

template <DType kType, size_t kV, class Terms>
HWY_INLINE void SumBlock(const WindowRun& run, const Terms& terms, size_t at, Floats& doubt) {
  Floats even[kV], odd[kV];
  for (size_t v = 0; v < kV; ++v)
    even[v] = terms.first(at + v * kElements32), odd[v] = terms.second(at + v * kElements32);
  size_t tap = 0;
  for (; tap + 2 <= run.taps; tap += 2) {
    AddTap<kType, kV>(run, terms, tap, at, even);
    AddTap<kType, kV>(run, terms, tap + 1, at, odd);
  }
  if (tap < run.taps) AddTap<kType, kV>(run, terms, tap, at, even);
  for (size_t v = 0; v < kV; ++v) {
    Floats sum = hn::Add(even[v], odd[v]);
    if (terms.has_bias()) sum = hn::Add(sum, terms.bias(at + v * kElements32));
    StoreResults(sum, to_bits<kType>(sum), run.out + at + v * kElements32, doubt);
  }
}

template <class Terms>
HWY_INLINE bool SumRun(const WindowRun& run, const Terms& terms, DType dtype) {
  return ForFloatType(dtype, [&]<DType kType>(std::integral_constant<DType, kType>) HWY_ATTR {
    Floats doubt = hn::Zero(F32());
    size_t at = 0;
    for (; at + (kBlock - 1) * kElements32 < run.count; at += kBlock * kElements32)
      SumBlock<kType, kBlock>(run, terms, at, doubt);
    for (; at < run.count; at += kElements32) SumBlock<kType, 1>(run, terms, at, doubt);
    return any_set(doubt);
  });
}
bool Sum(const WindowRun& run, const float* weights, WindowStarts starts, DType dtype) {
  return SumRun(run, CommonTerms{weights, starts}, dtype);
}
bool SumEach(const WindowRun& run, const WindowTerms& terms, DType dtype) {
  return SumRun(run, OwnTerms{terms}, dtype);
}

// Returns the bits of a number of the type, and keeps subnormals.
template <DType kType>
HWY_INLINE Ints exact_bits(Floats x) {
  return kType == DType::bf16 ? hn::ShiftRight<16>(bits(x)) : to_bits<kType>(x);
}

// Returns a if it is larger, else b, and keeps subnormals of bf16. Subnormals equal 0 in
// comparisons. Compilers turn a comparison and a selection of its operands into the processor's
// maximum, which makes subnormals 0.
template <DType kType>
HWY_INLINE Floats larger(Floats a, Floats b) {
  if constexpr (kType == DType::bf16) return hn::IfThenElse(hn::Gt(flush(a), flush(b)), a, b);
  return hn::IfThenElse(hn::Gt(a, b), a, b);
}

bool Largest(const WindowRun& run, DType dtype) {
  const float lowest = float_value(lowest_bits(dtype), dtype);
  return ForFloatType(dtype, [&]<DType kType>(std::integral_constant<DType, kType>) HWY_ATTR {
    Floats doubt = hn::Zero(F32());
    for (size_t at = 0; at < run.count; at += kElements32) {
      Floats largest = hn::Set(F32(), lowest);
      for (size_t tap = 0; tap < run.taps; ++tap)
        largest = larger<kType>(largest, LoadInt32(run.words + at + run.offsets[tap]));
      if constexpr (kType == DType::f32) largest = flush(largest);
      StoreResults(largest, exact_bits<kType>(largest), run.out + at, doubt);
    }
    return any_set(doubt);
  });
}

template <size_t kV>
HWY_INLINE void LargestBlock(const WindowRun& run, size_t at) {
  Floats largest[kV];
  for (size_t v = 0; v < kV; ++v) largest[v] = hn::Set(F32(), f32::kLowest);
  for (size_t tap = 0; tap < run.taps; ++tap)
    for (size_t v = 0; v < kV; ++v) {
      const Floats value = LoadInt32(run.words + at + run.offsets[tap] + v * kElements32);
      largest[v] = hn::IfThenElse(hn::Gt(value, largest[v]), value, largest[v]);
    }
  for (size_t v = 0; v < kV; ++v)
    StoreInt32(bits(flush(largest[v])), run.out + at + v * kElements32);
}

void LargestNumber(const WindowRun& run) {
  size_t at = 0;
  for (; at + (kBlock - 1) * kElements32 < run.count; at += kBlock * kElements32)
    LargestBlock<kBlock>(run, at);
  for (; at < run.count; at += kElements32) LargestBlock<1>(run, at);
}

void IntegerSum(const WindowRun& run, const int32_t* weights, int32_t start,
                const Quantization& q) {
  const Ints low = ints(q.relu ? std::max(q.low, 0) : q.low), high = ints(q.high);
  for (size_t at = 0; at < run.count; at += kElements32) {
    Ints acc = ints(start);
    for (size_t tap = 0; tap < run.taps; ++tap)
      acc = WordDot::step(acc, LoadIntegers(run.words + at + run.offsets[tap]),
                          ints(weights[tap] & 0xffff));
    if (q.relu) acc = hn::Max(acc, hn::Zero(I32()));
    if (q.rshift != 0) acc = RoundShift(I32(), acc, static_cast<int>(q.rshift), q.rounding);
    StoreInt32(hn::Min(hn::Max(acc, low), high), run.out + at);
  }
}

void IntegerLargest(const WindowRun& run) {
  for (size_t at = 0; at < run.count; at += kElements32) {
    Ints largest = LoadIntegers(run.words + at + run.offsets[0]);
    for (size_t tap = 1; tap < run.taps; ++tap)
      largest = hn::Max(largest, LoadIntegers(run.words + at + run.offsets[tap]));
    StoreInt32(largest, run.out + at);
  }
}

WindowKernels Kernels() {
  return {&Sum,           &SumEach,    &SumThree,       &Largest,
          &LargestNumber, &IntegerSum, &IntegerLargest, &WidenElements};
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {

HWY_EXPORT(Kernels);

WindowKernels window_kernels() { return HWY_DYNAMIC_DISPATCH(Kernels)(); }

namespace {

constexpr uint64_t kMaxPlaneCells = 4 << 20;
// Integer sums must stay inside 32 bits.
constexpr uint64_t kMaxTaps = 1 << 20, kMaxIntegerTaps = 1 << 13;

template <class T>
void narrow(const uint32_t* words, size_t count, uint8_t* to) {
  for (size_t i = 0; i < count; ++i, to += sizeof(T)) Memory::store(to, static_cast<T>(words[i]));
}
template <class T>
void narrow_strided(const uint32_t* words, size_t count, size_t step, uint8_t* to) {
  for (size_t i = 0; i < count; ++i, to += step) Memory::store(to, static_cast<T>(words[i]));
}

void widen_strided(const uint8_t* from, size_t step, bool is_signed, size_t count, int32_t* to) {
  for (size_t i = 0; i < count; ++i, from += step)
    to[i] = is_signed ? static_cast<int8_t>(*from) : *from;
}

}  // namespace

TensorView image_of(const TensorView& packed, uint32_t n) {
  TensorView image = packed;
  image.address += uint64_t{n / packed.pack} * packed.stride.n +
                   uint64_t{n % packed.pack} * element_bytes(packed.dtype);
  image.shape.n = 1;
  image.stride.n = 0;
  image.pack = 1;
  return image;
}

// Returns how int32 accumulators become elements of `dtype`.
Quantization quantization_of(bool relu, uint32_t rshift, Rounding rounding, DType dtype) {
  return {relu, rshift, rounding, saturate(INT32_MIN, dtype),
          dtype == DType::u32 ? INT32_MAX : saturate(INT32_MAX, dtype)};
}

Declined window_declines(const WindowJob& job) {
  const TensorView &in = job.in, &out = job.out;
  if (is_empty(in.shape) || is_empty(out.shape) || !has_elements(in) || !has_elements(out) ||
      in.shape.c != out.shape.c)
    return "no elements in lanes";
  if (job.window.pads != PadMode::constant) return "the padding is elements";
  if (is_32bit(out.dtype) && !has_dense_rows(out)) return "rows of results have gaps";
  if (const Declined why = overlap(out, {&in}, job.memory.local)) return why;
  const Shape dense = dense_shape(in.shape, job.window);
  const Window window = dense_window(job.window);
  if (!window_covered(window, dense, out.shape)) return "a window that is not laid out";
  const uint64_t most = is_float(in.dtype) ? kMaxTaps : kMaxIntegerTaps;
  if (uint64_t{window.h.kernel} * window.w.kernel > most ||
      uint64_t{dense.h} * dense.w > kMaxPlaneCells ||
      WindowPlane(window, dense, out.shape).floats() > kMaxPlaneCells)
    return "too many taps or too large a plane";
  return kRan;
}

WindowChannels::WindowChannels(const WindowJob& job, const WindowKernels& kernels)
    : job_(job),
      kernels_(kernels),
      dense_(dense_shape(job.in.shape, job.window)),
      plane_(dense_window(job.window), dense_, job.out.shape),
      whole_(plane_.pitch() <= 2 * job.out.shape.w),
      in_place_(is_32bit(job.in.dtype) && dense_ == job.in.shape),
      count_(whole_ ? plane_.extent() : job.out.shape.w),
      elements_(in_place_ ? 0 : uint64_t{dense_.h} * dense_.w),
      inputs_(plane_.floats() + kWindowSlack) {
  for (uint32_t kh = 0; kh < job.window.h.kernel; ++kh)
    for (uint32_t kw = 0; kw < job.window.w.kernel; ++kw)
      offsets_.push_back(static_cast<uint32_t>(plane_.offset(kh, kw)));
}

void WindowChannels::lay_out(uint32_t n, uint32_t c, const Outside& outside,
                             uint32_t* scratch) const {
  const uint8_t* from = job_.memory.byte(job_.in, n, c, 0, 0);
  auto* plane = reinterpret_cast<float*>(scratch + elements_);
  const float padding = f32::from_bits(outside.padding);
  if (in_place_) return plane_.lay_out(from, job_.in.stride, padding, plane);
  widen_channel(from, outside.insertion, scratch);
  plane_.lay_out(reinterpret_cast<const uint8_t*>(scratch), {.h = dense_.w * 4, .w = 4}, padding,
                 plane);
}

// Widens all elements of a channel to 32 bits. Elements of inserted rows and columns become
// `insertion`.
void WindowChannels::widen_channel(const uint8_t* from, uint32_t insertion, uint32_t* to) const {
  const TensorView& in = job_.in;
  const size_t across = job_.window.w.insert + 1, down = job_.window.h.insert + 1;
  const bool dense = has_dense_rows(in);
  thread_local Scratch row_scratch;
  int32_t* const row = across == 1 ? nullptr : row_scratch.take<int32_t>(in.shape.w);
  if (across * down > 1) std::fill_n(to, uint64_t{dense_.h} * dense_.w, insertion);
  for (uint32_t h = 0; h < in.shape.h; ++h, from += in.stride.h, to += down * dense_.w) {
    int32_t* const words = across == 1 ? reinterpret_cast<int32_t*>(to) : row;
    if (dense)
      kernels_.widen(in.dtype, from, in.shape.w, words);
    else if (element_bytes(in.dtype) == 1)
      widen_strided(from, in.stride.w, is_signed(in.dtype), in.shape.w, words);
    else
      for (size_t w = 0; w < in.shape.w; ++w)
        kernels_.widen(in.dtype, from + w * in.stride.w, 1, words + w);
    for (size_t w = 0; across > 1 && w < in.shape.w; ++w)
      to[w * across] = static_cast<uint32_t>(row[w]);
  }
}

WindowRun WindowChannels::run(uint32_t number, uint32_t* scratch) const {
  uint32_t* inputs = scratch + elements_;
  return {inputs + uint64_t{number} * plane_.pitch(), offsets_.data(), offsets_.size(),
          inputs + inputs_, count_};
}

void WindowChannels::store_row(uint32_t n, uint32_t c, uint32_t y, const uint32_t* words) const {
  uint8_t* to = job_.memory.byte(job_.out, n, c, y, 0);
  const size_t count = job_.out.shape.w;
  const uint32_t bytes = element_bytes(job_.out.dtype);
  if (bytes == 4) return static_cast<void>(std::memcpy(to, words, count * sizeof *words));
  const size_t step = job_.out.stride.w;
  if (count > 1 && step != bytes)
    bytes == 1 ? narrow_strided<uint8_t>(words, count, step, to)
               : narrow_strided<uint16_t>(words, count, step, to);
  else
    bytes == 1 ? narrow<uint8_t>(words, count, to) : narrow<uint16_t>(words, count, to);
}

WholePlanes::WholePlanes(const WindowJob& job, const WindowKernels& kernels)
    : job_(job), kernels_(kernels), taps_(size_t{job.in.shape.h} * job.in.shape.w) {
  for (uint32_t tap = 0; cover() && tap < taps_; ++tap) offsets_.push_back(tap * kAtOnce);
}

bool WholePlanes::cover() const {
  constexpr size_t kMostTaps = 4096;  // scratch memory holds many planes
  const Shape &in = job_.in.shape, &out = job_.out.shape;
  const auto covers = [](const Axis& axis, uint32_t extent) {
    return axis.kernel == extent && axis.pad_before == 0 && axis.insert == 0 &&
           (axis.dilation == 1 || extent == 1);
  };
  return out.h == 1 && out.w == 1 && taps_ <= kMostTaps && is_dense_plane(job_.in) &&
         covers(job_.window.h, in.h) && covers(job_.window.w, in.w);
}

void WholePlanes::transpose_rows(const uint32_t* rows, size_t count, uint32_t* to) const {
  transpose(sizeof *rows, reinterpret_cast<uint8_t*>(to), kAtOnce * sizeof *to,
            reinterpret_cast<const uint8_t*>(rows), taps_ * sizeof *rows, count, taps_);
}

WindowRun WholePlanes::lay_out(size_t first, size_t count, uint32_t* scratch) const {
  uint32_t* const by_column = scratch + taps_ * kAtOnce;
  for (size_t i = 0; i < count; ++i) {
    const auto [n, c] = place(first + i);
    kernels_.widen(job_.in.dtype, job_.memory.byte(job_.in, n, c, 0, 0), taps_,
                   reinterpret_cast<int32_t*>(scratch + i * taps_));
  }
  transpose_rows(scratch, count, by_column);
  return {by_column, offsets_.data(), taps_, by_column + taps_ * kAtOnce, count};
}

}  // namespace tputwin::fast
#endif
