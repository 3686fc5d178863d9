// Conversion between the types of tensors and those of numpy.
#include "tools/bm168x/tensor_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <random>

#include "base/errors/tools.h"
#include "numerics/float16.h"
#include "numerics/float_mode.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

// The name of a type in numpy; 'f' of 0 bytes: numpy has no such type.
struct NumpyType {
  char kind;
  uint32_t bytes;
};
NumpyType numpy_type(ElementType type) {
  static constexpr NumpyType kTypes[kElementTypes] = {{'f', 4}, {'f', 2}, {'i', 1}, {'u', 1},
                                                      {'i', 2}, {'u', 2}, {'i', 4}, {'u', 4},
                                                      {'f', 0}, {'i', 0}, {'u', 0}};
  return kTypes[static_cast<size_t>(type)];
}

bool is_float(ElementType type) { return numpy_type(type).kind == 'f'; }

bool is_fp32_number(std::integral auto value) {
  const auto rounded = static_cast<float>(value);
  constexpr auto kMost = std::numeric_limits<decltype(value)>::max();
  if (rounded >= static_cast<float>(kMost)) return false;
  return static_cast<decltype(value)>(rounded) == value;
}

// Returns the range of an integer type.
std::pair<double, double> range_of(ElementType type) {
  const auto bits = static_cast<int>(element_bits(type));
  const bool is_signed = numpy_type(type).kind == 'i';
  return is_signed ? std::pair(-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1)
                   : std::pair(0.0, std::ldexp(1, bits) - 1);
}

template <class T>
T load(std::span<const uint8_t> bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::span<uint8_t> bytes, uint64_t index, double value) {
  const T converted = static_cast<T>(value);
  std::memcpy(bytes.data() + index * sizeof(T), &converted, sizeof(T));
}

void put(std::span<uint8_t> bytes, ElementType type, uint64_t index, double value) {
  switch (type) {
    case ElementType::f32:
      return store<float>(bytes, index, value);
    case ElementType::f16:
      return store<uint16_t>(bytes, index, f16::from_f32(static_cast<float>(value)));
    case ElementType::bf16:
      return store<uint16_t>(bytes, index, bf16::from_f32(static_cast<float>(value)));
    case ElementType::i8:
      return store<int8_t>(bytes, index, value);
    case ElementType::u8:
      return store<uint8_t>(bytes, index, value);
    case ElementType::i16:
      return store<int16_t>(bytes, index, value);
    case ElementType::u16:
      return store<uint16_t>(bytes, index, value);
    case ElementType::i32:
      return store<int32_t>(bytes, index, value);
    case ElementType::u32:
      return store<uint32_t>(bytes, index, value);
    case ElementType::i4:
    case ElementType::u4: {
      const auto half = static_cast<uint8_t>(static_cast<int>(value) & 15);
      uint8_t& byte = bytes[index / 2];
      byte = index % 2 != 0 ? uint8_t((byte & 15) | half << 4) : uint8_t((byte & 0xf0) | half);
    }
  }
}

}  // namespace

double number_at(std::span<const uint8_t> bytes, char kind, uint32_t size, uint64_t index) {
  switch (kind << 8 | static_cast<int>(size)) {
    case 'f' << 8 | 2:
      return f16::to_f32(load<uint16_t>(bytes, index));
    case 'f' << 8 | 4:
      return load<float>(bytes, index);
    case 'f' << 8 | 8:
      return load<double>(bytes, index);
    case 'i' << 8 | 1:
      return load<int8_t>(bytes, index);
    case 'i' << 8 | 2:
      return load<int16_t>(bytes, index);
    case 'i' << 8 | 4:
      return load<int32_t>(bytes, index);
    case 'i' << 8 | 8:
      return static_cast<double>(load<int64_t>(bytes, index));
    case 'b' << 8 | 1:
      return load<uint8_t>(bytes, index) != 0 ? 1 : 0;
    case 'u' << 8 | 1:
      return load<uint8_t>(bytes, index);
    case 'u' << 8 | 2:
      return load<uint16_t>(bytes, index);
    case 'u' << 8 | 4:
      return load<uint32_t>(bytes, index);
    default:
      return static_cast<double>(load<uint64_t>(bytes, index));
  }
}

