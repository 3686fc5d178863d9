// Functions that importers of Caffe types share: problems, shapes, weights.
#include "bmnet/caffe/layer.h"

#include "base/errors/bmnet.h"
#include "bmnet/caffe/attach.h"

#include <algorithm>
#include <cmath>

namespace tputwin::net {
namespace {

constexpr size_t kShownProblems = 100;

std::string line(const Error& error) {
  std::string text = error.call() + ": ";
  if (!error.argument().empty()) text += error.argument() + " = " + error.value() + ": ";
  text += error.info().rule;
  return error.detail().empty() ? text : text + "; " + error.detail();
}

}  // namespace

Error combine(const std::vector<Error>& problems) {
  const Error& first = problems.front();
  if (problems.size() == 1) return first;
  std::string lines = std::to_string(problems.size()) + " problems";
  for (size_t i = 0; i < std::min(problems.size(), kShownProblems); ++i)
    lines += "\n  " + line(problems[i]);
  if (problems.size() > kShownProblems)
    lines += "\n  and " + std::to_string(problems.size() - kShownProblems) + " more";
  return Error(first.id())
      .in(first.call())
      .argument(first.argument(), first.value())
      .detail(std::move(lines));
}

int64_t volume(const Dims& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < std::min(end, dims.size()); ++i)
    if (__builtin_mul_overflow(product, dims[i], &product)) return INT64_MAX;
  return product;
}

std::string describe(const Dims& dims) { return describe(make_shape(dims)); }

void Importer::problem(ErrorId id, std::string_view argument, std::string value,
                       std::string detail) {
  problems_.push_back(Error(id)
                          .in("layer " + caffe.name() + " (" + caffe.type() + ")")
                          .argument(argument, std::move(value))
                          .detail(std::move(detail)));
}

bool Importer::range(std::string_view name, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return true;
  parameter(name, std::to_string(value),
            "in [" + std::to_string(low) + ", " + std::to_string(high) + "]");
  return false;
}

bool Importer::finite(std::string_view name, double value) {
  if (std::isfinite(value)) return true;
  parameter(name, std::to_string(value), "a finite number");
  return false;
}

bool Importer::positive(std::string_view name, double value) {
  if (std::isfinite(value) && value > 0) return true;
  parameter(name, std::to_string(value), "a positive number");
  return false;
}

bool Importer::axis(std::string_view name, int64_t value, const Dims& dims, int& result) {
  const auto axes = static_cast<int64_t>(dims.size());
  result = static_cast<int>(value < 0 ? value + axes : value);
  if (value >= -axes && value < axes) return true;
  problem(errors::net_axis, name, std::to_string(value), "the shape is " + describe(dims));
  return false;
}

bool Importer::axes_at_least(size_t count, int bottom) {
  if (dims(bottom).size() >= count) return true;
  problem(errors::net_operand_shapes, op.bottom(bottom), describe(dims(bottom)),
          "the layer wants " + std::to_string(count) + " axes");
  return false;
}

bool Importer::same_dims(int a, int b) {
  if (dims(a) == dims(b)) return true;
  problem(errors::net_operand_shapes, op.bottom(b), describe(dims(b)),
          op.bottom(a) + " is " + describe(dims(a)));
  return false;
}

// Moves keep the element type of their input; computing operations produce int8.
void Importer::output(const Dims& dims) {
  output(dims, has_trait(op, trait::moves_elements) && op.input_shape(0).data_type_size() == 4);
}

void Importer::output(const Dims& dims, bool is_float) {
  const bool small = std::all_of(dims.begin(), dims.end(), [](int64_t d) { return d >= 1; });
  if (!small || volume(dims) >= kMaxElements || dims.size() > kMaxAxes) {
    const int top = std::min(op.output_shape_size(), op.top_size() - 1);
    problem(errors::net_shape, top < 0 ? "" : op.top(top), describe(dims),
            dims.size() > kMaxAxes ? "tensors have at most 4 axes" : "");
    return;
  }
  *op.add_output_shape() = make_shape(dims, is_float ? 4 : 1);
}

void Importer::weights(const std::vector<Weight>& wanted) {
  if (caffe.blobs_size() == 0 && !needs_weights_) return;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (static_cast<int>(i) < caffe.blobs_size())
      weight(wanted[i], caffe.blobs(static_cast<int>(i)));
    else
      problem(errors::net_missing_blob, wanted[i].name, "none");
  }
  for (int i = static_cast<int>(wanted.size()); i < caffe.blobs_size(); ++i)
    problem(errors::net_blob_shape, "blob " + std::to_string(i),
            std::to_string(caffe.blobs(i).data_size()) + " values",
            "the layer has " + std::to_string(wanted.size()) + " blobs only");
}

void Importer::weight(const Weight& wanted, const caffe::BlobProto& blob) {
  if (blob.data_size() == 0 && blob.shape().dim().empty())
    return problem(errors::net_missing_blob, wanted.name, "none");
  if (blob.data_size() != volume(wanted.dims))
    return problem(errors::net_blob_shape, wanted.name,
                   std::to_string(blob.data_size()) + " values",
                   "the layer wants " + describe(wanted.dims));
  if (!fits(blob, wanted.dims))
    return problem(errors::net_blob_shape, wanted.name, describe_blob(blob),
                   "the layer wants " + describe(wanted.dims) +
                       "; as many values in another order are other weights");
  const auto bad = std::find_if_not(blob.data().begin(), blob.data().end(),
                                    [](float v) { return std::isfinite(v); });
  if (bad != blob.data().end())
    problem(errors::net_blob_value, wanted.name, std::to_string(*bad),
            "value " + std::to_string(bad - blob.data().begin()));
  const Dims one = {1};
  blobs_.push_back(
      {wanted.dims.empty() ? one : wanted.dims, {blob.data().begin(), blob.data().end()}});
}

}  // namespace tputwin::net
