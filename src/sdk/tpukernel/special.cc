// Table lookup, arithmetic sequences, constants of static memory.
#include "base/errors/tpukernel.h"
#include "numerics/constant_tables.h"
#include "sdk/tpukernel/index_call.h"

namespace tputwin::tpu {
namespace {

bool positive(Call& call, int value, std::string_view argument) {
  return call.in_range(value, 1, INT32_MAX, errors::tpu_count, argument);
}

constexpr Shape row(int channels, int columns) {
  return {1, static_cast<uint32_t>(channels), 1, static_cast<uint32_t>(columns)};
}

// start + step * c in channel c.
void distribute(Call& call, local_addr_t dst_addr, int start, int step, int num, bool is_aligned) {
  if (!positive(call, num, "num")) return;
  const Shape s = row(num, 1);
  call.issue(Sequence{.out = is_aligned ? call.aligned("dst_addr", dst_addr, s, DType::i32)
                                        : call.compact("dst_addr", dst_addr, s, DType::i32),
                      .start = static_cast<uint32_t>(start),
                      .step_c = static_cast<uint32_t>(step)});
}

// Loads the first words of a table into every NPU.
void load(std::string_view name, std::string_view argument, local_addr_t address,
          const StaticTable& table) {
  Call call(name);
  call.issue(LoadTable{.out = call.per_npu(argument, address, table.words, DType::f32),
                       .address = table.address});
}

// Loads a table for the later functions with a type argument, rounded to the type.
void load_typed(std::string_view name, local_addr_t address, const StaticTable& table,
                data_type_t dtype) {
  Call call(name);
  const DType type = call.type("dtype", dtype, kFloats);
  call.issue(LoadTable{.out = call.per_npu("coeff_addr", address, table.words, type),
                       .address = table.address,
                       .rounded = is_half(type)});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_bdc_table_lookup(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t table_addr,
                          const dim4* shape, int len, data_type_t dst_dtype,
                          data_type_t src_dtype) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const DType to = call.type("dst_dtype", dst_dtype, kAll);
  const DType from = call.type("src_dtype", src_dtype, kU8 | kU16);
  if (!positive(call, len, "len")) return;
  const IndexFaultPtr fault = std::make_shared<IndexFault>();
  call.issue(
      TableLookup{.out = call.aligned("dst_addr", dst_addr, s, to),
                  .in = call.aligned("src_addr", src_addr, s, from),
                  .table = call.per_npu("table_addr", table_addr, static_cast<uint32_t>(len), to),
                  .fault = fault});
  report(call, *fault, errors::tpu_lookup_index, "src_addr");
}

void tpu_bdc_arithmetic_sequence_bcast(local_addr_t dst_addr, int npu_num, int start, int step,
                                       int num) {
  Call call(__func__);
  if (!call.in_range(npu_num, 1, static_cast<int>(call.chip().lanes), errors::tpu_sequence_npu_num,
                     "npu_num") ||
      !positive(call, num, "num"))
    return;
  call.issue(Sequence{.out = call.aligned("dst_addr", dst_addr, row(npu_num, num), DType::i32),
                      .start = static_cast<uint32_t>(start),
                      .step_w = static_cast<uint32_t>(step)});
}

void tpu_bdc_arithmetic_sequence_distribute(local_addr_t dst_addr, int start, int step, int num) {
  Call call(__func__);
  distribute(call, dst_addr, start, step, num, /*is_aligned=*/false);
}

void tpu_bdc_arithmetic_sequence_distribute_aligned(local_addr_t dst_addr, int start, int step,
                                                    int num) {
  Call call(__func__);
  distribute(call, dst_addr, start, step, num, /*is_aligned=*/true);
}

// Loads all 64 numbers 0 .. 63 of static memory, even if num is less.
void tpu_bdc_generate_arithmetic_sequence(local_addr_t dst_addr, int num, data_type_t dtype) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, kU32 | kU16);
  if (!positive(call, num, "num")) return;
  call.issue(
      LoadTable{.out = call.aligned("dst_addr", dst_addr, {1, 1, 1, kSequence.words}, DType::u32),
                .address = kSequence.address});
  call.issue(Sequence{.out = call.aligned("dst_addr", dst_addr, row(1, num), type), .step_w = 1});
}

void tpu_bdc_arithmetic_sequence_general(local_addr_t dst_addr, local_addr_t buffer_addr,
                                         int npu_num, int start, int step, int num) {
  Call call(__func__);
  if (!positive(call, npu_num, "npu_num") || !positive(call, num, "num")) return;
  const auto each = static_cast<uint32_t>(step), count = static_cast<uint32_t>(num);
  const int in_buffer = std::min(npu_num, static_cast<int>(call.chip().lanes));
  const TensorView out = call.aligned("dst_addr", dst_addr, row(npu_num, num), DType::i32);
  const TensorView buffer = call.compact("buffer_addr", buffer_addr, row(in_buffer, 1), DType::i32);
  call.issue(Sequence{.out = buffer, .step_c = each * count});
  call.issue(Sequence{.out = out,
                      .start = static_cast<uint32_t>(start),
                      .step_c = each * count,
                      .step_w = each,
                      .by_lane = true});
}

void tpu_bdc_npu_bcast_from_static(local_addr_t dst_addr, static_addr_t src_addr, int npu_num,
                                   int len, data_type_t dtype) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, kAll);
  if (!call.in_range(npu_num, 1, static_cast<int>(call.chip().lanes), errors::tpu_sequence_npu_num,
                     "npu_num") ||
      !positive(call, len, "len"))
    return;
  call.issue(LoadTable{.out = call.aligned("dst_addr", dst_addr, row(npu_num, len), type),
                       .address = src_addr});
}

void tpu_bdc_npu_distribute_from_static(local_addr_t dst_addr, static_addr_t src_addr, int len,
                                        data_type_t dtype) {
  Call call(__func__);
  const DType type = call.type("dtype", dtype, kAll);
  if (!positive(call, len, "len")) return;
  call.issue(LoadTable{.out = call.compact("dst_addr", dst_addr, row(len, 1), type),
                       .address = src_addr,
                       .distributed = true});
}

#define TPU_LOAD(function, table)                              \
  void tpu_bdc_load_fp32_##function(local_addr_t coeff_addr) { \
    load(__func__, "coeff_addr", coeff_addr, table);           \
  }
TPU_LOAD(exp_coeff, kExpCoeff)
TPU_LOAD(log_coeff, kLogCoeff)
TPU_LOAD(erf_coeff, kErfCoeff)
TPU_LOAD(sin_coeff, kSinCoeff)
TPU_LOAD(cos_coeff, kCosCoeff)
TPU_LOAD(tan_coeff, kTanCoeff)
TPU_LOAD(arcsin_coeff, kArcsinCoeff)

void tpu_bdc_load_fp32_exp_table(local_addr_t table_addr) {
  load(__func__, "table_addr", table_addr, kExpTable);
}

void tpu_bdc_load_fp_exp_coeff(local_addr_t coeff_addr, data_type_t dtype) {
  load_typed(__func__, coeff_addr, kExpCoeff, dtype);
}
void tpu_bdc_load_fp_erf_coeff(local_addr_t coeff_addr, data_type_t dtype) {
  load_typed(__func__, coeff_addr, kErfCoeff, dtype);
}
void tpu_bdc_load_fp_log_coeff(local_addr_t coeff_addr, data_type_t dtype) {
  load_typed(__func__, coeff_addr, kLogCoeff, dtype);
}
