// Field numbers of Caffe (BVLC's master) and of the SSD fork, by the layer's type.
#include "bmnet/caffe/foreign.h"

#include <google/protobuf/unknown_field_set.h>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/bmnet.h"
#include "base/last_error.h"
#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;
using Layer = caffe::LayerParameter;

// Layers of `type` have their parameters under `number`, in the form of the field `field`.
struct Foreign {
  std::string_view type;
  int number;
  const char* field;
};
constexpr Foreign kForeign[] = {
    {"ELU", 140, "elu_param"},
    {"Swish", 147, "swish_param"},
    {"Clip", 148, "clip_param"},
    {"PriorBox", 203, "prior_box_param"},
};
constexpr int kSsdDetectionOutput = 204;

// Fields whose numbers forks use for others, and the types whose parameters they are.
struct Contested {
  const char* field;
  std::string_view type, other_type;
};
constexpr Contested kContested[] = {
    {"reorg_param", "Reorg", ""},       {"prior_box_param", "PriorBox", ""},
    {"upsample_param", "Upsample", ""}, {"shuffle_channel_param", "ShuffleChannel", ""},
    {"interp_param", "Interp", ""},     {"yolo_param", "Yolo", ""},
    {"region_param", "Region", ""},     {"detectoutput_param", "DetectionOutput", "DetectOutput"},
    {"yolopost_param", "YoloPost", ""}, {"permute_param", "Permute", ""},
    {"norm_param", "Normalize", ""},
};

// Moves the bytes of a layer's message field, known or not, out of the layer.
bool take_bytes(Layer& layer, int number, std::string& bytes) {
  const auto* reflection = layer.GetReflection();
  const FieldDescriptor* known = layer.GetDescriptor()->FindFieldByNumber(number);
  if (known != nullptr) {
    if (known->message_type() == nullptr || !reflection->HasField(layer, known)) return false;
    bytes = reflection->GetMessage(layer, known).SerializePartialAsString();
    reflection->ClearField(&layer, known);
    return true;
  }
  UnknownFieldSet& unknown = *reflection->MutableUnknownFields(&layer);
  bool found = false;
  for (int i = 0; i < unknown.field_count(); ++i) {
    const UnknownField& field = unknown.field(i);
    if (field.number() != number || field.type() != UnknownField::TYPE_LENGTH_DELIMITED) continue;
    bytes += field.length_delimited();
    found = true;
  }
  if (found) unknown.DeleteByNumber(number);
  return found;
}

void take_parameters(Layer& layer) {
  for (const Foreign& foreign : kForeign) {
    if (layer.type() != foreign.type) continue;
    const FieldDescriptor* field = layer.GetDescriptor()->FindFieldByName(foreign.field);
    std::string bytes;
    if (layer.GetReflection()->HasField(layer, field) || !take_bytes(layer, foreign.number, bytes))
      continue;
    if (!layer.GetReflection()->MutableMessage(&layer, field)->ParsePartialFromString(bytes))
      layer.GetReflection()->ClearField(&layer, field);
  }
}

float to_float(uint32_t bits) { return std::bit_cast<float>(bits); }

// Reads SSD's DetectionOutputParameter, which has other numbers than DetectOutputParameter.
void read_ssd_field(const UnknownField& field, caffe::DetectOutputParameter& to) {
  switch (field.type()) {
    case UnknownField::TYPE_VARINT:
      if (field.number() == 1) to.set_num_classes(static_cast<int32_t>(field.varint()));
      if (field.number() == 2) to.set_share_location(field.varint() != 0);
      if (field.number() == 3) to.set_background_label_id(static_cast<int32_t>(field.varint()));
      if (field.number() == 6 &&
          caffe::DetectOutputParameter::CodeType_IsValid(static_cast<int>(field.varint())))
        to.set_code_type(
            static_cast<caffe::DetectOutputParameter::CodeType>(static_cast<int>(field.varint())));
      if (field.number() == 7) to.set_keep_top_k(static_cast<int32_t>(field.varint()));
      if (field.number() == 8) to.set_variance_encoded_in_target(field.varint() != 0);
      break;
    case UnknownField::TYPE_FIXED32:
      if (field.number() == 9) to.set_confidence_threshold(to_float(field.fixed32()));
      break;
    case UnknownField::TYPE_LENGTH_DELIMITED:
      if (field.number() == 4 &&
          !to.mutable_nms_param()->ParsePartialFromString(field.length_delimited()))
        to.clear_nms_param();
      break;
    default:
      break;
  }
}

