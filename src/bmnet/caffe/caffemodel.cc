// Reading of binary NetParameters.
#include <google/protobuf/io/coded_stream.h>

#include <climits>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/attach.h"
#include "bmnet/caffe/caffe_net.h"
#include "bmnet/caffe/foreign.h"
#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

Error malformed(std::string detail) {
  return Error(errors::net_caffemodel).in("read_caffemodel").detail(std::move(detail));
}

// Layers of version 0 have all parameters in a message of their own, field 1.
bool is_of_version_0(const caffe::NetParameter& net) {
  for (const caffe::V1LayerParameter& layer : net.layers()) {
    const auto& unknown = layer.GetReflection()->GetUnknownFields(layer);
    for (int i = 0; i < unknown.field_count(); ++i)
      if (unknown.field(i).number() == 1) return true;
  }
  return false;
}

// Returns the net in today's form. Unknown fields are kept.
Result<caffe::NetParameter> parse(std::span<const uint8_t> file) {
  if (file.empty()) return malformed("the file is empty");
  if (file.size() > INT_MAX) return malformed("the file has more than 2^31 bytes");
  google::protobuf::io::CodedInputStream stream(file.data(), static_cast<int>(file.size()));
  caffe::NetParameter net;
  if (!net.ParsePartialFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return malformed("the file ends early, or is no NetParameter");
  if (net.layer().empty() && net.layers().empty()) return malformed("the file holds no layers");
  if (is_of_version_0(net))
    return malformed(
        "its layers are of the oldest form, version 0; Caffe's tool upgrade_net_proto_binary makes "
        "today's form of it");
  TW_RETURN_IF_ERROR(upgrade(net));
  return net;
}

}  // namespace

Result<caffe::NetParameter> read_caffemodel(std::span<const uint8_t> file) {
  TW_ASSIGN_OR_RETURN(net, parse(file));
  TW_RETURN_IF_ERROR(read_foreign_parameters(net));
  net.DiscardUnknownFields();
  return net;
}

Result<caffe::NetParameter> read_names_and_blobs(std::span<const uint8_t> file) {
  TW_ASSIGN_OR_RETURN(net, parse(file));
  return take_weights(net);
}

std::string to_caffemodel(const caffe::NetParameter& net) { return net.SerializePartialAsString(); }

}  // namespace tputwin::net
