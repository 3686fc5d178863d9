// Declares errors::bmk_*, the rules of base/errors/bmkernel.def.
#pragma once

#define TW_AREA bmkernel
#define TW_AREA_TABLE "base/errors/bmkernel.def"
#include "base/errors/declare.inc"
