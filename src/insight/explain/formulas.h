// Formulas of operations. Each prints how element `at` of the result is computed, and returns its
// bits.
#pragma once

#include "insight/explain/paper.h"
#include "memory/memory.h"
#include "ops/operation.h"

namespace tputwin::explain {

#define TW_FORMULA(Type) int32_t formula(const Type&, const Memory&, const Shape& at, Paper&)

TW_FORMULA(Conv2dBm1880);
TW_FORMULA(Depthwise2dBm1880);
TW_FORMULA(Conv2dBm1684Int8);
TW_FORMULA(Depthwise2dBm1684Int8);
TW_FORMULA(Conv2dBm1684xInt8);
TW_FORMULA(Depthwise2dBm1684xInt8);

TW_FORMULA(Conv2dBm1684);
TW_FORMULA(Depthwise2dBm1684);
TW_FORMULA(Conv2dBm1684xFloat);
TW_FORMULA(Depthwise2dBm1684xFloat);

TW_FORMULA(Pool2dBm1880);
TW_FORMULA(Pool2dBm1684);
TW_FORMULA(Pool2dBm1684Int8);
TW_FORMULA(Pool2dBm1684xFloat);
TW_FORMULA(Pool2dBm1684xInt8);

TW_FORMULA(MatrixMac);
TW_FORMULA(MatrixMac2);
TW_FORMULA(MatmulBm1684);
TW_FORMULA(MatmulBm1684Int8);
TW_FORMULA(MatmulBm1684xFp32);
TW_FORMULA(MatmulBm1684xHalf);
TW_FORMULA(MatmulBm1684xInt);

TW_FORMULA(Elementwise);
TW_FORMULA(FixedPoint);
TW_FORMULA(IntArithmetic);
TW_FORMULA(FloatArithmetic);
TW_FORMULA(ChannelAffine);
TW_FORMULA(Requantize);
TW_FORMULA(Convert);

#undef TW_FORMULA

}  // namespace tputwin::explain
