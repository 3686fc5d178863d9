// Declares errors::brt_*, the rules of base/errors/bmrt.def, which are rows of the area bmlib.
#pragma once

#include "base/errors/bmlib.h"
