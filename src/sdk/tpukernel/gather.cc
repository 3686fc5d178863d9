// Gather and scatter. The tensor engine works inside local memory; the GDMA works between memories
// along h (also as SDMA functions); the HAU works on lines of system memory.
#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/index_call.h"
#include "sdk/tpukernel/sides.h"

namespace tputwin::tpu {
namespace {

// The addresses that all functions have.
struct Addresses {
  local_addr_t output, param, index;
};

// Effect of an index that is out of range; `value` is the fill.
struct OutOfRange {
  Gather::Outside effect = Gather::Outside::fault;
  scalar_t value{};
};

OutOfRange exception(scalar_t value, bool fill_const) {
  return {fill_const ? Gather::Outside::fill : Gather::Outside::skip, value};
}

uint32_t extent(Call& call, int value, std::string_view argument) {
  return call.in_range(value, 1, call.chip().limits.extent, errors::tpu_count, argument)
             ? static_cast<uint32_t>(value)
             : 1;
}

// Issues a gather or a scatter. If an index is out of range, nothing is written.
template <class Op>
void issue(Call& call, Op op) {
  op.fault = std::make_shared<IndexFault>();
  call.issue(op);
  report(call, *op.fault, errors::tpu_gather_index, "index_addr");
}

void issue(Call& call, const OutOfRange& outside, DType type, Gather op) {
  op.outside = outside.effect;
  op.fill = bits_of(outside.value, type);
  issue(call, op);
}

// Operand layouts of a function of the tensor engine.
struct IndexedForm {
  IndexedBy by;
  data_type_t index_dtype;
  int param_h = 1, param_w = 1;
  bool is_param_repeated = true;
};

// Returns the shape of param for the shape of the result. Functions with an index for every channel
// and batch may read one batch of param for all, and in it the first channel of every NPU. The
// chip's model always reads one batch (quirk ignored).
Shape param_shape(Call& call, const IndexedForm& form, const Shape& s) {
  const bool one_batch = form.by == IndexedBy::w || form.by == IndexedBy::h;
  const uint32_t n = one_batch && (form.is_param_repeated || call.quirks().ignored) ? 1 : s.n;
  switch (form.by) {
    case IndexedBy::h:
      return {n, s.c, extent(call, form.param_h, "param_h"), s.w};
    case IndexedBy::shared_hw:
      return {n, s.c, extent(call, form.param_h, "param_h"), extent(call, form.param_w, "param_w")};
    default:
      return {n, s.c, 1, extent(call, form.param_w, "param_w")};
  }
}

struct Operands {
  TensorView output, param, index;
  DType type;
};

Operands operands(Call& call, const IndexedForm& form, const Addresses& at, const dim4* shape,
                  data_type_t dtype, bool is_scatter) {
  const Shape s = call.shape(shape);
  if (form.by == IndexedBy::w || form.by == IndexedBy::shared_w)
    call.require(s.h == 1, errors::tpu_value, "shape->h", s.h);
  const DType type = call.type("dtype", dtype, kAll);
  const DType index_type = call.type("index_dtype", form.index_dtype, kU8 | kU16);
  const Shape param = param_shape(call, form, s);
  Shape walked = is_scatter ? param : s;
  walked.n = s.n;
  const Shape index = index_shape(form.by, walked);
  const bool shared = form.by == IndexedBy::shared_w || form.by == IndexedBy::shared_hw;
  auto data = [&](std::string_view name, local_addr_t address, const Shape& of) {
    return form.by == IndexedBy::h ? call.line_aligned(name, address, of, type)
                                   : call.aligned(name, address, of, type);
  };
  TensorView source = data("param_addr", at.param, param);
  if (!shared && form.is_param_repeated) source.stride.c = 0;
  return {data("output_addr", at.output, s), source,
          shared ? call.compact("index_addr", at.index, index, index_type, call.chip().eu_bytes)
                 : call.aligned("index_addr", at.index, index, index_type),
          type};
}

void gather(std::string_view name, const IndexedForm& form, const Addresses& at, const dim4* shape,
            data_type_t dtype, const OutOfRange& outside = {}) {
  Call call(name);
  const Operands o = operands(call, form, at, shape, dtype, /*is_scatter=*/false);
  issue(call, outside, o.type,
        Gather{.by = form.by, .out = o.output, .param = o.param, .index = o.index});
}

void scatter(std::string_view name, const IndexedForm& form, const Addresses& at, const dim4* shape,
             data_type_t dtype) {
  Call call(name);
  const Operands o = operands(call, form, at, shape, dtype, /*is_scatter=*/true);
  issue(call, Scatter{.by = form.by, .out = o.output, .param = o.param, .index = o.index});
}

// The arguments of the GDMA functions.
template <class To, class From>
struct Rows {
  typename To::Address output;
  typename From::Address param;
  addr_t index;
  bool index_is_local;
  const dim4* shape;
  int param_h;
  const dim4 *output_stride, *param_stride, *index_stride;
  data_type_t dtype;

