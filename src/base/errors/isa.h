// Declares errors::isa_*, the rules of base/errors/isa.def.
#pragma once

#define TW_AREA isa
#define TW_AREA_TABLE "base/errors/isa.def"
#include "base/errors/declare.inc"
