// Model container 2.1 for C++ programs: bmodel::Model is the protobuf message itself.
#pragma once

#include <bmkernel/bm_kernel.h>
#include <libbmodel/bmodel.pb.h>

#include <string>

namespace bmodel {

// Writes the message to a file. Returns BM_ERR_DATA if a required field is missing or a rule of the
// container is broken, BM_ERR_FAILURE if the file cannot be written.
bmerr_t save(const Model& model, const std::string& filename);

// Prints the model as JSON text on standard output; blobs are shown by their size.
void print(const Model& model);

// Writes the parts of the model to files in the working directory: NET.json, NET_weight_0.bin,
// NET_cmdbuf_0.bin, NET_OPERATOR_x86_64.so, ...
void split(const Model& model);

}  // namespace bmodel
