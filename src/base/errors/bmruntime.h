// Declares errors::bmr_*, the rules of base/errors/bmruntime.def.
#pragma once

#define TW_AREA bmruntime
#define TW_AREA_TABLE "base/errors/bmruntime.def"
#include "base/errors/declare.inc"
