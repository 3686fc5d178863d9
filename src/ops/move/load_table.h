// load_table: constants of static memory copied into lanes.
#pragma once

#include "ops/contract/contract.h"

namespace tputwin {

// out(0,c,0,w) = element number w (distributed: number c) of the elements from byte `address` of
// static memory on. rounded: fp32 number w, rounded to nearest even to the 16-bit type of out.
struct LoadTable {
  TensorView out;
  uint32_t address = 0;
  bool distributed = false;
  bool rounded = false;
};

TW_OPERATION(LoadTable);

}  // namespace tputwin
