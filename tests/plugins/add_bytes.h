// Payload of the AddBytes operator: out[i] = in[i] + coefficient, modulo 256.
#pragma once

#include <stdint.h>

struct AddBytesPayload {
  uint64_t in, out;      // offsets in neuron memory
  uint64_t bytes;        // 0: the operator throws
  uint64_t coefficient;  // offset in weight memory of one byte; version 1: 1 is added
};
