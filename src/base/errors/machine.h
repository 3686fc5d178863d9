// Declares errors::mch_*, the rules of base/errors/machine.def.
#pragma once

#define TW_AREA machine
#define TW_AREA_TABLE "base/errors/machine.def"
#include "base/errors/declare.inc"
