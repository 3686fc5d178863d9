// Fixed point functions on packed 8 and 16-bit elements: formulas of the OKKernel guide, saturated
// to the destination's type.
#include <algorithm>

#include "okkernel/calls.h"

namespace tputwin::okktest {
namespace {

struct Type {
  bool is_8bit, is_signed;
  int64_t low() const { return !is_signed ? 0 : is_8bit ? -128 : -32768; }
  int64_t high() const { return low() + (is_8bit ? 255 : 65535); }
  int64_t saturated(int64_t v) const { return std::clamp(v, low(), high()); }
};
struct Types {
  Type src0, src1, dst;
};
Types types_of(op_type_t op_type) {
  auto bit = [&](int i) { return (op_type >> i & 1) != 0; };
  return {{bit(0), bit(1)}, {bit(0), bit(2)}, {bit(3), bit(4)}};
}

Operand operand(Type type) {
  return {.bytes = type.is_8bit ? 1 : 2, .is_signed = type.is_signed, .pack = type.is_8bit ? 4 : 2};
}
const Type kS8{true, true}, kU8{true, false}, kS16{false, true}, kU16{false, false};

int64_t rounded_shift(int64_t v, int by) { return by ? (v + (int64_t{1} << (by - 1))) >> by : v; }

const std::vector<op_type_t> kMixed8{S8_OP_S8_TO_S8,  S8_OP_S8_TO_S16, S8_OP_U8_TO_S8,
                                     S8_OP_U8_TO_S16, U8_OP_S8_TO_S8,  U8_OP_S8_TO_S16};
const std::vector<op_type_t> kMixed16{S16_OP_S16_TO_S8,  S16_OP_S16_TO_S16, S16_OP_U16_TO_S8,
                                      S16_OP_U16_TO_S16, U16_OP_S16_TO_S8,  U16_OP_S16_TO_S16};
const std::vector<op_type_t> kUnsigned8{U8_OP_U8_TO_U8, U8_OP_U8_TO_U16};

std::vector<op_type_t> join(std::initializer_list<std::vector<op_type_t>> sets) {
  std::vector<op_type_t> all;
  for (const auto& set : sets) all.insert(all.end(), set.begin(), set.end());
  return all;
}

// Returns shifts, and constants of the type: its limits and a value between.
std::vector<Constants> constants(op_type_t op_type, Type c_type) {
  std::vector<Constants> list;
  int index = 0;
  for (int rshift : {0, 1, 3, 7, 15, 31}) {
    Constants k;
    k.op_type = op_type;
    k.rshift = rshift;
    k.lshift = index * 7 % 15;
    k.flag = index % 2 == 0;
    const int64_t values[] = {c_type.high(), c_type.low(), 37};
    k.c.s32 = static_cast<int>(values[index % 3]);
    list.push_back(k);
    index++;
  }
  return list;
}

using Operator = int64_t (*)(int64_t, int64_t);

struct Function {
  const char* name;
  Call call;
};

// Adds src0 op src1 and src op C for every op type of a set.
void add_binary(std::vector<Row>& rows, const std::vector<op_type_t>& set, const Function& tensors,
                const Function& with_c, Operator op) {
  auto row = [&](const Function& f, op_type_t op_type, bool constant) {
    const Types t = types_of(op_type);
    std::vector<Operand> operands{operand(t.dst), operand(t.src0)};
    if (!constant) operands.push_back(operand(t.src1));
    auto formula = [=](const Element& e) {
      const int64_t b = constant ? e.k.c.s32 : e.src[1];
      return t.dst.saturated(rounded_shift(op(e.src[0], b), e.k.rshift));
    };
    rows.push_back({.function = f.name,
                    .operands = operands,
                    .call = f.call,
                    .model = element_wise(operands.size() - 1, formula),
                    .constants = constants(op_type, t.src1),
                    .any_start = false});
  };
  for (op_type_t op_type : set) row(tensors, op_type, false);
  for (op_type_t op_type : set) row(with_c, op_type, true);
}

// Maximum and minimum have no shift.
void add_extremum(std::vector<Row>& rows, const Function& tensors, const Function& with_c,
                  Operator op) {
  const size_t first = rows.size();
  add_binary(rows, {S8_OP_S8_TO_S8, U8_OP_U8_TO_U8, S16_OP_S16_TO_S16, U16_OP_U16_TO_U16}, tensors,
             with_c, op);
  for (size_t i = first; i < rows.size(); i++)
    for (Constants& k : rows[i].constants) k.rshift = 0;
}

// old * 2^lshift + src0 * src1. is_origin_dst_signed selects the type of the old value.
void add_mac(std::vector<Row>& rows, const Function& f, bool constant) {
  for (op_type_t op_type : {S8_OP_S8_TO_S16, S8_OP_U8_TO_S16, U8_OP_S8_TO_S16, U8_OP_U8_TO_U16}) {
    const Types t = types_of(op_type);
    std::vector<Operand> operands{operand(t.dst), operand(t.src0)};
    if (!constant) operands.push_back(operand(t.src1));
    auto list = constants(op_type, t.src1);
    if (op_type == U8_OP_U8_TO_U16)
      for (Constants& k : list) k.flag = false;
    rows.push_back({.function = f.name,
                    .operands = operands,
                    .call = f.call,
                    .model = element_wise(operands.size() - 1,
                                          [=](const Element& e) {
                                            const int64_t old = e.k.flag
                                                                    ? static_cast<int16_t>(e.old)
                                                                    : static_cast<uint16_t>(e.old);
                                            const int64_t b = constant ? e.k.c.s32 : e.src[1];
                                            const int64_t v = (old << e.k.lshift) + e.src[0] * b;
                                            return t.dst.saturated(rounded_shift(v, e.k.rshift));
                                          }),
                    .constants = list,
                    .any_start = false});
  }
}

uint32_t amount16(Rng& rng) {
  return static_cast<uint32_t>(static_cast<int>(rng.range(0, 32)) - 16);
}
int64_t shifted16(int64_t value, int64_t amount) {
  return amount > 0 ? value << amount : value >> -amount;
}

void add_fixed_shifts(std::vector<Row>& rows) {
  Operand amount = operand(kS16);
  amount.draw = amount16;
  std::vector<Constants> amounts, values;
  for (int c : {-16, -15, -3, 0, 1, 9, 16}) {
    Constants k;
    k.c.s32 = c;
    amounts.push_back(k);
  }
  for (int c : {-32768, -1, 1, 0x1234, 32767}) {
    Constants k;
    k.c.s32 = c;
    values.push_back(k);
  }
  auto row = [&](const char* name, Call f, std::vector<Operand> operands, Formula formula,
                 std::vector<Constants> constants = {{}}) {
    rows.push_back({.function = name,
                    .operands = operands,
                    .call = f,
                    .model = element_wise(operands.size() - 1, formula),
                    .constants = constants,
                    .any_start = false});
  };
  auto forms = [&](Type type, const char* name, Call f, const char* name_c, Call f_c) {
    row(name, f, {operand(type), operand(type), amount},
        [](const Element& e) { return shifted16(e.src[0], e.src[1]); });
    row(
        name_c, f_c, {operand(type), operand(type)},
        [](const Element& e) { return shifted16(e.src[0], e.k.c.s32); }, amounts);
  };
  forms(kS16, "okk_bdc_fixed_point_packed_16bit_arithmetic_shift",
        call(okk_bdc_fixed_point_packed_16bit_arithmetic_shift),
        "okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C",
        call(okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C));
  forms(kU16, "okk_bdc_fixed_point_packed_16bit_logical_shift",
        call(okk_bdc_fixed_point_packed_16bit_logical_shift),
        "okk_bdc_fixed_point_packed_16bit_logical_shift_C",
        call(okk_bdc_fixed_point_packed_16bit_logical_shift_C));
  // The reference model cannot run these two; the expected values follow the document only.
  row(
      "okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift",
      call(okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift), {operand(kS16), amount},
      [](const Element& e) { return shifted16(static_cast<int16_t>(e.k.c.s32), e.src[0]); },
      values);
  row(
      "okk_bdc_fixed_point_packed_16bit_C_logical_shift",
      call(okk_bdc_fixed_point_packed_16bit_C_logical_shift), {operand(kU16), amount},
      [](const Element& e) { return shifted16(static_cast<uint16_t>(e.k.c.s32), e.src[0]); },
      values);
}

void add_products(std::vector<Row>& rows) {
  for (mul_type_t mul_type : {S16_MUL_S8_TO_S16, U16_MUL_S8_TO_S16, U16_MUL_U8_TO_U16}) {
    const Type high{true, (mul_type & 1) != 0}, factor{true, (mul_type & 2) != 0},
        dst{false, (mul_type & 4) != 0};
    auto list = constants({}, kU8);
    for (Constants& k : list) k.mul_type = mul_type;
    rows.push_back({.function = "okk_bdc_fixed_point_packed_16bit_mul_8bit",
                    .operands = {operand(dst), operand(high), operand(kU8), operand(factor)},
                    .call =
                        [](const Case& c) {
                          okk_bdc_fixed_point_packed_16bit_mul_8bit(
                              at(c, 0), at(c, 1), at(c, 2), at(c, 3), &c.shape, c.strides(0),
                              c.strides(1), c.strides(2), c.strides(3), c.k.mul_type, c.k.rshift);
                        },
                    .model = element_wise(3,
                                          [=](const Element& e) {
                                            const int64_t a = e.src[0] * 256 + e.src[1];
                                            return dst.saturated(
                                                rounded_shift(a * e.src[2], e.k.rshift));
                                          }),
                    .constants = list,
                    .any_start = false});
  }
}

// Padding elements of the last cells: the low bytes of operand `from` are written to each operand
// of `to`.
Model with_last_cells(Model model, int from, std::vector<int> to) {
  return [=](const Case& c, Image& image) {
    const Image before = image;
    model(c, image);
    if (c.shape.n % 2 == 0) return;
    for_each({1, c.shape.c, c.shape.h, c.shape.w}, [&](int, int ch, int h, int w) {
      const int64_t low = c.t[from].read(before, c.shape.n, ch, h, w) & 0xff;
      for (int i : to) c.t[i].write(image, c.shape.n, ch, h, w, low);
    });
  };
}

// Computed on magnitudes: the work tensors hold the bytes of the magnitude, and the negated result.
void add_magnitude_product(std::vector<Row>& rows) {
  auto magnitude = [](const Element& e) {
    return std::min<int64_t>(e.src[0] < 0 ? -e.src[0] : e.src[0], 32767);
  };
  auto result = [=](const Element& e) {
    const int64_t product =
        std::min<int64_t>(32767, rounded_shift(magnitude(e) * e.src[1], e.k.rshift));
    return e.src[0] < 0 ? -product : product;
  };
  Operand work16 = operand(kS16), work8 = operand(kU8);
  work16.work = work8.work = true;
  rows.push_back({.function = "okk_bdc_fixed_point_packed_s16_mul_u8_to_s16",
                  .operands = {operand(kS16), operand(kS16), operand(kU8), work16, work8, work8},
                  .call =
                      [](const Case& c) {
                        okk_bdc_fixed_point_packed_s16_mul_u8_to_s16(
                            at(c, 0), at(c, 1), at(c, 2), at(c, 3), at(c, 4), at(c, 5), &c.shape,
                            c.strides(0), c.strides(1), c.strides(2), c.strides(3), c.strides(4),
                            c.strides(5), c.k.rshift);
                      },
                  .model = with_last_cells(
                      element_wise(2, result,
                                   {[=](const Element& e) { return e.src[0] < 0 ? -result(e) : 0; },
                                    [=](const Element& e) { return magnitude(e) >> 8; },
                                    [=](const Element& e) { return magnitude(e) & 0xff; }}),
                      0, {0, 3}),
                  .constants = constants({}, kU8),
                  .any_start = false});
}

void add_splits(std::vector<Row>& rows) {
  Operand work = operand(kU16);
  work.work = true;
  rows.push_back({.function = "okk_bdc_fixed_point_packed_16bit_split_high_8bit",
                  .operands = {operand(kU8), operand(kU16)},
                  .call = call(okk_bdc_fixed_point_packed_16bit_split_high_8bit),
                  .model = element_wise(1, [](const Element& e) { return e.src[0] >> 8; }),
                  .any_start = false});
  rows.push_back(
      {.function = "okk_bdc_fixed_point_packed_16bit_split_low_8bit",
       .operands = {operand(kU8), operand(kU16), work},
       .call = call(okk_bdc_fixed_point_packed_16bit_split_low_8bit),
       .model = with_last_cells(element_wise(1, [](const Element& e) { return e.src[0] & 0xff; },
                                             {[](const Element& e) { return e.src[0] & 0xff; }}),
                                1, {2}),
       .any_start = false});
}

}  // namespace

#define NAMED(function) \
  { #function, call(function) }

void add_fixed_point_rows(std::vector<Row>& rows) {
  const auto add_types =
      join({kMixed8, kUnsigned8, kMixed16, {U16_OP_U16_TO_U8, U16_OP_U16_TO_U16}});
  const auto sub_types = join({kMixed8,
                               {U8_OP_U8_TO_S8, U8_OP_U8_TO_S16},
                               kMixed16,
                               {U16_OP_U16_TO_S8, U16_OP_U16_TO_S16}});
  add_binary(rows, add_types, NAMED(okk_bdc_fixed_point_packed_add),
             NAMED(okk_bdc_fixed_point_packed_add_C), [](int64_t a, int64_t b) { return a + b; });
  add_binary(rows, sub_types, NAMED(okk_bdc_fixed_point_packed_sub),
             NAMED(okk_bdc_fixed_point_packed_sub_C), [](int64_t a, int64_t b) { return a - b; });
  add_binary(rows, join({kMixed8, kUnsigned8}), NAMED(okk_bdc_fixed_point_packed_mul),
             NAMED(okk_bdc_fixed_point_packed_mul_C), [](int64_t a, int64_t b) { return a * b; });
  add_extremum(rows, NAMED(okk_bdc_fixed_point_packed_max), NAMED(okk_bdc_fixed_point_packed_max_C),
               [](int64_t a, int64_t b) { return std::max(a, b); });
  add_extremum(rows, NAMED(okk_bdc_fixed_point_packed_min), NAMED(okk_bdc_fixed_point_packed_min_C),
               [](int64_t a, int64_t b) { return std::min(a, b); });
  // C - src: the first type of op_type is the constant's
  for (op_type_t op_type : sub_types) {
    const Types t = types_of(op_type);
    rows.push_back({.function = "okk_bdc_fixed_point_packed_C_sub",
                    .operands = {operand(t.dst), operand(t.src1)},
                    .call = call(okk_bdc_fixed_point_packed_C_sub),
                    .model = element_wise(1,
                                          [t](const Element& e) {
                                            const int64_t v = e.k.c.s32 - e.src[0];
                                            return t.dst.saturated(rounded_shift(v, e.k.rshift));
                                          }),
                    .constants = constants(op_type, t.src0),
                    .any_start = false});
  }
  add_mac(rows, NAMED(okk_bdc_fixed_point_packed_mac), false);
  add_mac(rows, NAMED(okk_bdc_fixed_point_packed_mac_C), true);
  add_fixed_shifts(rows);
  add_products(rows);
  add_magnitude_product(rows);
  add_splits(rows);
}

#undef NAMED

}  // namespace tputwin::okktest
