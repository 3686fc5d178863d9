// fp32 arithmetic, conversions, selects and per-channel functions. Formulas: OKKernel guide, with
// the rounding and special values of docs/numerics.md.
#include "okkernel/calls.h"
#include "okkernel/float_model.h"

namespace tputwin::okktest {
namespace {

Bits bits(int64_t value) { return static_cast<Bits>(value); }
Bits src(const Element& e, int i) { return bits(e.src[i]); }
Bits c_of(const Element& e) { return e.k.c.u32; }

const Operand kF32{.draw = any_f32};
const Operand kAligned{.draw = any_f32, .layout = Operand::Layout::aligned};
const Operand kPerChannel{.draw = any_f32, .layout = Operand::Layout::per_channel};

// Constants of the forms with C, and a select value.
std::vector<Constants> fp32_constants() {
  std::vector<Constants> list;
  for (Bits c : {0x3fc00000u, 0xc0490fdbu, 0x00000000u, 0x80000000u, 0x00000001u, 0x7f800000u,
                 0x7fc00000u, 0xff800001u, 0x7f7fffffu, 0x3f800000u, 0x42c80000u}) {
    Constants k;
    k.c.u32 = c;
    k.select.u32 = 0x7f800001u ^ c;
    list.push_back(k);
  }
  return list;
}

std::vector<Constants> series(std::initializer_list<int> numbers) {
  std::vector<Constants> list;
  for (int n : numbers) {
    Constants k;
    k.series = n;
    list.push_back(k);
  }
  return list;
}

using Binary = Bits (*)(Bits, Bits);

void add_arithmetic(std::vector<Row>& rows) {
  // src0 op src1, and src op C
  auto two = [&](const char* name, Call f, Binary op) {
    rows.push_back(
        {.function = name,
         .operands = {kF32, kF32, kF32},
         .call = f,
         .model = element_wise(2, [op](const Element& e) { return op(src(e, 0), src(e, 1)); })});
  };
  auto with_c = [&](const char* name, Call f, Formula formula) {
    rows.push_back({.function = name,
                    .operands = {kF32, kF32},
                    .call = f,
                    .model = element_wise(1, formula),
                    .constants = fp32_constants()});
  };
  auto right_c = [&](const char* name, Call f, Binary op) {
    with_c(name, f, [op](const Element& e) { return op(src(e, 0), c_of(e)); });
  };
  auto left_c = [&](const char* name, Call f, Binary op) {
    with_c(name, f, [op](const Element& e) { return op(c_of(e), src(e, 0)); });
  };
  two("okk_bdc_add", call(okk_bdc_add), add);
  right_c("okk_bdc_add_C", call(okk_bdc_add_C), add);
  two("okk_bdc_sub", call(okk_bdc_sub), sub);
  right_c("okk_bdc_sub_C", call(okk_bdc_sub_C), sub);
  left_c("okk_bdc_C_sub", call(okk_bdc_C_sub), sub);
  two("okk_bdc_mul", call(okk_bdc_mul), mul);
  right_c("okk_bdc_mul_C", call(okk_bdc_mul_C), mul);
  two("okk_bdc_div", call(okk_bdc_div), div);
  right_c("okk_bdc_div_C", call(okk_bdc_div_C), div);
  left_c("okk_bdc_C_div", call(okk_bdc_C_div), div);
  two("okk_bdc_max", call(okk_bdc_max), max);
  right_c("okk_bdc_max_C", call(okk_bdc_max_C), max);
  two("okk_bdc_min", call(okk_bdc_min), min);
  right_c("okk_bdc_min_C", call(okk_bdc_min_C), min);
  rows.push_back({.function = "okk_bdc_mac",
                  .operands = {kF32, kF32, kF32},
                  .call = call(okk_bdc_mac),
                  .model = element_wise(2, [](const Element& e) {
                    return add(mul(src(e, 0), src(e, 1)), bits(e.old));
                  })});
  with_c("okk_bdc_mac_C", call(okk_bdc_mac_C),
         [](const Element& e) { return add(mul(src(e, 0), c_of(e)), bits(e.old)); });
}

void add_unary(std::vector<Row>& rows) {
  auto one = [&](const char* name, Call f, Bits (*op)(Bits)) {
    rows.push_back({.function = name,
                    .operands = {kF32, kF32},
                    .call = f,
                    .model = element_wise(1, [op](const Element& e) { return op(src(e, 0)); })});
  };
  one("okk_bdc_reciprocal", call(okk_bdc_reciprocal), reciprocal);
  one("okk_bdc_neg", call(okk_bdc_neg), [](Bits x) { return sub(0, x); });
  one("okk_bdc_relu", call(okk_bdc_relu), relu);
}

void add_selects(std::vector<Row>& rows) {
  auto value = [&](const char* name, Call f, size_t sources, bool (*holds)(const Element&)) {
    std::vector<Operand> operands(sources + 1, kF32);
    rows.push_back(
        {.function = name,
         .operands = operands,
         .call = f,
         .model = element_wise(
             sources, [holds](const Element& e) { return holds(e) ? e.k.select.u32 : 0u; }),
         .constants = fp32_constants()});
  };
  value("okk_bdc_greater_select_value", call(okk_bdc_greater_select_value), 2,
        [](const Element& e) { return greater(src(e, 0), src(e, 1)); });
  value("okk_bdc_greater_C_select_value", call(okk_bdc_greater_C_select_value), 1,
        [](const Element& e) { return greater(src(e, 0), c_of(e)); });
  value("okk_bdc_C_greater_select_value", call(okk_bdc_C_greater_select_value), 1,
        [](const Element& e) { return greater(c_of(e), src(e, 0)); });
  value("okk_bdc_equal_select_value", call(okk_bdc_equal_select_value), 2,
        [](const Element& e) { return src(e, 0) == src(e, 1); });
  value("okk_bdc_equal_C_select_value", call(okk_bdc_equal_C_select_value), 1,
        [](const Element& e) { return src(e, 0) == c_of(e); });
}

// Bit i of Constants selects that operand i is a constant: 0.5, 1.5, 2.5, 3.5 by number.
Bits constant_operand(int i) { return as_bits(static_cast<float>(i) + 0.5f); }

template <auto Function>
void call_full_select(const Case& c) {
  fp32_or_addr_t compared[2];
  x32_or_addr_t selected[2];
  for (int i = 0; i < 4; i++) {
    const bool is_constant = c.k.constant_operands >> i & 1;
    if (i < 2) {
      compared[i].is_addr = !is_constant;
      if (is_constant)
        compared[i].context.val = as_float(constant_operand(i));
      else
        compared[i].context.addr = at(c, i + 1);
    } else {
      selected[i - 2].is_addr = !is_constant;
      if (is_constant)
        selected[i - 2].context.val.u32 = constant_operand(i);
      else
        selected[i - 2].context.addr = at(c, i + 1);
    }
  }
  Function(at(c, 0), &compared[0], &compared[1], &selected[0], &selected[1], &c.shape);
}

void add_full_selects(std::vector<Row>& rows) {
  std::vector<Constants> mixes;
  for (unsigned mix = 0; mix < 16; mix++) {
    Constants k;
    k.constant_operands = mix;
    mixes.push_back(k);
  }
  auto full = [&](const char* name, Call f, bool (*holds)(Bits, Bits)) {
    rows.push_back({.function = name,
                    .operands = {kAligned, kAligned, kAligned, kAligned, kAligned},
                    .call = f,
                    .model = element_wise(4,
                                          [holds](const Element& e) {
                                            auto operand = [&](int i) {
                                              return e.k.constant_operands >> i & 1
                                                         ? constant_operand(i)
                                                         : src(e, i);
                                            };
                                            return operand(holds(operand(0), operand(1)) ? 2 : 3);
                                          }),
                    .constants = mixes});
  };
  full("okk_bdc_greater_select", call_full_select<okk_bdc_greater_select>, greater);
  full("okk_bdc_equal_select", call_full_select<okk_bdc_equal_select>,
       [](Bits a, Bits b) { return !greater(a, b) && !greater(b, a); });
}

void add_aligned_unary(std::vector<Row>& rows) {
  auto one = [&](const char* name, Call f, Draw draw, Formula formula,
                 std::vector<Constants> constants = {{}}) {
    rows.push_back({.function = name,
                    .operands = {kAligned, {.draw = draw, .layout = Operand::Layout::aligned}},
                    .call = f,
                    .model = element_wise(1, formula),
                    .constants = constants});
  };
  one("okk_bdc_rsqrt", call(okk_bdc_rsqrt), any_f32,
      [](const Element& e) { return rsqrt(src(e, 0)); });
  one("okk_bdc_sqrt", call(okk_bdc_sqrt), any_f32,
      [](const Element& e) { return sqrt(src(e, 0)); });
  one(
      "okk_bdc_lookup_exp", call(okk_bdc_lookup_exp),
      [](Rng& rng) { return static_cast<uint32_t>(static_cast<int>(rng.range(0, 191)) - 103); },
      [](const Element& e) { return lookup_exp(static_cast<int32_t>(src(e, 0))); });
  one(
      "okk_bdc_lookup_int32_to_fp32", call(okk_bdc_lookup_int32_to_fp32),
      [](Rng& rng) { return static_cast<uint32_t>(static_cast<int>(rng.range(0, 255)) - 128); },
      [](const Element& e) { return lookup_int(static_cast<int32_t>(src(e, 0))); });
  one("okk_bdc_fp32_to_int32", call(okk_bdc_fp32_to_int32), any_f32,
      [](const Element& e) { return truncated(src(e, 0)); });
  one(
      "okk_bdc_taylor_exp", call(okk_bdc_taylor_exp), ordinary_f32,
      [](const Element& e) { return taylor_exp(src(e, 0), e.k.series); },
      series({1, 2, 3, 8, 32, 64}));
}

void add_exp_family(std::vector<Row>& rows) {
  using Function = WithWork (*)(Bits, int);
  // exp and tanh in place lose the source's fraction; a separate test covers that
  auto with_work = [&](const char* name, Call f, Function function,
                       std::vector<Constants> constants) {
    Operand work = kAligned;
    work.work = true;
    rows.push_back(
        {.function = name,
         .operands = {kAligned, {.draw = exp_f32, .layout = Operand::Layout::aligned}, work},
         .call = f,
         .model = element_wise(
             1, [function](const Element& e) { return function(src(e, 0), e.k.series).result; },
             {[function](const Element& e) { return function(src(e, 0), e.k.series).work; }}),
         .constants = constants,
         .in_place = function == Function{sigmoid}});
  };
  const auto tunable = series({1, 2, 5, 32, 64});
  with_work("okk_bdc_exp", call(okk_bdc_exp), exp, series({32}));
  with_work("okk_bdc_exp_tunable", call(okk_bdc_exp_tunable), exp, tunable);
  with_work("okk_bdc_sigmoid", call(okk_bdc_sigmoid), sigmoid, series({32}));
  with_work("okk_bdc_sigmoid_tunable", call(okk_bdc_sigmoid_tunable), sigmoid, tunable);
  with_work("okk_bdc_tanh", call(okk_bdc_tanh), tanh, series({32}));
  with_work("okk_bdc_tanh_tunable", call(okk_bdc_tanh_tunable), tanh, tunable);
}

// Without strides the chip adds 0, so -0 becomes +0.
void scale_model(const Case& c, Image& image) {
  const bool adds_zero = !c.t[0].passed && !c.t[1].passed;
  element_wise(2, [=](const Element& e) {
    const Bits product = mul(src(e, 0), src(e, 1));
    return e.k.flag ? add(bits(e.old), product) : adds_zero ? add(product, 0) : product;
  })(c, image);
}

void add_per_channel(std::vector<Row>& rows) {
  std::vector<Constants> result_add(2);
  result_add[1].flag = true;
  rows.push_back(
      {.function = "okk_bdc_bias",
       .operands = {kF32, kF32, kPerChannel},
       .call =
           [](const Case& c) {
             okk_bdc_bias(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.strides(0), c.strides(1));
           },
       .model = element_wise(2, [](const Element& e) { return add(src(e, 0), src(e, 1)); })});
  rows.push_back({.function = "okk_bdc_scale",
                  .operands = {kF32, kF32, kPerChannel},
                  .call =
                      [](const Case& c) {
                        okk_bdc_scale(at(c, 0), at(c, 1), at(c, 2), &c.shape, c.strides(0),
                                      c.strides(1), c.k.flag);
                      },
                  .model = scale_model,
                  .constants = result_add});
  rows.push_back({.function = "okk_bdc_scale_bias",
                  .operands = {kF32, kF32, kPerChannel, kPerChannel},
                  .call =
                      [](const Case& c) {
                        okk_bdc_scale_bias(at(c, 0), at(c, 1), at(c, 2), at(c, 3), &c.shape,
                                           c.strides(0), c.strides(1), c.k.flag);
                      },
                  .model = element_wise(3,
                                        [](const Element& e) {
                                          const Bits sum =
                                              add(mul(src(e, 0), src(e, 1)), src(e, 2));
                                          return e.k.flag ? add(sum, bits(e.old)) : sum;
                                        }),
                  .constants = result_add});
}

// Elements of the packed source beyond N are converted in the work tensor, but not written to the
// destination.
Row int8_row(const char* name, decltype(&okk_bdc_int8_to_fp32) f, int pack, bool is_signed,
             bool aligned) {
  const auto layout = aligned ? Operand::Layout::aligned : Operand::Layout::compact;
  const Operand source{.bytes = 1, .is_signed = is_signed, .pack = pack, .layout = layout};
  Operand work = source;
  work.work = true;
  return {
      .function = name,
      .operands = {{.draw = any_f32, .layout = layout}, source, work},
      .call = [=](const Case& c) { f(at(c, 0), at(c, 1), at(c, 2), &c.shape, is_signed, aligned); },
      .model =
          [=](const Case& c, Image& image) {
            for_each(c.shape, [&](int n, int ch, int h, int w) {
              const auto value = static_cast<float>(c.t[1].read(image, n, ch, h, w));
              c.t[0].write(image, n, ch, h, w, as_bits(value));
            });
            dim4 words = c.shape;  // the work tensor as int32
            Tensor from = c.t[1], to = c.t[2];
            if (pack == 4) {
              words.n = (c.shape.n + 3) / 4 * 4;
            } else {
              words.h = 1;
              words.w = (c.shape.h * c.shape.w + 3) / 4 * 4;
            }
            for_each(words, [&](int n, int ch, int h, int w) {
              const int64_t raw = from.read(image, n, ch, h, w);
              to.write(image, n, ch, h, w, is_signed ? raw ^ 0x80 : raw);
            });
          }};
}

void add_int8_conversions(std::vector<Row>& rows) {
  for (bool is_signed : {false, true})
    for (bool aligned : {false, true})
      rows.push_back(
          int8_row("okk_bdc_4N_int8_to_fp32", okk_bdc_4N_int8_to_fp32, 4, is_signed, aligned));
  for (bool is_signed : {false, true})
    for (bool aligned : {false, true})
      rows.push_back(int8_row("okk_bdc_int8_to_fp32", okk_bdc_int8_to_fp32, 1, is_signed, aligned));
}

}  // namespace

void add_fp32_rows(std::vector<Row>& rows) {
  add_arithmetic(rows);
  add_unary(rows);
  add_selects(rows);
  add_full_selects(rows);
  add_aligned_unary(rows);
  add_exp_family(rows);
  add_per_channel(rows);
  add_int8_conversions(rows);
}

}  // namespace tputwin::okktest
