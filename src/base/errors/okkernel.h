// Declares errors::okk_*, the rules of base/errors/okkernel.def.
#pragma once

#define TW_AREA okkernel
#define TW_AREA_TABLE "base/errors/okkernel.def"
#include "base/errors/declare.inc"
