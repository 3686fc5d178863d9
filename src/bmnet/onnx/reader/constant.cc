// Conversion of tensors of an ONNX file to values.
#include "bmnet/onnx/reader/constant.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/reader/small_floats.h"

namespace tputwin::net::onnx_reader {
namespace {

namespace fs = std::filesystem;
using onnx::TensorProto;

constexpr int64_t kElements = int64_t{1} << 31;

// Returns the bits of an element of a type whose elements share bytes; 0 for other types.
int packed_bits(int type) {
  switch (type) {
    case TensorProto::UINT2:
    case TensorProto::INT2:
      return 2;
    case TensorProto::UINT4:
    case TensorProto::INT4:
    case TensorProto::FLOAT4E2M1:
      return 4;
    default:
      return 0;
  }
}

[[noreturn]] void refuse_tensor(const TensorProto& tensor, ErrorId id, std::string detail) {
  throw Refusal{Error(id).in("tensor " + tensor.name()).detail(std::move(detail))};
}

size_t bytes_of_type(const TensorProto& tensor) {
  if (is_float8(tensor.data_type())) return 1;
  switch (tensor.data_type()) {
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 1;
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return 2;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 4;
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
    case TensorProto::UINT64:
      return 8;
    default:
      refuse_tensor(tensor, errors::net_onnx_operator,
                    fmt::format("elements of type {}: numbers are wanted", tensor.data_type()));
  }
}

float of_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits >> 15 != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

// Elements of fewer than 8 bits fill bytes; those of a row share no bytes with anything else.
int64_t bytes_of(const TensorProto& tensor, int64_t count) {
  if (const int bits = packed_bits(tensor.data_type()); bits != 0) return (count * bits + 7) / 8;
  return count * static_cast<int64_t>(bytes_of_type(tensor));
}

// The lowest bits of a byte are its first element.
void read_packed(std::string_view bytes, size_t count, Constant& constant) {
  const auto bits = static_cast<size_t>(packed_bits(constant.type)), per_byte = 8 / bits;
  const bool is_signed = is_signed_type(constant.type);
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i / per_byte]);
    const uint32_t value = byte >> (i % per_byte * bits) & ((1u << bits) - 1);
    if (constant.type == TensorProto::FLOAT4E2M1)
      constant.reals.push_back(of_float4(static_cast<uint8_t>(value)));
    else
      constant.integers.push_back(int64_t{value} -
                                  (is_signed && value >> (bits - 1) != 0 ? int64_t{1} << bits : 0));
  }
}

float of_bfloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

template <class From, class To, class Convert>
void convert(std::string_view bytes, std::vector<To>& to, const Convert& function) {
  to.resize(bytes.size() / sizeof(From));
  for (size_t i = 0; i < to.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    to[i] = function(value);
  }
}

template <class From, class To>
void convert(std::string_view bytes, std::vector<To>& to) {
  convert<From>(bytes, to, [](From value) { return static_cast<To>(value); });
}

void read_raw(std::string_view bytes, Constant& constant) {
  if (packed_bits(constant.type) != 0)
    return read_packed(bytes, static_cast<size_t>(elements(constant.dims)), constant);
  if (is_float8(constant.type))
    return convert<uint8_t>(bytes, constant.reals,
                            [type = constant.type](uint8_t bits) { return of_float8(bits, type); });
  switch (constant.type) {
    case TensorProto::FLOAT:
      return convert<float>(bytes, constant.reals);
    case TensorProto::DOUBLE:
      return convert<double>(bytes, constant.reals);
    case TensorProto::FLOAT16:
      return convert<uint16_t>(bytes, constant.reals, of_half);
    case TensorProto::BFLOAT16:
      return convert<uint16_t>(bytes, constant.reals, of_bfloat);
    case TensorProto::INT8:
      return convert<int8_t>(bytes, constant.integers);
    case TensorProto::BOOL:
    case TensorProto::UINT8:
      return convert<uint8_t>(bytes, constant.integers);
    case TensorProto::INT16:
      return convert<int16_t>(bytes, constant.integers);
    case TensorProto::UINT16:
      return convert<uint16_t>(bytes, constant.integers);
    case TensorProto::INT32:
      return convert<int32_t>(bytes, constant.integers);
    case TensorProto::UINT32:
      return convert<uint32_t>(bytes, constant.integers);
    default:
      return convert<int64_t>(bytes, constant.integers);
  }
}

