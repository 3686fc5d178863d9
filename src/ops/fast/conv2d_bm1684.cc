// fp32 conv2d: products of matrices over planes, or rows that are read in place for few terms.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/bits.h"
#include "numerics/float32.h"
#include "ops/contract/filter_operands.h"
#include "ops/conv/conv2d_bm1684.h"
#include "ops/fast/fast.h"
#include "ops/fast/gemm/kernels/short_rows.h"
#include "ops/fast/gemm/packing/terms_bm1684.h"
#include "ops/fast/gemm/run/conv2d_planes.h"
#include "ops/fast/gemm/run/deferred_sums.h"
#include "ops/fast/gemm/run/prepared_planes.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/copy.h"
#include "ops/fast/walk/nest.h"

namespace tputwin::fast {
namespace {

class F32Input final : public PlaneInput {
 public:
  F32Input(const Conv2dBm1684& op, const Memory& memory) : op_(op), memory_(memory) {}

  uint32_t cells() const override { return op_.in.shape.c; }
  const uint8_t* words(uint32_t n, uint32_t channel) const override {
    return memory_.byte(op_.in, n, channel, 0, 0);
  }
  uint32_t adjacent_cell_step() const override { return memory_.local.lanes(); }
  void read_rows(uint32_t n, uint32_t channel, uint32_t y, uint32_t rows,
                 uint32_t* to) const override {
    for (uint32_t row = y; row < y + rows; ++row)
      for (uint32_t x = 0; x < op_.in.shape.w; ++x)
        *to++ = Memory::load<uint32_t>(memory_.byte(op_.in, n, channel, row, x));
  }
  bool allows_bands() const override { return true; }

 private:
  const Conv2dBm1684& op_;
  const Memory& memory_;
};

// Packs the fp32 weights in panels, and the bias of each output channel in PlaneConstants::starts.
class F32Weights final : public PlaneWeights, private LatePanels {
 public:
  F32Weights(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms)
      : op_(op), memory_(memory), terms_(terms) {}

  uint32_t terms() const override { return static_cast<uint32_t>(terms_.terms.size()); }
  void pack(const ChannelBlocks& blocks, uint8_t* to, PlaneConstants& constants) const override {
    auto* const weights = reinterpret_cast<uint32_t*>(to);
    if (op_.constant_weight)
      std::fill_n(weights, uint64_t{terms()} * blocks.channels, *op_.constant_weight);
    else
      terms_.pack_weights(op_, memory_, blocks.rows, reinterpret_cast<float*>(weights));
    for (uint32_t oc = 0; oc < blocks.channels; ++oc) read_bias(oc, constants);
  }
  const LatePanels* late_panels() const override { return this; }

 private:
  uint32_t step(uint32_t rows) const override { return memory_.local.lanes() / rows; }
  void pack_panels(uint32_t block, uint32_t rows, uint64_t panel_cells, uint32_t* to,
                   PlaneConstants& constants) const override {
    const uint32_t slot = block * rows, lanes = memory_.local.lanes(), channels = op_.out.shape.c;
    if (op_.constant_weight)
      std::fill_n(to, panel_cells * ceil_div(channels - slot, lanes), *op_.constant_weight);
    else
      terms_.pack_panels(op_, memory_, rows, slot, panel_cells, reinterpret_cast<float*>(to));
    for (uint32_t first = slot; first < channels; first += lanes)
      for (uint32_t oc = first; oc < std::min(first + rows, channels); ++oc)
        read_bias(oc, constants);
  }
  void read_bias(uint32_t oc, PlaneConstants& constants) const {
    if (op_.bias) constants.starts[oc] = f32::bits(memory_.read_f32(*op_.bias, 0, oc, 0, 0));
  }

  const Conv2dBm1684& op_;
  const Memory& memory_;
  const ConvTerms& terms_;
};

class F32Products final : public PlaneProducts {
 public:
  F32Products(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms,
              const ConstantRestorer& restorer)
      : op_(op), memory_(memory), terms_(terms), restorer_(restorer) {}

