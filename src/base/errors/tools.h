// Declares errors::cli_*, the rules of base/errors/tools.def.
#pragma once

#define TW_AREA tools
#define TW_AREA_TABLE "base/errors/tools.def"
#include "base/errors/declare.inc"
