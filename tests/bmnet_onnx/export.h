// The trained Caffe nets of tputwin as ONNX models.
#pragma once

#include <onnx/onnx_pb.h>

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::test {

// Supports the layers of classifiers: Convolution, BatchNorm, Scale, ReLU, Pooling, InnerProduct,
// Eltwise, Concat, LRN, Dropout, Flatten and Softmax. Tensors keep their names; results of in-place
// layers get ticks.
onnx::ModelProto to_onnx(const net::caffe::NetParameter& net, int64_t opset = 13);

}  // namespace tputwin::test
