// Messages bmnet.caffe that the program links. They are generated from its own bmnet_caffe.proto,
// in which layers may have further parameters. Ours are tputwin.caffe.
#pragma once

#include <google/protobuf/message.h>

#include <memory>

#include "base/error.h"

namespace tputwin::net {

// Returns an empty NetParameter of the program's type; null if the program has none.
std::unique_ptr<google::protobuf::Message> program_net();

// Checks that fields of the program's messages have our numbers: its code gets layers in serialized
// form.
Status check_program_messages();

}  // namespace tputwin::net