double value_at(std::span<const uint8_t> bytes, ElementType type, uint64_t index) {
  if (type == ElementType::bf16) return bf16::to_f32(load<uint16_t>(bytes, index));
  if (element_bits(type) != 4)
    return number_at(bytes, numpy_type(type).kind, numpy_type(type).bytes, index);
  const int half = bytes[index / 2] >> (index % 2 * 4) & 15;
  return type == ElementType::i4 && half > 7 ? half - 16 : half;
}

namespace {

// Returns element `index` as it is written in the array.
std::string text_of(const Array& array, uint64_t index) {
  if (array.kind == 'i' && array.element_bytes == 8)
    return fmt::format("{}", load<int64_t>(array.bytes, index));
  if (array.kind == 'u' && array.element_bytes == 8)
    return fmt::format("{}", load<uint64_t>(array.bytes, index));
  return fmt::format("{}", number_at(array.bytes, array.kind, array.element_bytes, index));
}

// Returns true if fp32 has element `index` of an array of integers.
bool has_number(const Array& array, uint64_t index) {
  if (array.element_bytes < 4) return true;
  if (array.element_bytes == 8 && array.kind == 'u')
    return is_fp32_number(load<uint64_t>(array.bytes, index));
  if (array.element_bytes == 8) return is_fp32_number(load<int64_t>(array.bytes, index));
  const double value = number_at(array.bytes, array.kind, array.element_bytes, index);
  return is_fp32_number(static_cast<int64_t>(value));
}

// Integers are positions, or numbers that a net computes with. They are not rounded to fp32 and not
// clamped to the range of other integers. fp16 and bf16 round them as they round floats.
Status check_integer(const Array& array, const TensorT& tensor, uint64_t index) {
  if (array.kind != 'i' && array.kind != 'u') return {};
  const ElementType type = element_type(tensor);
  const auto refused = [&](std::string rule) {
    return Error(errors::cli_input_number)
        .argument(fmt::format("{}, element {}", tensor.name, index), text_of(array, index))
        .detail(std::move(rule));
  };
  const double value = number_at(array.bytes, array.kind, array.element_bytes, index);
  if (is_float(type)) {
    if (type == ElementType::f16 &&
        std::isinf(f16::to_f32(f16::from_f32(static_cast<float>(value)))))
      return refused(
          "fp16 ends at 65504; give smaller numbers, or compile the net in bf16 or fp32");
    if (type != ElementType::f32 || has_number(array, index)) return {};
    return refused(fmt::format(
        "the input is fp32, which has all integers up to {}; give smaller ones, or floats to have "
        "them rounded",
        int64_t{1} << 24));
  }
  const auto [low, high] = range_of(type);
  if (low <= value && value <= high) return {};
  return refused(
      fmt::format("the input is {}, from {} to {}; floats are scaled: each becomes its "
                  "product with {:g}, rounded",
                  to_string(type), low, high, tensor.scale));
}

}  // namespace

Result<std::vector<uint8_t>> tensor_of(const Array& array, const TensorT& tensor) {
  const ElementType type = element_type(tensor);
  const uint64_t count = element_count(tensor);
  if (array.count() != count)
    return Error(errors::cli_input_size)
        .argument(tensor.name, fmt::format("{} elements", array.count()))
        .detail(fmt::format("the net takes {}", count));
  if (array.kind == numpy_type(type).kind && array.element_bytes == numpy_type(type).bytes)
    return array.bytes;
  const bool quantize = (array.kind == 'f' || array.kind == 'b') && !is_float(type);
  const auto [low, high] =
      is_float(type) ? std::pair<double, double>(-INFINITY, INFINITY) : range_of(type);
  std::vector<uint8_t> bytes(tensor_bytes(tensor));
  ScopedFloatMode mode(ScopedFloatMode::ieee);
  for (uint64_t i = 0; i < count; ++i) {
    TW_RETURN_IF_ERROR(check_integer(array, tensor, i));
    double value = number_at(array.bytes, array.kind, array.element_bytes, i);
    if (quantize) value = std::nearbyint(value * tensor.scale) + tensor.zero_point;
    if (!is_float(type)) value = std::isnan(value) ? 0 : std::clamp<double>(value, low, high);
    put(bytes, type, i, value);
  }
  return bytes;
}