void take_detection_output(Layer& layer) {
  if (layer.type() != "DetectionOutput" || layer.has_detectoutput_param()) return;
  std::string bytes;
  UnknownFieldSet fields;
  if (!take_bytes(layer, kSsdDetectionOutput, bytes) || !fields.ParseFromString(bytes)) return;
  for (int i = 0; i < fields.field_count(); ++i)
    read_ssd_field(fields.field(i), *layer.mutable_detectoutput_param());
}

Status warn(const Layer& layer, std::string_view field, const std::string& value,
            std::string detail) {
  return report(Error(errors::net_binary_field)
                    .in("read_caffemodel, layer " + layer.name() + " (" + layer.type() + ")")
                    .argument(field, value)
                    .detail(std::move(detail) + "; with the prototxt nothing is in doubt"));
}

// Field 13 is BVLC's round_mode (CEIL 0, FLOOR 1) and the ceil_mode of forks (false 0, true 1). A
// file that has the field means FLOOR, because ceil is the default of both.
Status read_rounding(Layer& layer) {
  if (!layer.pooling_param().has_ceil_mode()) return {};
  const bool one = layer.pooling_param().ceil_mode();
  layer.mutable_pooling_param()->set_ceil_mode(false);
  return warn(layer, "pooling_param field 13", one ? "1" : "0",
              one ? "taken for round_mode FLOOR; of forks it is ceil_mode true"
                  : "taken for the ceil_mode false of forks; of Caffe it is round_mode CEIL");
}

Status drop_contested(Layer& layer) {
  for (const Contested& row : kContested) {
    const FieldDescriptor* field = layer.GetDescriptor()->FindFieldByName(row.field);
    if (layer.type() == row.type || layer.type() == row.other_type ||
        !layer.GetReflection()->HasField(layer, field))
      continue;
    layer.GetReflection()->ClearField(&layer, field);
    TW_RETURN_IF_ERROR(
        warn(layer, "field", std::to_string(field->number()),
             "here it is " + std::string(row.field) + ", which is not this type's; left out"));
  }
  return {};
}

// Warns about unknown fields in a message and in its submessages.
Status warn_of_unknown(const Layer& layer, const Message& message, const std::string& where) {
  const auto* reflection = message.GetReflection();
  const UnknownFieldSet& unknown = reflection->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    TW_RETURN_IF_ERROR(warn(layer, "field", where + std::to_string(unknown.field(i).number()),
                            "not known; left out"));
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields)
    if (!field->is_repeated() && field->message_type() != nullptr)
      TW_RETURN_IF_ERROR(warn_of_unknown(layer, reflection->GetMessage(message, field),
                                         where + field->name() + " "));
  return {};
}

}  // namespace

Status read_foreign_parameters(caffe::NetParameter& net) {
  for (Layer& layer : *net.mutable_layer()) {
    take_parameters(layer);
    take_detection_output(layer);
    if (!is_needed(net.state(), layer)) continue;
    TW_RETURN_IF_ERROR(read_rounding(layer));
    TW_RETURN_IF_ERROR(drop_contested(layer));
    TW_RETURN_IF_ERROR(warn_of_unknown(layer, layer, ""));
  }
  return {};
}

}  // namespace tputwin::net
