// The order of nodes.
#pragma once

#include <bmnet/tputwin_onnx.pb.h>

namespace tputwin::net::onnx_reader {

// Puts each node of a graph and of its subgraphs behind those whose results it reads. Other nodes
// keep their order. Nodes that need each other stay where they are, and are refused later.
void sort_nodes(onnx::GraphProto& graph);

}  // namespace tputwin::net::onnx_reader
