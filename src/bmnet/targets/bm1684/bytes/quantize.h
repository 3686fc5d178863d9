// Float nets as nets of bytes for the BM1684.
#pragma once

#include "bmnet/integers/quantized_net.h"

namespace tputwin::net::bm1684 {

// Returns true if a layer of a float net has commands for bytes. It uses them if it is a product or
// has bytes among its inputs. Others are computed in fp32.
bool computes_bytes(const TensorOp& op);
// Returns true if the table gives a layer floats.
bool is_fp32(const NetCalibrationParameter& table, const TensorOp& op);

// Quantizes a folded float net with the thresholds of a table, by the rules of the int8 interpreter
// (bmnet/reference), which executes the result. Layers without commands for bytes are left to its
// host: they have float weights.
Result<QuantizedNet> quantized(const Network& network, const NetCalibrationParameter& table);

}  // namespace tputwin::net::bm1684
