// Copies and fills by the GDMA engine, between local and global memory.
#include <cstring>

#include "okkernel/calls.h"

namespace tputwin::okktest {
namespace {

template <class Dst, class Src>
void add_copy(std::vector<Row>& rows, const char* name, int bytes,
              void (*f)(Dst, Src, Shape4, Shape4, Shape4), bool dst_system, bool src_system) {
  rows.push_back(
      {.function = name,
       .operands = {{.system = dst_system, .bytes = bytes}, {.system = src_system, .bytes = bytes}},
       .call =
           [f](const Case& c) {
             f(static_cast<Dst>(c.address(0)), static_cast<Src>(c.address(1)), &c.shape,
               c.strides(0), c.strides(1));
           },
       .model = element_wise(1, [](const Element& e) { return e.src[0]; }),
       .w_strides = false});
}

// Without strides, channels begin at multiples of 32 elements of any size.
void fill_model(const Case& c, Image& image) {
  Tensor dst = c.t[0];
  if (!dst.system && !dst.passed) {
    Tensor words = dst;
    words.bytes = 4;
    dst.stride = aligned_stride(words);
  }
  for_each(c.shape, [&](int n, int ch, int h, int w) { dst.write(image, n, ch, h, w, c.k.c.u32); });
}

template <class Dst, class Value>
void add_fill(std::vector<Row>& rows, const char* name, void (*f)(Dst, Value, Shape4, Shape4),
              bool system) {
  Constants k;
  k.c.u32 = 0xfedcba98;
  rows.push_back({.function = name,
                  .operands = {{.system = system, .bytes = sizeof(Value)}},
                  .call =
                      [f](const Case& c) {
                        Value value;
                        std::memcpy(&value, &c.k.c, sizeof value);
                        f(static_cast<Dst>(c.address(0)), value, &c.shape, c.strides(0));
                      },
                  .model = fill_model,
                  .constants = {k},
                  .w_strides = false});
}

}  // namespace

#define NAMED(function) #function, function
#define COPIES(bits)                                                                             \
  add_copy(rows, "okk_gdma_" #bits "bit_cpy_S2L", bits / 8, okk_gdma_##bits##bit_cpy_S2L, false, \
           true);                                                                                \
  add_copy(rows, "okk_gdma_" #bits "bit_cpy_L2S", bits / 8, okk_gdma_##bits##bit_cpy_L2S, true,  \
           false);                                                                               \
  add_copy(rows, "okk_gdma_" #bits "bit_cpy_L2L", bits / 8, okk_gdma_##bits##bit_cpy_L2L, false, \
           false);                                                                               \
  add_copy(rows, "okk_gdma_" #bits "bit_cpy_S2S", bits / 8, okk_gdma_##bits##bit_cpy_S2S, true,  \
           true);                                                                                \
  add_fill(rows, NAMED(okk_gdma_##bits##bit_set_C_system), true);                                \
  add_fill(rows, NAMED(okk_gdma_##bits##bit_set_C_local), false)

void add_gdma_rows(std::vector<Row>& rows) {
  COPIES(32);
  COPIES(16);
  COPIES(8);
}

#undef COPIES
#undef NAMED

}  // namespace tputwin::okktest
