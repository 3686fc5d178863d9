// Declares errors::mod_*, the rules of base/errors/bmodel.def.
#pragma once

#define TW_AREA bmodel
#define TW_AREA_TABLE "base/errors/bmodel.def"
#include "base/errors/declare.inc"