  // The index tensor has as many rows as the result (gather) or param (scatter).
  Operands operands(Call& call, bool is_scatter) const {
    const Shape s = call.shape(shape);
    const DType type = call.type("dtype", dtype, kAll);
    const Shape p{s.n, s.c, extent(call, param_h, "param_h"), s.w};
    // As recorded, the layout of scatter indices follows the result's rows, or param's without
    // strides.
    const bool no_stride = !output_stride && !param_stride && !index_stride;
    const uint32_t rows = is_scatter && no_stride ? p.h : s.h;
    TensorView i = view_in(index_is_local, call, "index_addr", index, {1, s.c, rows, 1},
                           index_stride, DType::u32);
    if (is_scatter) {
      // As many indices as param has rows, in the layout of `rows`.
      i.shape.h = p.h;
      if (index_stride == nullptr) i.stride.h = element_bytes(i.dtype);
    }
    return {To::view(call, "output_addr", output, s, output_stride, type),
            From::view(call, "param_addr", param, p, param_stride, type), i, type};
  }
};

template <class To, class From>
void gather_rows(std::string_view name, const Rows<To, From>& rows, scalar_t value) {
  Call call(name);
  const Operands o = rows.operands(call, /*is_scatter=*/false);
  issue(call, {Gather::Outside::fill, value}, o.type,
        Gather{.by = IndexedBy::h,
               .engine = Engine::dma,
               .out = o.output,
               .param = o.param,
               .index = o.index});
}

template <class To, class From>
void scatter_rows(std::string_view name, const Rows<To, From>& rows) {
  Call call(name);
  const Operands o = rows.operands(call, /*is_scatter=*/true);
  issue(call, Scatter{.by = IndexedBy::h,
                      .leaves_out = true,
                      .engine = Engine::dma,
                      .out = o.output,
                      .param = o.param,
                      .index = o.index});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

// Forms of the functions of the tensor engine, in terms of their argument names. The macros after
// them take the arguments that follow `shape`.
#define TPU_BY_SHARED_W .by = IndexedBy::shared_w, .index_dtype = index_dtype, .param_w = param_w
#define TPU_BY_SHARED_HW \
  .by = IndexedBy::shared_hw, .index_dtype = DT_UINT16, .param_h = param_h, .param_w = param_w
#define TPU_BY_W                                                      \
  .by = IndexedBy::w, .index_dtype = index_dtype, .param_w = param_w, \
  .is_param_repeated = is_param_repeated
#define TPU_BY_H                                                      \
  .by = IndexedBy::h, .index_dtype = index_dtype, .param_h = param_h, \
  .is_param_repeated = is_param_repeated

#define TPU_GATHER(function, form, ...)                                                       \
  void tpu_bdc_##function(local_addr_t output_addr, local_addr_t param_addr,                  \
                          local_addr_t index_addr, const dim4* shape, __VA_ARGS__) {          \
    gather(__func__, {form}, {output_addr, param_addr, index_addr}, shape, dtype);            \
  }                                                                                           \
  void tpu_bdc_##function##_exception(local_addr_t output_addr, local_addr_t param_addr,      \
                                      local_addr_t index_addr, scalar_t C, const dim4* shape, \
                                      __VA_ARGS__, bool fill_const) {                         \
    gather(__func__, {form}, {output_addr, param_addr, index_addr}, shape, dtype,             \
           exception(C, fill_const));                                                         \
  }
#define TPU_SCATTER(function, form, ...)                                             \
  void tpu_bdc_##function(local_addr_t output_addr, local_addr_t param_addr,         \
                          local_addr_t index_addr, const dim4* shape, __VA_ARGS__) { \
    scatter(__func__, {form}, {output_addr, param_addr, index_addr}, shape, dtype);  \
  }
