// Declares errors::bml_*, the rules of base/errors/bmlib.def.
#pragma once

#define TW_AREA bmlib
#define TW_AREA_TABLE "base/errors/bmlib.def"
#include "base/errors/declare.inc"
