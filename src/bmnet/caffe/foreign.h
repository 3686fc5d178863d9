// Parameters in binary form. Caffe and its forks use the same numbers for different messages.
#pragma once

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Gives the layers of a caffemodel the parameters that their types have in Caffe, or in the fork
// that defines them. Numbers that our messages use otherwise are read again. Unknown or ambiguous
// fields are reported as net_binary_field, for layers that a net in use has.
Status read_foreign_parameters(caffe::NetParameter& net);

}  // namespace tputwin::net
