// Between our Model and the protobuf message of container 2.1. Neither direction judges. Both deal
// with weights inside the message; those behind it are the framing's.
#pragma once

#include "bmodel/bmodel.h"
#include "libbmodel/bmodel.pb.h"

namespace tputwin::bmodel {

Model from_message(const ::bmodel::Model& message);
// Leaves the message without its weights, so that there are never two of each.
Model from_message(::bmodel::Model&& message);
::bmodel::Model to_message(const Model& model);

// The file of a message that holds its weights, with all its fields.
std::vector<uint8_t> to_file(const ::bmodel::Model& message);

}  // namespace tputwin::bmodel
