// Declares errors::sys_*, the rules of base/errors/base.def.
#pragma once

#define TW_AREA base
#define TW_AREA_TABLE "base/errors/base.def"
#include "base/errors/declare.inc"
