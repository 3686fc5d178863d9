// float_function: functions of fp32 tensors by series and tables.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct FloatFunction {
  TensorView out;
};

TW_OPERATION(FloatFunction);

}  // namespace tputwin
