// TensorOp and TensorShape, and functions that count elements and bytes. C++11.
#ifndef BMNET_PROTO_TENSOROPS_HPP
#define BMNET_PROTO_TENSOROPS_HPP

#include <bmnet/bmnet.pb.h>
#include <stddef.h>
#include <stdint.h>
#include <bmnet/utils/logging.hpp>

#include <string>
#include <vector>

namespace bmnet {

typedef LayerParameter TensorOp;
typedef BlobShape TensorShape;

// Returns the number of elements of the axes [start, end); a negative end means all of them.
inline int64_t GetTensorCount(const TensorShape& shape, int start = 0, int end = -1) {
  const int last = end < 0 || end > shape.dim_size() ? shape.dim_size() : end;
  int64_t count = 1;
  for (int i = start < 0 ? 0 : start; i < last; ++i) count *= shape.dim(i);
  return count;
}

// Returns the size in bytes.
inline size_t GetTensorSize(const TensorShape& shape) {
  return static_cast<size_t>(GetTensorCount(shape)) * static_cast<size_t>(shape.data_type_size());
}

// Returns the number of the element at these indices; missing ones at the end are 0.
inline int64_t GetTensorOffset(const TensorShape& shape, const std::vector<int>& indices) {
  int64_t offset = 0;
  for (int i = 0; i < shape.dim_size(); ++i) {
    offset *= shape.dim(i);
    if (i < static_cast<int>(indices.size())) offset += indices[static_cast<size_t>(i)];
  }
  return offset;
}

// "(1,3,12,12)"
inline std::string DumpShape(const TensorShape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.dim_size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape.dim(i));
  }
  text += ')';
  return text;
}

}  // namespace bmnet

#endif
