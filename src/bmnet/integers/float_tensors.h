// Tensors that hold floats in the int8 net, because the host makes and reads them.
//
// The host computes in floats. Between two of its operators, and between an operator and an input
// or output of an ONNX net, the tensor holds floats and loses nothing; the TPU moves such tensors as
// bytes. Where a side is the TPU, the operator converts from or to int8 itself, or an operator
// "quantized" or "dequantized" stands between. Example: Softmax -> Transpose -> MatMul, of which the
// TPU does the Transpose, has two tensors of floats.
#pragma once

#include <bmnet/calibration.pb.h>

#include <set>
#include <string>

#include "bmnet/ir/network.h"

namespace tputwin::net {

// Inputs and outputs of Caffe nets keep their element types: programs of the vendor's SDK rely on
// them.
enum class FloatOutputs { kept, allowed };

// Names of moves whose results are floats even if no operator of the host made their inputs.
using ForcedMoves = std::set<std::string>;

// Returns the tensors that hold floats.
std::set<std::string> float_tensors(const Network& network, FloatOutputs outputs,
                                    const ForcedMoves& forced);

// Sets the element types, inserts the conversions, and removes the rescaling of concatenations of
// floats from the table. Outputs that join parts of very different ranges become floats as well
// (float_outputs.h), unless the table is incomplete.
void use_floats(Network& network, NetCalibrationParameter& table, FloatOutputs outputs);

}  // namespace tputwin::net
