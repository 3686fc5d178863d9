// Forms of nodes by opset: what opsets.def says of each operator.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

constexpr int64_t kFirstOpset = 7, kLastOpset = 26;

// Throws a Refusal if the opset has no such operator, or the node has not the operator's form.
void verify_form(const Node& node, const OperatorRow& row);

}  // namespace tputwin::net::onnx_reader
