// Our trained Caffe nets as ONNX models.
#pragma once

#include <onnx/onnx_pb.h>

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::test {

// Of layers that classifiers have: Convolution, BatchNorm, Scale, ReLU, Pooling, InnerProduct,
// Eltwise, Concat, LRN, Dropout, Flatten and Softmax. Tensors keep their names; what is in place
// gets ticks.
onnx::ModelProto to_onnx(const net::caffe::NetParameter& net, int64_t opset = 13);

}  // namespace tputwin::test
