#ifndef BMNET_PROTO_TENSOROPS_HPP
#define BMNET_PROTO_TENSOROPS_HPP
#include <bmnet/bmnet.pb.h>
namespace bmnet {
typedef LayerParameter TensorOp;
typedef BlobShape TensorShape;
}  // namespace bmnet
#endif
