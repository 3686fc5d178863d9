// Binary NetParameters.
#include <google/protobuf/io/coded_stream.h>

#include <climits>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

constexpr int kElu = 140;  // the field that elu_param has in Caffe itself

Error malformed(std::string detail) {
  return Error(errors::net_caffemodel).in("read_caffemodel").detail(std::move(detail));
}

// Field 140 of a layer is ELU's parameter, if the layer is an ELU; else it is some fork's own.
void take_elu(caffe::LayerParameter& layer) {
  if (layer.type() != "ELU" || layer.has_elu_param()) return;
  const auto& unknown = layer.GetReflection()->GetUnknownFields(layer);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto& field = unknown.field(i);
    if (field.number() == kElu &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        !layer.mutable_elu_param()->ParsePartialFromString(field.length_delimited()))
      layer.clear_elu_param();
  }
}

}  // namespace

Result<caffe::NetParameter> read_caffemodel(std::span<const uint8_t> file) {
  if (file.empty()) return malformed("the file is empty");
  if (file.size() > INT_MAX) return malformed("the file has more than 2^31 bytes");
  google::protobuf::io::CodedInputStream stream(file.data(), static_cast<int>(file.size()));
  caffe::NetParameter net;
  if (!net.ParsePartialFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return malformed("the file ends early, or is no NetParameter");
  if (net.layer().empty() && net.layers().empty()) return malformed("the file holds no layers");
  for (caffe::LayerParameter& layer : *net.mutable_layer()) take_elu(layer);
  net.DiscardUnknownFields();
  TW_RETURN_IF_ERROR(upgrade(net));
  return net;
}

std::string to_caffemodel(const caffe::NetParameter& net) { return net.SerializePartialAsString(); }

}  // namespace tputwin::net
