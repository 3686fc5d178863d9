// Declares errors::tpu_*, the rules of base/errors/tpukernel.def.
#pragma once

#define TW_AREA tpukernel
#define TW_AREA_TABLE "base/errors/tpukernel.def"
#include "base/errors/declare.inc"
