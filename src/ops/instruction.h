// Instruction: an operation with its position in the order of its engine.
#pragma once

#include <cstdint>

#include "ops/operation.h"

namespace tputwin {

struct Instruction {
  Operation op;
  Engine engine = Engine::compute;
  uint32_t id = 0;  // sequence number on its engine, from 1
  // Id on the other engine that must finish first; 0: none.
  uint32_t wait = 0;
};

}  // namespace tputwin