// Refuses integers in int32_data beyond the range of their type.
void require_range(const TensorProto& tensor, int type) {
  const bool is_short = type == TensorProto::INT8 || type == TensorProto::UINT8 ||
                        type == TensorProto::INT16 || type == TensorProto::UINT16;
  const bool is_truth = type == TensorProto::BOOL;
  const auto [least, most] = is_short   ? range_of(type)
                             : is_truth ? std::pair<int64_t, int64_t>(0, 1)
                                        : std::pair<int64_t, int64_t>(INT32_MIN, INT32_MAX);
  for (const int32_t value : tensor.int32_data())
    if (value < least || value > most)
      refuse_tensor(tensor, errors::net_onnx,
                    fmt::format("int32_data has {}; its type holds {} to {}", value, least, most));
}

void read_fields(const TensorProto& tensor, Constant& constant) {
  const auto& small = tensor.int32_data();
  if (packed_bits(constant.type) != 0 || is_float8(constant.type)) {
    const std::string bytes(small.begin(), small.end());
    if (static_cast<int64_t>(bytes.size()) != bytes_of(tensor, elements(constant.dims))) return;
    return read_raw(bytes, constant);
  }
  switch (constant.type) {
    case TensorProto::FLOAT:
      constant.reals.assign(tensor.float_data().begin(), tensor.float_data().end());
      return;
    case TensorProto::DOUBLE:
      for (double value : tensor.double_data()) constant.reals.push_back(static_cast<float>(value));
      return;
    case TensorProto::FLOAT16:
      for (int32_t bits : small) constant.reals.push_back(of_half(static_cast<uint16_t>(bits)));
      return;
    case TensorProto::BFLOAT16:
      for (int32_t bits : small) constant.reals.push_back(of_bfloat(static_cast<uint16_t>(bits)));
      return;
    case TensorProto::INT64:
      constant.integers.assign(tensor.int64_data().begin(), tensor.int64_data().end());
      return;
    case TensorProto::UINT32:
    case TensorProto::UINT64:
      for (uint64_t value : tensor.uint64_data())
        constant.integers.push_back(static_cast<int64_t>(value));
      return;
    default:
      require_range(tensor, constant.type);
      constant.integers.assign(small.begin(), small.end());
  }
}

struct External {
  std::string location;
  int64_t offset = 0, length = -1;
};

External external_of(const TensorProto& tensor) {
  External external;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") external.location = entry.value();
    int64_t* number = entry.key() == "offset"   ? &external.offset
                      : entry.key() == "length" ? &external.length
                                                : nullptr;
    if (number == nullptr) continue;
    const std::string& digits = entry.value();
    if (digits.empty() || digits.size() > 15 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      refuse_tensor(tensor, errors::net_onnx_external, entry.key() + " is \"" + digits + "\"");
    *number = std::stoll(digits);
  }
  return external;
}

// Returns the path of external data. The file must be in the directory of the model, after links
// are resolved.
fs::path external_file(const TensorProto& tensor, const std::string& location,
                       const std::string& folder) {
  const fs::path relative(location);
  bool inside = !location.empty() && relative.is_relative();
  for (const fs::path& part : relative) inside = inside && part != "..";
  std::error_code error;
  const fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
  const fs::path file = error ? fs::path() : fs::canonical(base / relative, error);
  if (inside && !error) {
    const auto [end, rest] = std::mismatch(base.begin(), base.end(), file.begin(), file.end());
    if (end == base.end() && fs::is_regular_file(file)) return file;
    inside = false;
  }
  refuse_tensor(tensor, errors::net_onnx_external,
                fmt::format("location is \"{}\"{}", location,
                            inside ? ": " + error.message() : ", the folder \"" + folder + "\""));
}

