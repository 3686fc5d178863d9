// Mutators of Caffe's files, tables and bmodels 2.1, by protobuf's reflection.
#include "fuzz/message_mutator.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/integers/table.h"
#include "bmodel/little_endian.h"
#include "libbmodel/bmodel.pb.h"

namespace tputwin::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using testing::Rng;

int64_t edge_integer(Rng& rng, int64_t old) {
  switch (rng.below(4)) {
    case 0:
      return static_cast<int64_t>(static_cast<uint64_t>(old) + rng.pick<uint64_t>({1, UINT64_MAX}));
    case 1:
      return rng.pick<int64_t>({0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 255, 256});
    case 2:
      return rng.pick<int64_t>({-1, 65535, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN});
    default:
      return old ^ static_cast<int64_t>(uint64_t{1} << rng.below(64));
  }
}

double edge_real(Rng& rng, double old) {
  return rng.pick<double>({0.0, -0.0, 1.0, -1.0, old * 2, old / 2, -old, 1e-30, 1e30, 127.0,
                           -INFINITY, INFINITY, static_cast<double>(NAN)});
}

// Replaces, duplicates or removes a letter.
std::string edge_text(Rng& rng, std::string old) {
  switch (rng.below(4)) {
    case 0:
      return "";
    case 1:
      return old + old;
    case 2:
      return rng.pick<const char*>({"data", "conv", "Split", "x86_64", "../x", "\xff\xfe"});
    default:
      if (!old.empty()) old[rng.below(old.size())] = static_cast<char>(rng.next());
      return old;
  }
}

// A field of one kind, by reflection: a value, or an element of a repeated field.
struct Field {
  Message& message;
  const FieldDescriptor* type;
  int at;  // -1: not repeated

  template <class Value, class Get, class GetOne, class Set, class SetOne, class Change>
  void change(Get get, GetOne get_one, Set set, SetOne set_one, Change next) const {
    const Reflection* r = message.GetReflection();
    if (at < 0)
      (r->*set)(&message, type, static_cast<Value>(next((r->*get)(message, type))));
    else
      (r->*set_one)(&message, type, at, static_cast<Value>(next((r->*get_one)(message, type, at))));
  }
};