  uint32_t vectors(const TileKernels& kernels, uint32_t rows) const override {
    return kernels.chain_vectors(rows);
  }
  void prepare(const PlaneTerms& planes) override {
    offsets_.reserve(terms_.terms.size());
    for (const ConvTerms::Term& term : terms_.terms)
      offsets_.push_back(static_cast<uint32_t>(
          term.channel * planes.pitch + planes.tap_offset[term.kh * op_.weight.shape.w + term.kw]));
    chains_ = terms_.chains;
    chains_.right_offset = offsets_.data();
  }
  // Reads the old results to r.second. The kernel adds them after the products and the bias.
  void start(const ResultRun& r, const PlaneConstants&) const override {
    if (!op_.accumulate) return;
    const uint8_t* from = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
    if (has_dense_rows(op_.out))
      copy_bytes(reinterpret_cast<uint8_t*>(r.second), from, r.count * sizeof(float));
    else
      for (uint32_t i = 0; i < r.count; ++i, from += op_.out.stride.w)
        r.second[i] = Memory::load<uint32_t>(from);
  }
  bool run(const Tile& tile, const TileBuffers& buffers, uint32_t oc,
           const PlaneConstants& constants) const override {
    const auto* biases = reinterpret_cast<const float*>(constants.starts.data());
    return kernels_.chains(tile, chains_,
                           {.row_bias = op_.bias ? biases + oc : nullptr,
                            .addends = op_.accumulate ? buffers.second_as_floats() : nullptr});
  }
  void store(const ResultRun& r, bool in_doubt, const PlaneConstants&) const override {
    for (uint32_t i = 0; in_doubt && i < r.count; ++i) {
      if (!f32::is_nan(f32::from_bits(r.first[i]))) continue;
      restorer_.restore();
      r.first[i] = f32::bits(result_at(op_, memory_, r.n, r.oc, r.y, r.x + i));
    }
    uint8_t* to = memory_.byte(op_.out, r.n, r.oc, r.y, r.x);
    if (has_dense_rows(op_.out)) {
      copy_bytes(to, reinterpret_cast<const uint8_t*>(r.first), r.count * sizeof(float));
      return;
    }
    for (uint32_t i = 0; i < r.count; ++i, to += op_.out.stride.w) Memory::store(to, r.first[i]);
  }

 private:
  const Conv2dBm1684& op_;
  const Memory& memory_;
  const ConvTerms& terms_;
  const ConstantRestorer& restorer_;
  const TileKernels kernels_ = tile_kernels();
  std::vector<uint32_t> offsets_;
  Chains chains_;
};

class F32Planes {
 public:
  F32Planes(const Conv2dBm1684& op, const Memory& memory)
      : terms_(ConvTerms::of(op)),
        input_(op, memory),
        weights_(op, memory, *terms_),
        products_(op, memory, *terms_, restorer_),
        results_(memory, op.out) {}

  ConvolutionParts parts() { return {input_, weights_, products_, results_, restorer_}; }

