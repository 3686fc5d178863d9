// Instruction: an operation with its place in the order of its engine.
#pragma once

#include <cstdint>

#include "ops/operation.h"

namespace tputwin {

struct Instruction {
  Operation op;
  Engine engine = Engine::compute;
  uint32_t id = 0;    // own sequence number on its engine, from 1
  uint32_t wait = 0;  // number on the other engine that must be finished first; 0: none
};

}  // namespace tputwin
