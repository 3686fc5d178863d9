// load_table: constants of static memory copied into lanes.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct LoadTable {
  TensorView out;
};

TW_OPERATION(LoadTable);

}  // namespace tputwin