Array array_of(std::span<const uint8_t> bytes, const TensorT& tensor, bool as_float) {
  const ElementType type = element_type(tensor);
  NumpyType numpy = numpy_type(type);
  if (numpy.bytes == 0) numpy.bytes = type == ElementType::bf16 ? 4 : 1;
  const bool as_it_is = !as_float && numpy_type(type).bytes != 0;
  if (as_float) numpy = {'f', 4};
  const auto extents = shape(tensor);
  Array array{numpy.kind, numpy.bytes, {extents.begin(), extents.end()}, {}};
  if (as_it_is) {
    array.bytes.assign(bytes.begin(), bytes.end());
    return array;
  }
  const uint64_t count = element_count(tensor);
  array.bytes.resize(count * numpy.bytes);
  ScopedFloatMode mode(ScopedFloatMode::ieee);
  for (uint64_t i = 0; i < count; ++i) {
    double value = value_at(bytes, type, i);
    if (as_float && !is_float(type)) value = (value - tensor.zero_point) * tensor.scale;
    if (numpy.kind == 'f')
      store<float>(array.bytes, i, value);
    else
      store<int8_t>(array.bytes, i, value);
  }
  return array;
}

std::vector<uint8_t> synthetic(const TensorT& tensor, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes(tensor_bytes(tensor));
  const ElementType type = element_type(tensor);
  if (type == ElementType::i32 || type == ElementType::u32)
    return synthetic_positions(tensor, seed, 2);
  if (!is_float(type)) {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
  }
  ScopedFloatMode mode(ScopedFloatMode::ieee);
  for (uint64_t i = 0; i < element_count(tensor); ++i)
    put(bytes, type, i, static_cast<double>(static_cast<int64_t>(random()) >> 40) * 0x1p-23);
  return bytes;
}

std::vector<uint8_t> synthetic_positions(const TensorT& tensor, uint64_t seed, uint64_t count) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes(tensor_bytes(tensor));
  const ElementType type = element_type(tensor);
  constexpr double kMostOfFp16 = 2048;  // all whole numbers up to it are numbers of fp16
  const double most = is_float(type) ? kMostOfFp16 : range_of(type).second;
  const uint64_t numbers = std::min(count, static_cast<uint64_t>(most) + 1);
  ScopedFloatMode mode(ScopedFloatMode::ieee);
  for (uint64_t i = 0; i < element_count(tensor); ++i)
    put(bytes, type, i, static_cast<double>((random() >> 32) % numbers));
  return bytes;
}

std::vector<uint8_t> synthetic_regions(const TensorT& tensor, uint64_t seed,
                                       const RegionMaps& maps) {
  constexpr uint64_t kBox = 4;
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes(tensor_bytes(tensor));
  const uint64_t count = element_count(tensor), columns = std::max(maps.columns, kBox);
  const auto below = [&](double extent) {
    return std::floor(static_cast<double>(random() >> 11) * 0x1p-53 * std::max(extent, 1.0));
  };
  ScopedFloatMode mode(ScopedFloatMode::ieee);
  for (uint64_t row = 0; row + columns <= count; row += columns) {
    const double image = below(static_cast<double>(maps.images));
    for (uint64_t i = 0; i < columns - kBox; ++i) put(bytes, element_type(tensor), row + i, image);
    const auto [left, right] = std::minmax({below(maps.width), below(maps.width)});
    const auto [top, bottom] = std::minmax({below(maps.height), below(maps.height)});
    const double box[kBox] = {left, top, right, bottom};
    for (uint64_t i = 0; i < kBox; ++i)
      put(bytes, element_type(tensor), row + columns - kBox + i, box[i]);
  }
  return bytes;
}

std::string output_text(const TensorT& tensor, std::span<const uint8_t> bytes) {
  constexpr uint64_t kShown = 12;
  std::vector<std::string> values;
  const uint64_t count = element_count(tensor);
  for (uint64_t i = 0; i < std::min(count, kShown); ++i)
    values.push_back(fmt::format("{:g}", value_at(bytes, element_type(tensor), i)));
  return fmt::format("output  {} {}({}): {}{}\n", tensor.name, to_string(element_type(tensor)),
                     fmt::join(shape(tensor), ","), fmt::join(values, " "),
                     count > kShown ? " ..." : "");
}

}  // namespace tputwin::tools
