// GDMA forms without strides on tensors of several batches whose channels wrap from the last NPU to
// the first: random cases compared with plain loops. The distance of batches depends on the start
// NPU in some forms and not in others (docs/discrepancies.md).
#include <gtest/gtest.h>

#include "common/rng.h"
#include "tpukernel/wrapping.h"

namespace tputwin::tputest {
namespace {

using testing::RandomCases;
using testing::Rng;

constexpr uint32_t kSrcOffset = 0, kDstOffset = 128 * 1024, kDstGlobal = 512 * 1024;
constexpr data_type_t kWrappingTypes[] = {DT_INT8, DT_UINT16, DT_FP16, DT_FP32, DT_INT32};

// The arguments of a form, and the constant of fills.
struct Arguments {
  const Tensor &dst, &src;
  data_type_t type;
  scalar_t value;
  local_addr_t dst_local() const { return static_cast<local_addr_t>(dst.address()); }
  local_addr_t src_local() const { return static_cast<local_addr_t>(src.address()); }
};

struct Place {
  int n, c, h, w;
};
// The shape of the source, and the source position of an element of the result.
using ShapeOf = dim4 (*)(const dim4&);
using PlaceOf = Place (*)(const Place&, const dim4& dst, const dim4& src);

dim4 same(const dim4& s) { return s; }
Place same_place(const Place& p, const dim4&, const dim4&) { return p; }
dim4 nc(const dim4& s) { return {s.c, s.n, s.h, s.w}; }
Place nc_place(const Place& p, const dim4&, const dim4&) { return {p.c, p.n, p.h, p.w}; }
dim4 cw(const dim4& s) { return {s.n, s.w, s.h, s.c}; }
Place cw_place(const Place& p, const dim4&, const dim4&) { return {p.n, p.w, p.h, p.c}; }
dim4 folded(const dim4& s) { return {s.w, s.c, s.n, s.h}; }
Place folded_place(const Place& p, const dim4& dst, const dim4& src) {
  int i = ((p.n * dst.c + p.c) * dst.h + p.h) * dst.w + p.w;
  const int w = i % src.w, h = (i /= src.w) % src.h, c = (i /= src.h) % src.c;
  return {i / src.c, c, h, w};
}

struct Form {
  const char* name;
  bool dst_local, src_local;
  void (*call)(const Arguments&);
  ShapeOf source = same;
  PlaceOf place = same_place;
  bool compact = false, counts_start = true, fills = false;
};

#define CALL_S2L(function)                                                            \
  [](const Arguments& a) {                                                            \
    function(a.dst_local(), a.src.address(), &a.dst.shape, nullptr, nullptr, a.type); \
  }
#define CALL_L2S(function)                                                            \
  [](const Arguments& a) {                                                            \
    function(a.dst.address(), a.src_local(), &a.dst.shape, nullptr, nullptr, a.type); \
  }
#define CALL_L2L(function)                                                          \
  [](const Arguments& a) {                                                          \
    function(a.dst_local(), a.src_local(), &a.dst.shape, nullptr, nullptr, a.type); \
  }
#define COMPACT_S2L(function) \
  [](const Arguments& a) { function(a.dst_local(), a.src.address(), &a.dst.shape, a.type); }
#define COMPACT_L2S(function) \
  [](const Arguments& a) { function(a.dst.address(), a.src_local(), &a.dst.shape, a.type); }

const Form kForms[] = {
    {.name = "cpy_S2L",
     .dst_local = true,
     .src_local = false,
     .call = CALL_S2L(tpu_gdma_cpy_S2L),
     .counts_start = false},
    {.name = "cpy_L2S",
     .dst_local = false,
     .src_local = true,
     .call = CALL_L2S(tpu_gdma_cpy_L2S),
     .counts_start = false},
    {"cpy_L2L", true, true, CALL_L2L(tpu_gdma_cpy_L2L)},
    {"nc_trans_S2L", true, false, CALL_S2L(tpu_gdma_cpy_nc_trans_S2L), nc, nc_place},
    {"nc_trans_L2S", false, true, CALL_L2S(tpu_gdma_cpy_nc_trans_L2S), nc, nc_place},
    {"nc_trans_L2L", true, true, CALL_L2L(tpu_gdma_cpy_nc_trans_L2L), nc, nc_place},
    {"cw_trans_S2L", true, false, CALL_S2L(tpu_gdma_cpy_cw_trans_S2L), cw, cw_place},
    {"cw_trans_L2S", false, true, CALL_L2S(tpu_gdma_cpy_cw_trans_L2S), cw, cw_place},
    {"cw_trans_L2L", true, true, CALL_L2L(tpu_gdma_cpy_cw_trans_L2L), cw, cw_place},
    {"compact_S2L", true, false, COMPACT_S2L(tpu_gdma_compact_S2L), same, same_place, true},
    {"compact_L2S", false, true, COMPACT_L2S(tpu_gdma_compact_L2S), same, same_place, true},
    {"compact_nc_trans_S2L", true, false, COMPACT_S2L(tpu_gdma_compact_nc_trans_S2L), nc, nc_place,
     true},
    {"compact_nc_trans_L2S", false, true, COMPACT_L2S(tpu_gdma_compact_nc_trans_L2S), nc, nc_place,
     true},
    {"general_cpy_S2L", true, false,
     [](const Arguments& a) {
       tpu_gdma_general_cpy_S2L(a.dst_local(), a.src.address(), &a.dst.shape, &a.src.shape, nullptr,
                                nullptr, a.type);
     },
     folded, folded_place},
    {"general_cpy_L2S", false, true,
     [](const Arguments& a) {
       tpu_gdma_general_cpy_L2S(a.dst.address(), a.src_local(), &a.dst.shape, &a.src.shape, nullptr,
                                nullptr, a.type);
     },
     folded, folded_place},
    {.name = "set_C_local",
     .dst_local = true,
     .src_local = false,
     .call =
         [](const Arguments& a) {
           tpu_gdma_set_C_local(a.dst_local(), a.value, &a.dst.shape, nullptr, a.type);
         },
     .counts_start = false,
     .fills = true}};

Tensor tensor(Rng& rng, const Form& form, bool local, uint32_t offset, const dim4& shape,
              data_type_t type) {
  Tensor t{.local = local,
           .offset = offset,
           .shape = shape,
           .bytes = bytes_of(type),
           .compact = form.compact,
           .counts_start = form.counts_start};
  if (local) t.npu = wrapping_start(rng, shape.c);
  return t;
}

void run(Rng& rng, const Form& form, Pair& pair) {
  const dim4 shape{static_cast<int>(rng.range(2, 4)), static_cast<int>(rng.range(2, 140)),
                   static_cast<int>(rng.range(1, 3)), static_cast<int>(rng.range(2, 9))};
  const data_type_t type = kWrappingTypes[rng.below(std::size(kWrappingTypes))];
  const Tensor dst =
      tensor(rng, form, form.dst_local, form.dst_local ? kDstOffset : kDstGlobal, shape, type);
  const Tensor src = tensor(rng, form, form.src_local, kSrcOffset, form.source(shape), type);
  const scalar_t value{.u32 = static_cast<uint32_t>(rng.next())};
  form.call({dst, src, type, value});
  for (int n = 0; n < shape.n; ++n)
    for (int c = 0; c < shape.c; ++c)
      for (int h = 0; h < shape.h; ++h)
        for (int w = 0; w < shape.w; ++w) {
          const Place p = form.place({n, c, h, w}, shape, src.shape);
          const void* from = form.fills ? static_cast<const void*>(&value)
                                        : src.at(pair.expected, p.n, p.c, p.h, p.w);
          std::memcpy(dst.at(pair.expected, n, c, h, w), from, static_cast<size_t>(dst.bytes));
        }
}

TEST(WrappingStarts, GdmaFormsWithoutStrides) {
  const RandomCases cases(6);
  Pair pair(cases.seed);
  for (uint64_t index = cases.first; index < cases.end(); ++index)
    for (const Form& form : kForms) {
      SCOPED_TRACE(std::string(form.name) + "\n" + cases.rerun(index));
      Rng rng = cases.rng(index);
      run(rng, form, pair);
      ASSERT_EQ(pair.called.error(), "");
      ASSERT_TRUE(pair.equal());
    }
}

}  // namespace
}  // namespace tputwin::tputest
