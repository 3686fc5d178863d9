// Nets of other formats in Caffe's container: layers of types "tg_..." hold operations of the
// intermediate representation unchanged, in the field tensor_op.
#pragma once

#include "bmnet/caffe/layer.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

bool is_operation(const caffe::LayerParameter& layer);
// Imports an operation. Its bottoms may have another batch than the layer was made for, if the
// operation does not mix samples.
void import_operation(Importer& layer);

// Converts a network. Lists the outputs with their names. Tops that have no readers and are not
// outputs go to a Silence layer.
caffe::NetParameter to_caffe(const Network& network);

}  // namespace tputwin::net
