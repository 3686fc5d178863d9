// Parameters in binary form, whose numbers Caffe and its forks use for different messages.
#pragma once

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Gives the layers of a caffemodel their parameters by what their types mean in Caffe and in the
// fork that has them: numbers that our messages use otherwise are read again. What is unknown in a
// layer that a net in use has, or may mean two things, is reported as net_binary_field.
Status read_foreign_parameters(caffe::NetParameter& net);

}  // namespace tputwin::net
