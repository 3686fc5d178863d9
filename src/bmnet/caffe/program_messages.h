// Messages bmnet.caffe that the program links, generated from its own bmnet_caffe.proto, in which
// layers may have further parameters. Ours are tputwin.caffe.
#pragma once

#include <google/protobuf/message.h>

#include <memory>

#include "base/error.h"

namespace tputwin::net {

// An empty NetParameter of the program's; null if it has none.
std::unique_ptr<google::protobuf::Message> program_net();

// Layers go to the program's code in serialized form: its fields must have our numbers.
Status check_program_messages();

}  // namespace tputwin::net