 private:
  const std::shared_ptr<const ConvTerms> terms_;
  ConstantRestorer restorer_;
  F32Input input_;
  F32Weights weights_;
  F32Products products_;
  PlaneResults results_;
};

Declined operands_decline(const Conv2dBm1684& op, const LocalMemory& local) {
  const Shape &in = op.in.shape, &out = op.out.shape;
  const Shape weight{in.c, out.c, op.window.h.kernel, op.window.w.kernel};
  if (!has_32bit_elements(op.out) || !has_32bit_elements(op.in) ||
      (has_weights(op) && !has_32bit_elements(op.weight)) ||
      (op.bias && !has_32bit_elements(*op.bias)))
    return "an operand has no 32-bit elements in lanes";
  if (op.weight.shape != weight || (op.bias && op.bias->shape != Shape{1, out.c, 1, 1}))
    return "weights are not of the window";
  if (uint64_t{weight.n} * weight.h * weight.w > kMaxChainTerms) return "too many terms";
  if (!has_dense_rows(op.out)) return "rows of results have gaps";
  if (op.window.w.output(in.w) != out.w) return "results are in index order";
  return overlap(op.out, {&op.in, has_weights(op) ? &op.weight : nullptr, tensor_of(op.bias)},
                 local);
}

uint64_t term_count(const Conv2dBm1684& op) {
  const Shape& weight = op.weight.shape;
  return uint64_t{weight.n} * weight.h * weight.w;
}

// Returns why short rows cannot be summed in place, or nullptr if they can. There must be few
// terms, and the inputs of each term must be contiguous.
Declined terms_decline(const Conv2dBm1684& op, uint32_t most_terms) {
  if (term_count(op) > most_terms) return "many terms";
  auto is_inside = [](const Axis& a, uint32_t in, uint32_t out) {
    return a.pad_before == 0 && a.insert == 0 && (out - 1) * a.stride + a.reach() <= in;
  };
  const Shape& s = op.out.shape;
  const bool is_contiguous = op.window.w.stride == 1 && has_dense_rows(op.in) &&
                             is_inside(op.window.h, op.in.shape.h, s.h) &&
                             is_inside(op.window.w, op.in.shape.w, s.w);
  return is_contiguous ? kRan : "rows of inputs are not laid out as results need them";
}

// Returns the first input of a term for a row of results.
const uint8_t* inputs_of(const Conv2dBm1684& op, const Memory& memory, const ConvTerms::Term& term,
                         uint32_t n, uint32_t y) {
  const Axis &h = op.window.h, &w = op.window.w;
  return memory.byte(op.in, n, term.channel, y * h.stride + term.kh * h.dilation,
                     term.kw * w.dilation);
}

// Reads the weights of an output channel, term by term.
void read_weights(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms, uint32_t oc,
                  float* to) {
  if (op.constant_weight)
    return static_cast<void>(
        std::fill_n(to, terms.terms.size(), f32::from_bits(*op.constant_weight)));
  const uint8_t* const first = memory.byte(op.weight, 0, oc, 0, 0);
  for (const uint32_t place : terms.weight_bytes) *to++ = Memory::load<float>(first + place);
}

// Computes one output channel of one image. Inputs are read in place, and sums stay in registers.
void run_short_rows(const Conv2dBm1684& op, const Memory& memory, const ConvTerms& terms,
                    const TileKernels& kernels, uint32_t n, uint32_t oc) {
  std::array<float, kMaxShortTerms> weights;
  std::array<const float*, kMaxShortTerms> inputs;
  const size_t count = terms.terms.size();
  read_weights(op, memory, terms, oc, weights.data());
  const float bias = op.bias ? memory.read_f32(*op.bias, 0, oc, 0, 0) : 0.0f;
  for (uint32_t y = 0; y < op.out.shape.h; ++y) {
    for (size_t i = 0; i < count; ++i)
      inputs[i] = reinterpret_cast<const float*>(inputs_of(op, memory, terms.terms[i], n, y));
    auto* out = reinterpret_cast<float*>(memory.byte(op.out, n, oc, y, 0));
    sum_short_row(
        kernels,
        {.chains = &terms.chains,
         .left = weights.data(),
         .right = inputs.data(),
         .out = out,
         .count = op.out.shape.w,
         .bias = op.bias ? &bias : nullptr,
         .accumulate = op.accumulate},
        count, [&](size_t x) { return result_at(op, memory, n, oc, y, static_cast<uint32_t>(x)); });
  }
}

Declined short_rows(const Conv2dBm1684& given, const Memory& memory) {
  if (const Declined why = operands_decline(given, memory.local)) return why;
  const Conv2dBm1684 op = with_long_rows(given);
  const Shape& s = op.out.shape;
  if (const Declined why = terms_decline(op, kMaxShortTerms)) return why;
  const ConvTerms terms(op);
  const TileKernels kernels = tile_kernels();
  const Slots slots = local_slots(s, memory.local);
  share_out(uint64_t{slots.count} * s.n, s.count() * terms.terms.size(), kShortTermsPerTask,
            [&](size_t begin, size_t end) {
              const ScopedFloatMode mode;
              for (size_t i = begin; i < end; ++i)
                for (auto oc = static_cast<uint32_t>(i / s.n); oc < s.c; oc += slots.lanes)
                  run_short_rows(op, memory, terms, kernels, static_cast<uint32_t>(i % s.n), oc);
            });
  return kRan;
}

// Returns a convolution that has one position in each image as one of a single image. The results
// of all images become one row, which may have gaps.
Conv2dBm1684 with_images_as_row(Conv2dBm1684 op) {
  const Axis point;
  const auto is_single = [](const Shape& s) { return s.h == 1 && s.w == 1; };
  if (op.window.h != point || op.window.w != point || !is_single(op.in.shape) ||
      !is_single(op.out.shape))
    return op;
  for (TensorView* view : {&op.in, &op.out}) {
    view->stride.w = view->stride.n;
    std::swap(view->shape.n, view->shape.w);
  }
  return op;
}

Declined planes(const Conv2dBm1684& given, const Memory& memory) {
  if (const Declined why = operands_decline(given, memory.local)) return why;
  const Conv2dBm1684 op = with_images_as_row(with_long_rows(given));
  F32Planes planes(op, memory);
  return convolve(planes.parts(), op.window, op.in, op.out.shape);
}

// Returns why single_place() does not cover the operation, or nullptr if it does. The result must
// have one position, and lanes must store weights as pairs of input channels.
Declined single_place_declines(const Conv2dBm1684& op) {
  const Axis point;
  const Shape &in = op.in.shape, &out = op.out.shape;
  if (op.window.h != point || op.window.w != point || in.n * in.h * in.w != 1 ||
      out.n * out.h * out.w != 1)
    return "many positions";
  const uint32_t pair = 2 * sizeof(float);
  if (op.constant_weight) return "one weight for all";
  if (in.c % 2 != 0 || op.weight.pack != 2 || op.weight.stride.c != pair)
    return "weights of lanes are no rows of pairs";
  return tile_kernels().pair_rows != nullptr ? kRan : "no vectors of pairs";
}

// Computes results that have one position. Each weight is used once, so weights are read in place.
// A lane stores a row of its output channels for each pair of input channels. The even and the odd
// channels of the pairs form separate chains.
Declined single_place(const Conv2dBm1684& op, const Memory& memory) {
  if (const Declined why = operands_decline(op, memory.local)) return why;
  if (const Declined why = single_place_declines(op)) return why;
  const uint32_t pairs = op.in.shape.c / 2;
  std::vector<uint64_t> inputs(pairs);
  for (uint32_t c = 0; c < op.in.shape.c; ++c)
    std::memcpy(reinterpret_cast<float*>(inputs.data()) + c, memory.byte(op.in, 0, c, 0, 0),
                sizeof(float));
  const TileKernels kernels = tile_kernels();
  const Slots slots = local_slots(op.out.shape, memory.local);
  const uint64_t terms = uint64_t{op.in.shape.c} * op.out.shape.c;
  share_out(slots.count, terms, kShortTermsPerTask, [&](size_t begin, size_t end) {
    const ScopedFloatMode mode;
    std::vector<float> even, odd;
    for (auto slot = static_cast<uint32_t>(begin); slot < end; ++slot) {
      const uint32_t rounds = slots.rounds(slot);
      even.resize(2 * rounds + kTilePitch), odd.resize(2 * rounds + kTilePitch);
      kernels.pair_rows(
          {inputs.data(), pairs, memory.byte(op.weight, 0, slot, 0, 0), op.weight.stride.n},
          size_t{2} * rounds, even.data(), odd.data());
      for (uint32_t round = 0; round < rounds; ++round) {
        const uint32_t oc = slot + round * slots.lanes, at = 2 * round;
        float sum = (even[at] + odd[at]) + (even[at + 1] + odd[at + 1]);
        if (op.bias) sum += memory.read_f32(*op.bias, 0, oc, 0, 0);
        if (op.accumulate) sum += memory.read_f32(op.out, 0, oc, 0, 0);
        if (f32::is_nan(sum)) sum = result_at(op, memory, 0, oc, 0, 0);
        memory.write_f32(op.out, 0, oc, 0, 0, sum);
      }
    }
  });
  return kRan;
}

class ConvSums final : public SumSource {
 public:
  ConvSums(const Conv2dBm1684& op, const Memory& memory) : op_(op), memory_(memory), terms_(op) {
    results = {op_.out, true};
    sum = {terms_.chains, static_cast<uint32_t>(terms_.terms.size())};
  }
  void read_left(uint32_t term, float* to) const override {
    for (uint32_t oc = 0; oc < op_.out.shape.c; ++oc)
      to[oc] = op_.constant_weight ? f32::from_bits(*op_.constant_weight)
                                   : Memory::load<float>(memory_.byte(op_.weight, 0, oc, 0, 0) +
                                                         terms_.weight_bytes[term]);
  }
  const uint8_t* right(uint32_t term, uint32_t segment) const override {
    const uint32_t height = op_.out.shape.h;
    return inputs_of(op_, memory_, terms_.terms[term], segment / height, segment % height);
  }

 private:
  const Conv2dBm1684 op_;
  const Memory& memory_;
  const ConvTerms terms_;
};

}  // namespace

std::unique_ptr<SumSource> sum_source(const Conv2dBm1684& given, const Memory& memory) {
  if (!given.accumulate || given.bias || operands_decline(given, memory.local) != kRan)
    return nullptr;
  const Conv2dBm1684 op = with_long_rows(given);
  if (terms_decline(op, kMaxSumTerms) != kRan) return nullptr;
  return std::make_unique<ConvSums>(op, memory);
}

TW_FAST_KERNELS(Conv2dBm1684, {"short rows", short_rows}, {"single position", single_place},
                {"planes", planes})

// Returns nullptr for few terms, because short_rows() packs nothing that could be kept.
std::unique_ptr<PreparedKernel> prepare(const Conv2dBm1684& op, const Memory& memory) {
  return term_count(op) <= kMaxShortTerms
             ? nullptr
             : PlaneKernel<Conv2dBm1684, F32Planes, operands_decline>::prepare(op, memory);
}

}  // namespace tputwin::fast
