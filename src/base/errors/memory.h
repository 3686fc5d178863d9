// Declares errors::mem_*, the rules of base/errors/memory.def.
#pragma once

#define TW_AREA memory
#define TW_AREA_TABLE "base/errors/memory.def"
#include "base/errors/declare.inc"
