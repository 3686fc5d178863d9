// Between our Model and the protobuf message of container 2.1. Neither direction judges.
#pragma once

#include "bmodel/bmodel.h"
#include "libbmodel/bmodel.pb.h"

namespace tputwin::bmodel {

Model from_message(const ::bmodel::Model& message);
::bmodel::Model to_message(const Model& model);

}  // namespace tputwin::bmodel
