// Shapes, and the sizes that follow from them.
#include "sdk/bmkernel/call.h"

using namespace tputwin::bmkernel;
namespace errors = tputwin::errors;
using tputwin::Shape;

extern "C" {

shape_t shape_t4(int n, int c, int h, int w) {
  shape_t s;
  s.dim = 4;
  s.n = static_cast<u32>(n);
  s.c = static_cast<u32>(c);
  s.h = static_cast<u32>(h);
  s.w = static_cast<u32>(w);
  return s;
}

shape_t shape_t3(int d3, int d2, int d1) {
  shape_t s = shape_t4(1, d3, d2, d1);
  s.dim = 3;
  return s;
}

shape_t shape_t2(int row, int col) {
  shape_t s = shape_t4(1, 1, row, col);
  s.dim = 2;
  return s;
}

shape_t shape_t1(int len) { return shape_t2(1, len); }

bool shape_equal(shape_t s1, shape_t s2) {
  return s1.dim == s2.dim && s1.n == s2.n && s1.c == s2.c && s1.h == s2.h && s1.w == s2.w;
}

size_t bmk1880_tg_shape_to_size(shape_t s, fmt_t fmt) {
  size_t elements = size_t{s.h} * s.w;
  if (!is_matrix(s)) elements *= size_t{s.n} * s.c;
  return elements * element_bits(fmt);
}

void bmk1880_tl_shape_to_nchw(const bmk1880_context_t* ctx, shape_t s, int* n, int* c, int* h,
                              int* w) {
  if (!has_context(ctx, __func__)) return;
  Shape shape = nchw(ctx->chip(), s);
  for (auto [out, extent] : {std::pair{n, shape.n}, {c, shape.c}, {h, shape.h}, {w, shape.w}})
    if (out != nullptr) *out = static_cast<int>(extent);
}

int bmk1880_tl_shape_to_size(const bmk1880_context_t* ctx, shape_t s, bool aligned, fmt_t fmt) {
  if (!has_context(ctx, __func__)) return 0;
  return bytes_per_lane(ctx->chip(), s, aligned, fmt);
}

int bmk1880_tl_size(const bmk1880_context_t* ctx, tensor_lmem* t) {
  if (!has_context(ctx, __func__)) return 0;
  if (!has_argument(t, __func__, "t")) return 0;
  return bmk1880_tl_shape_to_size(ctx, t->shape, t->aligned, t->fmt);
}

}  // extern "C"