#define TW_CHANGE(Value, Name, next)                                          \
  field.change<Value>(&Reflection::Get##Name, &Reflection::GetRepeated##Name, \
                      &Reflection::Set##Name, &Reflection::SetRepeated##Name, next)

void change_value(const Field& field, Rng& rng) {
  const auto integer = [&](auto old) { return edge_integer(rng, static_cast<int64_t>(old)); };
  const auto real = [&](auto old) { return edge_real(rng, old); };
  switch (field.type->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return TW_CHANGE(int32_t, Int32, integer);
    case FieldDescriptor::CPPTYPE_UINT32:
      return TW_CHANGE(uint32_t, UInt32, integer);
    case FieldDescriptor::CPPTYPE_INT64:
      return TW_CHANGE(int64_t, Int64, integer);
    case FieldDescriptor::CPPTYPE_UINT64:
      return TW_CHANGE(uint64_t, UInt64, integer);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return TW_CHANGE(float, Float, real);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return TW_CHANGE(double, Double, real);
    case FieldDescriptor::CPPTYPE_BOOL:
      return TW_CHANGE(bool, Bool, [](bool old) { return !old; });
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* values = field.type->enum_type();
      return TW_CHANGE(int, EnumValue, [&](int) {
        return values
            ->value(static_cast<int>(rng.below(static_cast<uint64_t>(values->value_count()))))
            ->number();
      });
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return TW_CHANGE(std::string, String,
                       [&](const std::string& old) { return edge_text(rng, old); });
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
}
#undef TW_CHANGE

Message* below(const Field& field) {
  const Reflection* r = field.message.GetReflection();
  return field.at < 0 ? r->MutableMessage(&field.message, field.type)
                      : r->MutableRepeatedMessage(&field.message, field.type, field.at);
}

// Moves an element to the end, removes it, or duplicates it (for messages).
void change_list(Message& message, const FieldDescriptor* type, int at, Rng& rng) {
  const Reflection* r = message.GetReflection();
  const int last = r->FieldSize(message, type) - 1;
  switch (rng.below(3)) {
    case 0:
      return r->SwapElements(&message, type, at, last);
    case 1:
      return r->RemoveLast(&message, type);
    default:
      if (type->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return;
      Message* more = r->AddMessage(&message, type);
      more->CopyFrom(r->GetRepeatedMessage(message, type, at));
  }
}

// Sets a field that the message does not have: its value is the default, which changes.
void set_another(Message& message, Rng& rng) {
  const auto* type = message.GetDescriptor();
  if (type->field_count() == 0) return;
  const auto* field =
      type->field(static_cast<int>(rng.below(static_cast<uint64_t>(type->field_count()))));
  if (field->is_repeated()) return;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
    message.GetReflection()->MutableMessage(&message, field);
  else
    change_value({message, field, -1}, rng);
}

template <class Proto, class Write>
Bytes changed(Result<Proto> read, std::span<const uint8_t> input, Rng& rng, const Write& write) {
  if (!read.ok()) return {input.begin(), input.end()};
  for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes) change_message(*read, rng);
  const std::string bytes = write(*read);
  return {bytes.begin(), bytes.end()};
}

// ---- Container 2.1: ff aa 55 ff | message, or dd aa 55 ff | u32 size | message | weights ----

constexpr size_t kMagic = 4, kSize = 4;

struct Framed {
  size_t head = 0, message = 0;  // bytes
};

Framed frame_of(std::span<const uint8_t> file) {
  if (file.size() < kMagic || file[1] != 0xaa || file[2] != 0x55) return {0, file.size()};
  if (file[0] != 0xdd) return {kMagic, file.size() - kMagic};
  if (file.size() < kMagic + kSize) return {file.size(), 0};
  const size_t available = file.size() - kMagic - kSize;
  return {kMagic + kSize,
          std::min<size_t>(bmodel::little_endian<uint32_t>(file.subspan(kMagic)), available)};
}

}  // namespace

void change_message(Message& message, Rng& rng) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty() || rng.chance(1, 8)) return set_another(message, rng);
  const FieldDescriptor* type = fields[rng.below(fields.size())];
  Field field{message, type, -1};
  if (type->is_repeated()) {
    const int size = message.GetReflection()->FieldSize(message, type);
    field.at = static_cast<int>(rng.below(static_cast<uint64_t>(size)));
    if (rng.chance(1, 6)) return change_list(message, type, field.at, rng);
  }
  if (type->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
    return change_message(*below(field), rng);
  change_value(field, rng);
}

Bytes mutate_prototxt(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 4);
  const std::string_view text{reinterpret_cast<const char*>(input.data()), input.size()};
  return changed(net::read_prototxt(text), input, rng,
                 [](const auto& net) { return net::to_prototxt(net); });
}

Bytes mutate_caffemodel(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 5);
  return changed(net::read_caffemodel(input), input, rng,
                 [](const auto& net) { return net::to_caffemodel(net); });
}

Bytes mutate_table(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 6);
  const bool is_text = std::ranges::all_of(input, [](uint8_t c) { return c < 0x80 && c != 0; });
  return changed(net::read_table(input), input, rng, [&](const auto& table) {
    return is_text ? net::table_text(table) : net::table_binary(table);
  });
}

Bytes mutate_bmodel_v21(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 7);
  const Framed frame = frame_of(input);
  ::bmodel::Model message;
  Bytes file(input.begin(), input.end());
  if (!message.ParsePartialFromArray(&file[0] + frame.head, static_cast<int>(frame.message)))
    return file;
  for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes) change_message(message, rng);
  const std::string bytes = message.SerializePartialAsString();
  Bytes result(input.begin(), input.begin() + static_cast<ptrdiff_t>(frame.head));
  result.insert(result.end(), bytes.begin(), bytes.end());
  const auto rest = input.subspan(frame.head + frame.message);
  result.insert(result.end(), rest.begin(), rest.end());
  if (frame.head == kMagic + kSize)
    for (size_t i = 0; i < kSize; ++i)
      result[kMagic + i] = static_cast<uint8_t>(bytes.size() >> (8 * i));
  return result;
}

}  // namespace tputwin::fuzz
