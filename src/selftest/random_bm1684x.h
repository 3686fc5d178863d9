// Random legal operations of the BM1684X kinds. One file per family makes them:
// random_tpu_elem.cc, ...
#pragma once

#include "selftest/random_bm1684.h"

namespace tputwin::testing {

Operation random_bm1684x_operation(Rng& rng, OperationKind kind, const Chip& chip);

Operation random_tpu_elem(Rng& rng, OperationKind kind, const Chip& chip);
Operation random_tpu_convert(Rng& rng, OperationKind kind, const Chip& chip);
Operation random_tpu_function(Rng& rng, OperationKind kind, const Chip& chip);
Operation random_tpu_move(Rng& rng, OperationKind kind, const Chip& chip);
Operation random_tpu_nn(Rng& rng, OperationKind kind, const Chip& chip);
Operation random_tpu_mm(Rng& rng, OperationKind kind, const Chip& chip);

// Gives indices, masks and the like values that mean something.
void fill_tpu_indices(Rng& rng, const Operation& operation, const Memory& memory);

inline constexpr DType kIntegerTypes[] = {DType::u8,  DType::i8,  DType::u16,
                                          DType::i16, DType::u32, DType::i32};
inline constexpr DType kFloatTypes[] = {DType::f32, DType::f16, DType::bf16};
inline constexpr DType kAllTypes[] = {DType::u8,  DType::i8,  DType::u16, DType::i16, DType::u32,
                                      DType::i32, DType::f32, DType::f16, DType::bf16};

}  // namespace tputwin::testing
