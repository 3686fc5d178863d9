// Copies, fills, logic and shifts of 32-bit elements by the BDC engine.
#include "okkernel/calls.h"

namespace tputwin::okktest {
namespace {

uint32_t shift_amount(Rng& rng) {
  return static_cast<uint32_t>(static_cast<int>(rng.range(0, 64)) - 32);
}

// Shifts left if positive, else right; computes every bit of the result by the formula, also for
// +-32.
int64_t shifted(int64_t value, int64_t amount) {
  if (amount >= 32) return 0;
  if (amount > 0) return value << amount;
  return value >> std::min<int64_t>(-amount, 63);
}

const Operand kAny{};
const Operand kInt32{.is_signed = true};
const Operand kAmount{.is_signed = true, .draw = shift_amount};

std::vector<Constants> constants(std::initializer_list<int> values) {
  std::vector<Constants> list;
  for (int value : values) {
    Constants k;
    k.c.s32 = value;
    list.push_back(k);
  }
  return list;
}

int64_t signed_c(const Element& e) { return e.k.c.s32; }
int64_t unsigned_c(const Element& e) { return e.k.c.u32; }

void add_logic(std::vector<Row>& rows) {
  using Operator = int64_t (*)(int64_t, int64_t);
  auto both = [&](const char* name, Call f, const char* name_c, Call f_c, Operator op) {
    rows.push_back(
        {.function = name,
         .operands = {kAny, kAny, kAny},
         .call = f,
         .model = element_wise(2, [op](const Element& e) { return op(e.src[0], e.src[1]); })});
    rows.push_back(
        {.function = name_c,
         .operands = {kAny, kAny},
         .call = f_c,
         .model = element_wise(1, [op](const Element& e) { return op(e.src[0], unsigned_c(e)); }),
         .constants = constants({0, -1, 0x12345678, 0xffff})});
  };
  both("okk_bdc_32bit_and", call(okk_bdc_32bit_and), "okk_bdc_32bit_and_C",
       call(okk_bdc_32bit_and_C), [](int64_t a, int64_t b) { return a & b; });
  both("okk_bdc_32bit_or", call(okk_bdc_32bit_or), "okk_bdc_32bit_or_C", call(okk_bdc_32bit_or_C),
       [](int64_t a, int64_t b) { return a | b; });
  both("okk_bdc_32bit_xor", call(okk_bdc_32bit_xor), "okk_bdc_32bit_xor_C",
       call(okk_bdc_32bit_xor_C), [](int64_t a, int64_t b) { return a ^ b; });
}

void add_shifts(std::vector<Row>& rows) {
  auto by_tensor = [&](const char* name, Call f, const Operand& value) {
    rows.push_back(
        {.function = name,
         .operands = {value, value, kAmount},
         .call = f,
         .model = element_wise(2, [](const Element& e) { return shifted(e.src[0], e.src[1]); })});
  };
  auto by_constant = [&](const char* name, Call f, const Operand& value) {
    rows.push_back(
        {.function = name,
         .operands = {value, value},
         .call = f,
         .model = element_wise(1, [](const Element& e) { return shifted(e.src[0], signed_c(e)); }),
         .constants = constants({-32, -31, -7, -1, 0, 1, 13, 31, 32})});
  };
  auto of_constant = [&](const char* name, Call f, int64_t (*value)(const Element&)) {
    rows.push_back({.function = name,
                    .operands = {kAny, kAmount},
                    .call = f,
                    .model = element_wise(
                        1, [value](const Element& e) { return shifted(value(e), e.src[0]); }),
                    .constants = constants({-1, 1, INT32_MIN, INT32_MAX, 0x7654321})});
  };
  by_tensor("okk_bdc_32bit_arithmetic_shift", call(okk_bdc_32bit_arithmetic_shift), kInt32);
  by_tensor("okk_bdc_32bit_logical_shift", call(okk_bdc_32bit_logical_shift), kAny);
  by_constant("okk_bdc_32bit_arithmetic_shift_C", call(okk_bdc_32bit_arithmetic_shift_C), kInt32);
  by_constant("okk_bdc_32bit_logical_shift_C", call(okk_bdc_32bit_logical_shift_C), kAny);
  of_constant("okk_bdc_32bit_C_arithmetic_shift", call(okk_bdc_32bit_C_arithmetic_shift), signed_c);
  of_constant("okk_bdc_32bit_C_logical_shift", call(okk_bdc_32bit_C_logical_shift), unsigned_c);
}

// The destination is written with the strides of the source, and the source is read with the
// destination's.
void copy_with_strides_swapped(const Case& c, Image& image) {
  Tensor dst = c.t[0], src = c.t[1];
  std::swap(dst.stride, src.stride);
  for_each(c.shape, [&](int n, int ch, int h, int w) {
    dst.write(image, n, ch, h, w, src.read(image, n, ch, h, w));
  });
}

}  // namespace

void add_bitwise_rows(std::vector<Row>& rows) {
  rows.push_back({.function = "okk_bdc_32bit_cpy",
                  .operands = {kAny, kAny},
                  .call = call(okk_bdc_32bit_cpy),
                  .model = copy_with_strides_swapped});
  rows.push_back({.function = "okk_bdc_32bit_set_C",
                  .operands = {kAny},
                  .call = call(okk_bdc_32bit_set_C),
                  .model = element_wise(0, unsigned_c),
                  .constants = constants({0, -1, 0x7f800001})});
  add_logic(rows);
  add_shifts(rows);
}

}  // namespace tputwin::okktest
