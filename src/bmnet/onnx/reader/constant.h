// Tensors that are known when the net is read: weights, and values computed from shapes.
#pragma once

#include <bmnet/tputwin_onnx.pb.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::net::onnx_reader {

using Dims = std::vector<int64_t>;

// Thrown to end the import of a node, or of the model. import.cc catches it.
struct Refusal {
  Error error;
};

// Maximum number of elements that folding of constants may create.
constexpr int64_t kMostFolded = int64_t{1} << 27;

// Returns the product of non-negative extents; -1 if it is 2^31 or more.
int64_t elements(const Dims& dims);
std::string text(const Dims& dims);

struct Constant {
  Dims dims;
  // Type of ONNX. Integers and booleans are stored in `integers`, others in `reals`. A uint64 is
  // stored with its bits.
  int type = onnx::TensorProto::FLOAT;
  std::vector<float> reals;
  std::vector<int64_t> integers;

  bool is_integer() const;
  size_t size() const { return is_integer() ? integers.size() : reals.size(); }
  double at(size_t i) const;
  std::vector<int64_t> whole() const;  // values as integers
  std::vector<float> real() const;     // values as floats
};
using ConstantPtr = std::shared_ptr<const Constant>;

bool is_integer_type(int type);
// Returns true for the types that a Cast may have as result: numbers of 8 bits or more that are not
// float8. Other types only hold weights.
bool is_cast_type(int type);
ConstantPtr make_reals(Dims dims, std::vector<float> values);
ConstantPtr make_integers(Dims dims, std::vector<int64_t> values,
                          int type = onnx::TensorProto::INT64);
// Returns a constant from doubles. Integers are made of them as by ONNX Runtime on x86: toward
// zero, and beyond 32 or 64 bits the lowest integer, of which the type's bits remain.
ConstantPtr make_constant(Dims dims, int type, const std::vector<double>& values);
// Returns the same, but the nearest integer of the type for numbers beyond its range.
ConstantPtr make_saturated(Dims dims, int type, const std::vector<double>& values);

// Holds every int64 and uint64, and their sums, differences and products but for the highest bit.
__extension__ using Whole = __int128;
Whole whole_at(const Constant& constant, size_t i);
// Returns a constant of integers. Those beyond the type's range wrap.
ConstantPtr make_whole(Dims dims, int type, const std::vector<Whole>& values);

// Returns a constant of floats with the values that another type of floats holds. Float8 saturates
// or has no number beyond its largest.
ConstantPtr rounded(const Constant& constant, int type, bool saturates = true);
int bits_of(int type);  // of an integer type
// Returns true for integers of 2 to 8 bits.
bool is_byte_type(int type);
bool is_signed_type(int type);
// Returns the lowest and the highest number of a type that quantized tensors have: integers of 4, 8
// and 16 bits, and float8. Both are 0 for other types.
std::pair<int64_t, int64_t> range_of(int type);
bool is_finite(const Constant& constant);

// Reads a tensor of the file. External data must be in `folder`.
ConstantPtr read_tensor(const onnx::TensorProto& tensor, const std::string& folder);

}  // namespace tputwin::net::onnx_reader
