// Declares errors::ops_*, the rules of base/errors/ops.def.
#pragma once

#define TW_AREA ops
#define TW_AREA_TABLE "base/errors/ops.def"
#include "base/errors/declare.inc"
