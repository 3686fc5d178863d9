// Nets of other formats in Caffe's container: layers of types "tg_..." that are operations of the
// intermediate representation as they stand, in the field tensor_op.
#pragma once

#include "bmnet/caffe/layer.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

bool is_operation(const caffe::LayerParameter& layer);
// Its bottoms may have another batch than the layer was made for, where samples do not meet in it.
void import_operation(Importer& layer);

// The outputs are listed with their names. Tops that nothing reads and that are no outputs go to a
// Silence layer.
caffe::NetParameter to_caffe(const Network& network);

}  // namespace tputwin::net
