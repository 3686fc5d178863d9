// Tensors that are known when the net is read: weights, and what is computed of shapes.
#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::net::onnx_reader {

using Dims = std::vector<int64_t>;

// Ends the import of a node, or of the model; caught in import.cc.
struct Refusal {
  Error error;
};

// Elements that folding of constants makes at most.
constexpr int64_t kMostFolded = int64_t{1} << 27;

// Product of extents, which are not negative; -1 if it is 2^31 or more.
int64_t elements(const Dims& dims);
std::string text(const Dims& dims);

struct Constant {
  Dims dims;
  int type = onnx::TensorProto::FLOAT;  // of ONNX; integers and truths lie in `integers`, others in
                                        // `reals`
  std::vector<float> reals;
  std::vector<int64_t> integers;

  bool is_integer() const;
  size_t size() const { return is_integer() ? integers.size() : reals.size(); }
  double at(size_t i) const { return is_integer() ? static_cast<double>(integers[i]) : reals[i]; }
  std::vector<int64_t> whole() const;  // values as integers
  std::vector<float> real() const;     // values as floats
};
using ConstantPtr = std::shared_ptr<const Constant>;

bool is_integer_type(int type);
ConstantPtr make_reals(Dims dims, std::vector<float> values);
ConstantPtr make_integers(Dims dims, std::vector<int64_t> values,
                          int type = onnx::TensorProto::INT64);
// Of values as doubles, which whole numbers of any use fit in.
ConstantPtr make_constant(Dims dims, int type, const std::vector<double>& values);

// A tensor of the file; external data lies in `folder`.
ConstantPtr read_tensor(const onnx::TensorProto& tensor, const std::string& folder);

}  // namespace tputwin::net::onnx_reader