#define TPU_TYPES data_type_t dtype, data_type_t index_dtype
TPU_GATHER(w_gather, TPU_BY_SHARED_W, int param_w, TPU_TYPES)
TPU_SCATTER(w_scatter, TPU_BY_SHARED_W, int param_w, TPU_TYPES)
TPU_GATHER(hw_gather, TPU_BY_SHARED_HW, int param_h, int param_w, data_type_t dtype)
TPU_SCATTER(hw_scatter, TPU_BY_SHARED_HW, int param_h, int param_w, data_type_t dtype)
TPU_GATHER(batch_bcast_w_gather, TPU_BY_W, int param_w, TPU_TYPES, bool is_param_repeated)
TPU_SCATTER(batch_bcast_w_scatter, TPU_BY_W, int param_w, TPU_TYPES, bool is_param_repeated)
TPU_GATHER(batch_bcast_h_gather, TPU_BY_H, int param_h, TPU_TYPES, bool is_param_repeated)
TPU_SCATTER(batch_bcast_h_scatter, TPU_BY_H, int param_h, TPU_TYPES, bool is_param_repeated)
// As batch_bcast_w_gather; only here param may span four banks.
TPU_GATHER(4bank_w_gather, TPU_BY_W, int param_w, TPU_TYPES, bool is_param_repeated)

#define TPU_H_GATHER(engine, to, from)                                                           \
  void tpu_##engine##_h_gather_##from##2##to(                                                    \
      to::Address output_addr, from::Address param_addr, addr_t index_addr, bool index_is_local, \
      scalar_t C, const dim4* shape, int param_h, const dim4* output_stride,                     \
      const dim4* param_stride, const dim4* index_stride, data_type_t dtype) {                   \
    gather_rows<to, from>(__func__,                                                              \
                          {output_addr, param_addr, index_addr, index_is_local, shape, param_h,  \
                           output_stride, param_stride, index_stride, dtype},                    \
                          C);                                                                    \
  }
#define TPU_H_SCATTER(engine, to, from)                                                            \
  void tpu_##engine##_h_scatter_##from##2##to(                                                     \
      to::Address output_addr, from::Address param_addr, addr_t index_addr, bool index_is_local,   \
      const dim4* shape, int param_h, const dim4* output_stride, const dim4* param_stride,         \
      const dim4* index_stride, data_type_t dtype) {                                               \
    scatter_rows<to, from>(__func__, {output_addr, param_addr, index_addr, index_is_local, shape,  \
                                      param_h, output_stride, param_stride, index_stride, dtype}); \
  }
#define TPU_BY_ROWS(engine, to, from) \
  TPU_H_GATHER(engine, to, from)      \
  TPU_H_SCATTER(engine, to, from)
TPU_BY_ROWS(gdma, L, S)
TPU_BY_ROWS(gdma, S, L)
TPU_BY_ROWS(gdma, L, L)
TPU_BY_ROWS(gdma, S, S)
TPU_BY_ROWS(sdma, S, S)

void tpu_hau_line_gather(system_addr_t output_addr, system_addr_t param_addr,
                         system_addr_t index_addr, scalar_t C, int line_num, int line_len,
                         int index_len, int start, int end, data_type_t dtype, bool fill_const) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, kAll);
  const uint32_t lines = extent(call, line_num, "line_num"),
                 length = extent(call, line_len, "line_len"),
                 count = extent(call, index_len, "index_len");
  if (!call.in_range(start, 0, end, errors::tpu_value, "start") ||
      !call.in_range(end, start, static_cast<int>(lines) - 1, errors::tpu_value, "end"))
    return;
  const OutOfRange outside{fill_const ? Gather::Outside::fill : Gather::Outside::fault, C};
  auto view = [&](std::string_view name, system_addr_t address, const Shape& s, DType of) {
    return call.system(name, address, s, nullptr, of);
  };
  issue(call, outside, type,
        Gather{.by = IndexedBy::h,
               .engine = Engine::dma,
               .out = view("output_addr", output_addr, {1, 1, count, length}, type),
               .param = view("param_addr", param_addr, {1, 1, lines, length}, type),
               .index = view("index_addr", index_addr, {1, 1, count, 1}, DType::i32),
               .first_row = static_cast<uint32_t>(start),
               .last_row = static_cast<uint32_t>(end)});
}
