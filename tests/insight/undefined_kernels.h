// Parts of the kernels of the BM1684X that compute with undefined values.
#pragma once

#include <tpu_kernel.h>

#include "insight/undefined.h"

namespace tputwin::insight::testing {

// Begins the definition of a kernel that can be launched by its name.
#define TW_KERNEL(name)         \
  void name(const void* args);  \
  TPUKERNEL_FUNC_REGISTER(name) \
  void name(const void* args)

inline const UndefinedArgs& arguments(const void* args) {
  return *static_cast<const UndefinedArgs*>(args);
}
inline scalar_t number(float value) {
  scalar_t scalar;
  scalar.f32 = value;
  return scalar;
}
constexpr local_addr_t kBank = 16384, kX = 0, kY = 2 * kBank, kZ = 4 * kBank, kW = 6 * kBank;
constexpr padding_t kNoPads = {0, 0, 0, 0};
constexpr dim2 kOne = {1, 1};

// Short forms without strides, in fp32.
inline void load(local_addr_t to, system_addr_t from, dim4 shape) {
  tpu_gdma_cpy_S2L(to, from, &shape, nullptr, nullptr, DT_FP32);
}
inline void store(system_addr_t to, local_addr_t from, dim4 shape) {
  tpu_gdma_cpy_L2S(to, from, &shape, nullptr, nullptr, DT_FP32);
}
inline void add_C(local_addr_t to, local_addr_t from, float value, dim4 shape) {
  tpu_bdc_fp_add_C(to, from, number(value), &shape, nullptr, nullptr, DT_FP32);
}
inline void mul_C(local_addr_t to, local_addr_t from, float value, dim4 shape) {
  tpu_bdc_fp_mul_C(to, from, number(value), &shape, nullptr, nullptr, DT_FP32);
}
inline void add(local_addr_t to, local_addr_t a, local_addr_t b, dim4 shape) {
  tpu_bdc_fp_add(to, a, b, &shape, nullptr, nullptr, nullptr, DT_FP32);
}
inline void fill(local_addr_t to, float value, dim4 shape) {
  tpu_bdc_set_C(to, number(value), &shape, nullptr, DT_FP32);
}

}  // namespace tputwin::insight::testing
