// Payload of the AddBytes operator: out[i] = in[i] + coefficient, modulo 256.
#pragma once

#include <stdint.h>

struct AddBytesPayload {
  uint64_t in, out;  // offsets in neuron memory
  uint64_t bytes;    // 0: the operator throws
  // Offset of one byte in weight memory. Version 1 adds 1 instead.
  uint64_t coefficient;
};