std::string read_external(const TensorProto& tensor, const std::string& folder, int64_t wanted) {
  const External external = external_of(tensor);
  const fs::path path = external_file(tensor, external.location, folder);
  const auto size = static_cast<int64_t>(fs::file_size(path));
  const int64_t length = external.length < 0 ? size - external.offset : external.length;
  if (length != wanted || external.offset > size - length)
    refuse_tensor(tensor, errors::net_onnx_external,
                  fmt::format("{} bytes from {} on of {}, which has {}; the tensor has {}", length,
                              external.offset, external.location, size, wanted));
  std::string bytes(static_cast<size_t>(length), '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(external.offset);
  if (!file.read(bytes.data(), length))
    refuse_tensor(tensor, errors::net_onnx_external, path.string() + " cannot be read");
  return bytes;
}

}  // namespace

int64_t elements(const Dims& dims) {
  int64_t product = 1;
  for (int64_t d : dims)
    if (d < 0 || d >= kElements || (product *= d) >= kElements) return -1;
  return product;
}

std::string text(const Dims& dims) { return fmt::format("({})", fmt::join(dims, ",")); }

bool is_integer_type(int type) {
  return type != TensorProto::FLOAT && type != TensorProto::DOUBLE &&
         type != TensorProto::FLOAT16 && type != TensorProto::BFLOAT16 && !is_float8(type) &&
         type != TensorProto::FLOAT4E2M1;
}

bool is_cast_type(int type) {
  return type >= TensorProto::FLOAT && type <= TensorProto::BFLOAT16 &&
         type != TensorProto::STRING && type != TensorProto::COMPLEX64 &&
         type != TensorProto::COMPLEX128;
}

bool Constant::is_integer() const { return is_integer_type(type); }

namespace {

// The numbers must be in one place: two may contradict each other.
void require_one_field(const TensorProto& tensor) {
  std::string found;
  int fields = 0;
  const auto add = [&](const char* name, bool is_given) {
    if (!is_given) return;
    found += (fields++ == 0 ? "" : ", ") + std::string(name);
  };
  add("external_data", tensor.data_location() == TensorProto::EXTERNAL);
  add("raw_data", !tensor.raw_data().empty());
  add("float_data", tensor.float_data_size() > 0);
  add("int32_data", tensor.int32_data_size() > 0);
  add("int64_data", tensor.int64_data_size() > 0);
  add("uint64_data", tensor.uint64_data_size() > 0);
  add("double_data", tensor.double_data_size() > 0);
  if (fields > 1)
    refuse_tensor(tensor, errors::net_onnx,
                  "its values are in " + found +
                      ": one of the fields must hold them; remove the "
                      "others, or export the net again");
}

}  // namespace

ConstantPtr read_tensor(const TensorProto& tensor, const std::string& folder) {
  auto constant = std::make_shared<Constant>();
  constant->dims.assign(tensor.dims().begin(), tensor.dims().end());
  constant->type = tensor.data_type();
  const int64_t count = elements(constant->dims);
  if (count < 0) refuse_tensor(tensor, errors::net_onnx, "extents are " + text(constant->dims));
  const int64_t bytes = bytes_of(tensor, count);
  require_one_field(tensor);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    read_raw(read_external(tensor, folder, bytes), *constant);
  } else if (tensor.has_raw_data()) {
    if (static_cast<int64_t>(tensor.raw_data().size()) != bytes)
      refuse_tensor(tensor, errors::net_onnx,
                    fmt::format("{} bytes, not {}", tensor.raw_data().size(), bytes));
    read_raw(tensor.raw_data(), *constant);
  } else {
    read_fields(tensor, *constant);
  }
  if (static_cast<int64_t>(constant->size()) != count)
    refuse_tensor(tensor, errors::net_onnx,
                  fmt::format("{} values, not {}", constant->size(), count));
  return constant;
}

}  // namespace tputwin::net::onnx_reader
