// Declares errors::net_*, the rules of base/errors/bmnet.def.
#pragma once

#define TW_AREA bmnet
#define TW_AREA_TABLE "base/errors/bmnet.def"
#include "base/errors/declare.inc"
