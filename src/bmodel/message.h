// Conversion between Model and the protobuf message of container 2.1. Neither direction checks
// values. Both convert weights inside the message; the framing handles weights after it.
#pragma once

#include "bmodel/bmodel.h"
#include "libbmodel/bmodel.pb.h"

namespace tputwin::bmodel {

Model from_message(const ::bmodel::Model& message);
// Moves the weights out of the message, so that they exist only once.
Model from_message(::bmodel::Model&& message);
::bmodel::Model to_message(const Model& model);

// Returns the file of a message with inline weights, with all its fields.
std::vector<uint8_t> to_file(const ::bmodel::Model& message);

}  // namespace tputwin::bmodel
