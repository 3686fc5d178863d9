#include "okkernel/suite.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <algorithm>
#include <cstring>

#include "okkernel/float_model.h"
#include "selftest/kinds.h"

namespace tputwin::okktest {
namespace {

int cells(const Tensor& t) { return (t.shape.n + t.pack - 1) / t.pack; }
int rows_of(const Tensor& t) {
  return t.system ? t.shape.c : (t.npu + t.shape.c + kNpus - 1) / kNpus;
}
uint32_t cell_bytes(const Tensor& t) { return t.pack * t.bytes; }

dim4 strides_of(const Tensor& t, int plane_to, int w = 1, int gap = 0) {
  const int h = (t.shape.w - 1) * w + 1 + gap;
  int c = (t.shape.h - 1) * h + (t.shape.w - 1) * w + 1 + 2 * gap;
  c = (c + plane_to - 1) / plane_to * plane_to;
  return {rows_of(t) * c + gap, c, h, w};
}

}  // namespace

dim4 aligned_stride(const Tensor& t) { return strides_of(t, 128 / cell_bytes(t)); }
dim4 dense_stride(const Tensor& t) { return strides_of(t, 1); }

unsigned long long Tensor::address() const {
  if (system) return Machine::get().system_address() + offset;
  return static_cast<unsigned long long>(npu) * okk_local_mem_size_per_npu() + offset;
}

size_t Tensor::at(int n, int c, int h, int w) const {
  const int lane = (npu + c) % kNpus, row = system ? c : (npu + c) / kNpus;
  const size_t cell = size_t(n / pack) * stride.n + size_t(row) * stride.c + size_t(h) * stride.h +
                      size_t(w) * stride.w;
  return (system ? Image::system() : Image::lane(lane)) + offset + cell * cell_bytes(*this) +
         n % pack * bytes;
}

uint32_t Tensor::extent() const {
  return ((cells(*this) - 1) * stride.n + (rows_of(*this) - 1) * stride.c +
          (shape.h - 1) * stride.h + (shape.w - 1) * stride.w + 1) *
         cell_bytes(*this);
}

int64_t Tensor::read(const Image& image, int n, int c, int h, int w) const {
  uint32_t raw = 0;
  std::memcpy(&raw, image.data() + at(n, c, h, w), bytes);
  const int unused = 32 - 8 * bytes;
  return is_signed ? int64_t{static_cast<int32_t>(raw << unused) >> unused} : int64_t{raw};
}

void Tensor::write(Image& image, int n, int c, int h, int w, int64_t value) const {
  const auto raw = static_cast<uint32_t>(value);
  std::memcpy(image.data() + at(n, c, h, w), &raw, bytes);
}

void Allocator::put(Tensor& t) {
  uint32_t& next = t.system ? system_ : local_;
  const uint32_t to = t.system ? t.bytes : t.passed ? std::max(4u, cell_bytes(t)) : 128;
  next = (next + to - 1) / to * to;
  t.offset = next;
  next += t.extent() + 3 * std::max(4u, cell_bytes(t));
  if (next > (t.system ? kSystem : kSpan)) throw std::length_error("a case exceeds its memory");
}

uint32_t any_bits(Rng& rng) { return static_cast<uint32_t>(rng.next() >> 32); }

uint32_t ordinary_f32(Rng& rng) {
  return rng.range(0, 1) << 31 | rng.range(127 - 6, 127 + 6) << 23 | any_bits(rng) >> 9;
}

uint32_t any_f32(Rng& rng) {
  return rng.coin() ? ordinary_f32(rng) : testing::random_f32(rng, testing::random_kind(rng));
}

uint32_t exp_f32(Rng& rng) {
  return as_bits(static_cast<float>(rng.range(0, 160000)) / 1000.0f - 80.0f);
}

Model element_wise(size_t sources, Formula result, std::vector<Formula> work) {
  return [=](const Case& c, Image& image) {
    const Image before = image;
    for_each(c.shape, [&](int n, int ch, int h, int w) {
      Element e{c.t[0].read(before, n, ch, h, w), {}, c.k};
      for (size_t i = 1; i <= sources; i++) {
        const Tensor& t = c.t[i];  // of all extents, or (1, C, 1, 1)
        e.src.push_back(t.read(before, std::min(n, t.shape.n - 1), ch, std::min(h, t.shape.h - 1),
                               std::min(w, t.shape.w - 1)));
      }
      c.t[0].write(image, n, ch, h, w, result(e));
      for (size_t i = 0; i < work.size(); i++)
        c.t[sources + 1 + i].write(image, n, ch, h, w, work[i](e));
    });
  };
}

namespace {

std::string describe(const dim4& d) { return fmt::format("({},{},{},{})", d.n, d.c, d.h, d.w); }

std::string describe(const Case& c) {
  std::string text = fmt::format("shape {}", describe(c.shape));
  for (const Tensor& t : c.t)
    text += fmt::format("\n  {}{}+{:#x} {} x {} bytes, strides {}{}", t.system ? "system" : "npu ",
                        t.system ? "" : std::to_string(t.npu), t.offset, t.pack, t.bytes,
                        describe(t.stride), t.passed ? "" : " (NULL)");
  return text + fmt::format(
                    "\n  C {:#x}, select {:#x}, op_type {}, mul_type {}, rshift {}, "
                    "lshift {}, series {}, flag {}",
                    c.k.c.u32, c.k.select.u32, static_cast<int>(c.k.op_type),
                    static_cast<int>(c.k.mul_type), c.k.rshift, c.k.lshift, c.k.series, c.k.flag);
}

std::string first_difference(const Image& expected, const Image& got) {
  size_t at = 0;
  while (expected.data()[at] == got.data()[at]) at++;
  const size_t word = at / 4 * 4;
  uint32_t e, g;
  std::memcpy(&e, expected.data() + word, 4);
  std::memcpy(&g, got.data() + word, 4);
  const std::string place = at >= Image::system()
                                ? fmt::format("system+{:#x}", at - Image::system())
                                : fmt::format("npu {}+{:#x}", at / kSpan, at % kSpan);
  return fmt::format("{}: expected {:08x} ({}), got {:08x} ({})", place, e, as_float(e), g,
                     as_float(g));
}

void fill_noise(Image& image, Rng& rng) {
  for (size_t at = 0; at < image.size(); at += 8) {
    const uint64_t noise = rng.next();
    std::memcpy(image.data() + at, &noise, 8);
  }
}

}  // namespace

void check(const std::string& function, const Case& c, const std::vector<Draw>& draws,
           const std::function<void()>& call, const std::function<void(Image&)>& model) {
  static const Image noise = [] {
    Image image;
    Rng rng(1);
    fill_noise(image, rng);
    return image;
  }();
  Image before = noise;
  Rng rng(2);
  for (size_t i = 0; i < c.t.size(); i++)
    for_each(c.t[i].shape, [&](int n, int ch, int h, int w) {
      c.t[i].write(before, n, ch, h, w, draws[i](rng));
    });
  Image expected = before, got = before;
  {
    FlushToZero mode;
    model(expected);
  }
  tputwin_clear_errors();
  ASSERT_EQ(Machine::get().run_on(got, call), BM_SUCCESS) << function << ", " << describe(c) << "\n"
                                                          << tputwin_last_error();
  ASSERT_EQ(tputwin_warning_count(), 0u) << function << ", " << describe(c) << "\n"
                                         << tputwin_warning(0, nullptr);
  if (!(got == expected))
    FAIL() << function << ", " << describe(c) << "\n" << first_difference(expected, got);
}

namespace {

// Strides of a row's operands.
enum class Variant {
  null,
  gaps,
  dense,
  broadcast_n,
  broadcast_c,
  broadcast_h,
  broadcast_w,
  scalar
};
constexpr Variant kVariants[] = {Variant::null,        Variant::gaps,        Variant::dense,
                                 Variant::broadcast_n, Variant::broadcast_c, Variant::broadcast_h,
                                 Variant::broadcast_w, Variant::scalar};

struct Start {
  int npu, channels;
};
constexpr Start kStarts[] = {{0, 1},   {0, 63}, {0, 64}, {0, 65},
                             {0, 130}, {5, 63}, {63, 2}, {63, 130}};
constexpr dim4 kExtents[] = {{3, 0, 2, 5}, {1, 0, 1, 7}, {5, 0, 1, 1}, {2, 0, 3, 4}, {4, 0, 4, 1}};

Tensor tensor(const Row& row, const Operand& operand, const dim4& shape, const Start& start,
              Variant variant, bool destination) {
  Tensor t{.system = operand.system,
           .npu = operand.system ? 0 : start.npu,
           .bytes = operand.bytes,
           .is_signed = operand.is_signed,
           .pack = operand.pack,
           .shape = shape};
  if (operand.layout == Operand::Layout::per_channel) t.shape = {1, shape.c, 1, 1};
  if (operand.layout == Operand::Layout::compact ||
      operand.layout == Operand::Layout::per_channel) {
    t.stride = strides_of(t, std::max(1u, 4 / cell_bytes(t)));
    // Any address divisible by 4 is legal.
    t.passed = true;
    return t;
  }
  t.passed = operand.layout == Operand::Layout::any && variant != Variant::null;
  if (!t.passed) {
    t.stride = t.system ? dense_stride(t) : aligned_stride(t);
  } else if (variant == Variant::dense) {
    t.stride = dense_stride(t);
  } else {
    t.stride = strides_of(t, 1, row.w_strides ? 2 : 1, 3);
    // Programs leave any value in a stride that is not used.
    if (cells(t) == 1) t.stride.n = 54321;
    if (rows_of(t) == 1) t.stride.c = 12345;
    if (t.shape.h == 1) t.stride.h = 33333;
    if (destination) return t;
    const bool all = variant == Variant::scalar;
    if (all || variant == Variant::broadcast_n) t.stride.n = 0;
    if (all || variant == Variant::broadcast_c) t.stride.c = 0;
    if (all || variant == Variant::broadcast_h) t.stride.h = 0;
    if (row.w_strides && (all || variant == Variant::broadcast_w)) t.stride.w = 0;
  }
  return t;
}

bool same_type(const Operand& a, const Operand& b) {
  return a.system == b.system && a.bytes == b.bytes && a.pack == b.pack;
}

// `shared` is the index of the source that is also the destination, or 0.
Case make_case(const Row& row, const dim4& shape, const Start& start, Variant variant,
               const Constants& constants, size_t shared) {
  Case c{.shape = shape, .t = {}, .k = constants};
  Allocator allocator;
  for (size_t i = 0; i < row.operands.size(); i++) {
    if (shared != 0 && i == shared) {
      c.t.push_back(c.t[0]);
      c.t.back().is_signed = row.operands[i].is_signed;
      continue;
    }
    c.t.push_back(tensor(row, row.operands[i], shape, start, variant, i == 0));
    allocator.put(c.t.back());
  }
  return c;
}

void run(const Row& row) {
  std::vector<Draw> draws;
  bool strides = false;
  for (const Operand& operand : row.operands) {
    draws.push_back(operand.draw);
    strides |= operand.layout == Operand::Layout::any;
  }
  size_t index = 0;
  auto run_case = [&](const Start& start, Variant variant, size_t shared) {
    dim4 shape = kExtents[index % std::size(kExtents)];
    shape.c = start.channels;
    const Constants& constants = row.constants[index % row.constants.size()];
    index++;
    const Case c = make_case(row, shape, start, variant, constants, shared);
    check(
        row.function, c, draws, [&] { row.call(c); }, [&](Image& image) { row.model(c, image); });
  };
  for (const Start& start : kStarts) {
    if (start.npu != 0 && !row.any_start) continue;
    for (Variant variant : kVariants) {
      if (variant != Variant::null && !strides) continue;
      run_case(start, variant, 0);
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (size_t i = 1; row.in_place && i < row.operands.size(); i++) {
      if (row.operands[i].work || row.operands[i].layout == Operand::Layout::per_channel ||
          !same_type(row.operands[0], row.operands[i]))
        continue;
      run_case(start, strides ? Variant::gaps : Variant::null, i);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  for (; index < row.constants.size();) {  // constants that no case has used
    run_case(kStarts[3], Variant::null, 0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::vector<std::string> functions() {
  std::vector<std::string> names;
  for (const Row& row : rows())
    if (names.empty() || names.back() != row.function) names.push_back(row.function);
  return names;
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> list;
    add_gdma_rows(list);
    add_fp32_rows(list);
    add_bitwise_rows(list);
    add_fixed_point_rows(list);
    return list;
  }();
  return all;
}

class OkkFunction : public ::testing::TestWithParam<std::string> {};

TEST_P(OkkFunction, EqualsItsFormulaInEveryLayout) {
  for (const Row& row : rows()) {
    if (row.function != GetParam()) continue;
    run(row);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OkkFunction, ::testing::ValuesIn(functions()),
                         [](const auto& info) { return info.param; });

}  // namespace tputwin::okktest
