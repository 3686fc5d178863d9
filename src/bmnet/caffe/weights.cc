// Reading of the weights of a caffemodel whose parameters are those of an unknown fork.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>
#include <initializer_list>

#include "bmnet/caffe/upgrade.h"

namespace tputwin::net {
namespace {

using Wire = google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

bool among(int number, std::initializer_list<int> numbers) {
  for (int n : numbers)
    if (n == number) return true;
  return false;
}

// Copies the fields of a layer with these numbers. Returns false if the bytes are not a message.
bool copy_fields(const std::string& message, std::initializer_list<int> numbers,
                 std::string& fields) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(message.data()),
                      static_cast<int>(message.size()));
  StringOutputStream stream(&fields);
  CodedOutputStream out(&stream);
  while (const uint32_t tag = in.ReadTag()) {
    const bool wanted = among(Wire::GetTagFieldNumber(tag), numbers);
    if (!(wanted ? Wire::SkipField(&in, tag, &out) : Wire::SkipField(&in, tag))) return false;
  }
  return in.ConsumedEntireMessage();
}

// Copies the net's layers, each with its name, type and blobs only.
bool strip(std::span<const uint8_t> file, std::string& stripped) {
  CodedInputStream in(file.data(), static_cast<int>(file.size()));
  StringOutputStream stream(&stripped);
  CodedOutputStream out(&stream);
  while (const uint32_t tag = in.ReadTag()) {
    const int number = Wire::GetTagFieldNumber(tag);
    const bool is_layer =
        among(number, {2, 100}) && Wire::GetTagWireType(tag) == Wire::WIRETYPE_LENGTH_DELIMITED;
    if (!is_layer) {
      if (!Wire::SkipField(&in, tag)) return false;
      continue;
    }
    std::string layer, fields;
    if (!Wire::ReadBytes(&in, &layer)) return false;
    // Numbers of name, type and blobs; in version 1 they are 4, 5 and 6.
    if (!(number == 100 ? copy_fields(layer, {1, 2, 7}, fields)
                        : copy_fields(layer, {4, 5, 6}, fields)))
      return false;
    out.WriteTag(tag);
    out.WriteVarint32(static_cast<uint32_t>(fields.size()));
    out.WriteString(fields);
  }
  return in.ConsumedEntireMessage();
}

}  // namespace

Result<caffe::NetParameter> read_weights(std::span<const uint8_t> file) {
  auto net = read_names_and_blobs(file);
  if (net.ok() || file.size() > INT_MAX) return net;
  std::string stripped;
  if (!strip(file, stripped)) return net;
  auto weights =
      read_names_and_blobs({reinterpret_cast<const uint8_t*>(stripped.data()), stripped.size()});
  return weights.ok() ? std::move(weights) : std::move(net);
}

}  // namespace tputwin::net
