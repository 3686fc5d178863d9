// Shapes that input layers define.
#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

Dims to_dims(const caffe::BlobShape& shape) { return {shape.dim().begin(), shape.dim().end()}; }

// Returns the shape of a top, from one shape per top or one for all.
template <class Shapes>
Dims pick(const Shapes& shapes, int index) {
  if (shapes.empty()) return {};
  return to_dims(shapes.Get(shapes.size() == 1 ? 0 : index));
}

bool counts_fit(int given, int tops) { return given == 0 || given == 1 || given == tops; }

Dims dummy_dims(const caffe::DummyDataParameter& p, int index) {
  if (p.shape_size() > 0) return pick(p.shape(), index);
  Dims dims;
  for (const auto* list : {&p.num(), &p.channels(), &p.height(), &p.width()}) {
    if (list->empty()) return {};
    dims.push_back(list->Get(index < list->size() ? index : 0));
  }
  return dims;
}

}  // namespace

Result<Dims> input_dims(const caffe::LayerParameter& layer, int index) {
  auto fail = [&](const char* detail) {
    return Error(errors::net_no_input)
        .in("layer " + layer.name() + " (" + layer.type() + ")")
        .argument("top", layer.top(index))
        .detail(detail);
  };
  const int tops = layer.top_size();
  if (!counts_fit(layer.input_param().shape_size(), tops) ||
      !counts_fit(layer.multi_input_param().shape_size(), tops) ||
      !counts_fit(layer.dummy_data_param().shape_size(), tops))
    return fail("one shape for all tops, or one for each");
  Dims dims;
  if (layer.type() == "DummyData") dims = dummy_dims(layer.dummy_data_param(), index);
  if (layer.has_multi_input_param()) dims = pick(layer.multi_input_param().shape(), index);
  if (layer.has_input_param()) dims = pick(layer.input_param().shape(), index);
  if (layer.has_memory_data_param() && index == 0) {
    const auto& p = layer.memory_data_param();
    dims = {p.batch_size(), p.channels(), p.height(), p.width()};
  }
  if (dims.empty())
    return fail("the layer has no shape; give one with the call (build, -s n,c,h,w)");
  return dims;
}

Dims given_dims(const caffe::LayerParameter& layer, int index, const Dims& given) {
  if (given.size() <= kMaxAxes) return given;
  const auto own = input_dims(layer, index);
  Dims merged(given.begin(), given.begin() + kMaxAxes);
  for (size_t i = kMaxAxes; i < given.size(); ++i) merged.back() *= given[i];
  return own.ok() && *own == merged ? merged : given;
}

TensorOp input_op(const std::string& name, const TensorShape& shape) {
  TensorOp op;
  op.set_name(name);
  op.set_calib_id(name);
  set_type(op, Op::start);
  *op.add_output_shape() = shape;
  return op;
}

void keep_byte_type(const caffe::LayerParameter& layer, const std::string& tensor,
                    Network& network) {
  if (layer.byte_type() == "int8") network.byte_inputs[tensor] = DType::i8;
  if (layer.byte_type() == "uint8") network.byte_inputs[tensor] = DType::u8;
}

void check_batch(Importer& input, int index, const Dims& given) {
  const auto own = input_dims(input.caffe, index);
  if (!input.caffe.keeps_batch() || !own.ok() || own->empty() || given.empty()) return;
  if (own->front() == given.front()) return;
  input.problem(errors::net_operand_shapes, input.caffe.top(index), describe(make_shape(given)),
                "the net was calibrated for " + describe(make_shape(*own)) +
                    ", and its ONNX file is another net for another batch; calibrate it again with "
                    "--shape, once per input, or compile the ONNX file with the table");
}

}  // namespace tputwin::net
