// Sorting by the HAU.
#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

struct SortArguments {
  system_addr_t output, input;
  int len, K;
  bool descended;
  data_type_t dtype;
};

// Indices: none, the positions of the elements, or indices that the caller provides.
struct Indices {
  enum class Kind { none, positions, given } kind = Kind::none;
  system_addr_t output = 0, input = 0;
};

void sort(std::string_view name, const SortArguments& a, const Indices& indices) {
  Call call(name);
  const DType type = call.type("dtype", a.dtype, kF32 | kI32 | kU32);
  if (!call.in_range(a.len, 1, INT32_MAX, errors::tpu_count, "len") ||
      !call.in_range(a.K, 1, a.len, errors::tpu_sort_k, "K"))
    return;
  const auto len = static_cast<uint32_t>(a.len), first = static_cast<uint32_t>(a.K);
  Sort op{.descending = a.descended,
          .out = call.system_row("output_data_addr", a.output, first, type),
          .in = call.system_row("input_data_addr", a.input, len, type)};
  if (indices.kind != Indices::Kind::none)
    op.out_index = call.system_row("output_idx_addr", indices.output, first, DType::i32);
  if (indices.kind == Indices::Kind::given)
    op.in_index = call.system_row("input_idx_addr", indices.input, len, DType::i32);
  call.issue(op);
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

void tpu_hau_sort(system_addr_t output_addr, system_addr_t input_addr, int len, int K,
                  bool descended, data_type_t dtype) {
  sort(__func__, {output_addr, input_addr, len, K, descended, dtype}, {});
}

void tpu_hau_sort_natural_index(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                system_addr_t input_addr, int len, int K, bool descended,
                                data_type_t dtype) {
  sort(__func__, {output_data_addr, input_addr, len, K, descended, dtype},
       {Indices::Kind::positions, output_idx_addr});
}

void tpu_hau_sort_specific_index(system_addr_t output_data_addr, system_addr_t output_idx_addr,
                                 system_addr_t input_data_addr, system_addr_t input_idx_addr,
                                 int len, int K, bool descended, data_type_t dtype) {
  sort(__func__, {output_data_addr, input_data_addr, len, K, descended, dtype},
       {Indices::Kind::given, output_idx_addr, input_idx_addr});
}

void tpu_hau_sort_general(system_addr_t src_data_addr, system_addr_t src_idx_addr,
                          system_addr_t dst_data_addr, system_addr_t dst_idx_addr, int dtype_flags,
                          int len, int is_descend, int idx_enable, int idx_auto, int topk) {
  constexpr data_type_t kTypes[] = {DT_FP32, DT_INT32, DT_UINT32};
  const bool known = 0 <= dtype_flags && dtype_flags <= 2;
  const auto kind = idx_enable == 0 ? Indices::Kind::none
                    : idx_auto != 0 ? Indices::Kind::positions
                                    : Indices::Kind::given;
  sort(__func__,
       {dst_data_addr, src_data_addr, len, topk, is_descend != 0,
        known ? kTypes[dtype_flags] : DT_UINT8},
       {kind, dst_idx_addr, src_idx_addr});
}
