// Common parts of the decoders for the BM1684 and BM1684X. They read types, extents and views of
// operands from fields, and check them. The first invalid value becomes the error. After it,
// results are unspecified.
#pragma once

#include <optional>
#include <string_view>

#include "base/errors/isa.h"
#include "isa/streams/stream.h"
#include "isa/streams/unconfirmed.h"
#include "numerics/rounding.h"
#include "ops/contract/source.h"
#include "ops/contract/window.h"

namespace tputwin::isa {

// A value and the field that holds it.
struct Named {
  std::string_view field;
  uint64_t value;
};
#define TW_OF(command, field) \
  ::tputwin::isa::Named { #field, (command).field }

// Type codes (*_prec, *_data_format) and layout codes (*_str) of fields.
enum TypeCode : uint8_t { kInt8, kFp16, kFp32, kInt16, kInt32, kBf16 };
enum LayoutCode : uint8_t { kAligned, kCompact, kPerChannel, kStrided, kOneForAll };

// The strides of an operand as its fields hold them, in elements.
struct ElementStrides {
  uint64_t n, c, h, w;
};

class CommandReader {
 public:
  explicit CommandReader(const Chip& chip, const StreamOptions* options = nullptr)
      : chip_(chip), options_(options) {}

  const Chip& chip() const { return chip_; }
  bool ok() const { return !error_; }
  const std::optional<Error>& error() const { return error_; }
  // Returns `holds`. The first value for which it is false becomes the error.
  bool require(bool holds, ErrorId rule, const Named& named);
  // Refuses a value whose effect no document and no recording shows. `why` names what is unknown.
  bool supports(bool holds, const Named& named, std::string_view why = "");
  // Counts a value that is executed although no recording confirms it. `meaning` is its assumed
  // effect, as a clause in static storage.
  void unconfirmed(bool is_form, const Named& named, std::string_view meaning);
  // Returns the forms counted so far, under the name of a command.
  std::vector<UnconfirmedForm> forms(std::string_view command) const;

  // Returns the type of a code. The code does not include signedness; floating-point types have
  // none.
  DType type(const Named& code, bool is_signed);
  DType float_type(const Named& code);
  DType int_type(const Named& code, bool is_signed);
  // Returns the unsigned type of equal width, for bits.
  DType bits_type(const Named& code);
  Rounding rounding(const Named& code);
  // Extents must be at least 1.
  uint32_t extent(const Named& named);
  Shape shape(const Named& n, const Named& c, const Named& h, const Named& w);

  // Return views of local memory; `address` is lane * lane_bytes + byte. `pack` is the number of
  // elements of consecutive n in a cell, for 4N and 2N; strides count cells.
  TensorView dense(const Named& address, const Shape& shape, DType dtype, bool is_aligned,
                   uint8_t pack = 1);
  TensorView aligned(const Named& address, const Shape& shape, DType dtype);
  TensorView compact(const Named& address, const Shape& shape, DType dtype);
  // Rows start at multiples of 64 bytes.
  TensorView line_aligned(const Named& address, const Shape& shape, DType dtype);
  // A compact [1,C,1,1] tensor, as a view that repeats it over the whole shape.
  TensorView per_channel(const Named& address, const Shape& shape, DType dtype);
  // Reads a view by a layout code.
  TensorView placed(const Named& address, const Named& layout, const Shape& shape, DType dtype,
                    const ElementStrides& strides, uint8_t pack = 1);
  // Reads `len` elements that every lane holds, from the start lane of the last argument on.
  TensorView per_lane(const Named& address, uint32_t len, DType dtype, const TensorView& other);
  // rows x cols, with per_channel columns in a channel. All columns of the last channel belong to
  // it.
  MatrixView lane_matrix(const Named& address, uint32_t rows, uint32_t channels,
                         uint32_t per_channel, DType dtype);

  // An operand of the GDMA in local memory, L2 or global memory. Without strides, the layout is
  // aligned in local memory, and continuous elsewhere.
  TensorView side(const Named& address, const Shape& shape, DType dtype,
                  const ElementStrides* strides);

 private:
  bool in_local(const Named& address);
  Stride bytes_of(const ElementStrides& strides, uint32_t bytes, const Named& address);

  const Chip& chip_;
  const StreamOptions* options_;
  std::optional<Error> error_;
  struct Note {
    Named named;
    std::string_view meaning;
  };
  std::vector<Note> notes_;
};

// Returns the bits of a constant as an element of a type, sign or zero extended. Higher bits of
// `bits` are ignored.
uint32_t element_bits(uint64_t bits, DType dtype);
inline Source constant_source(uint64_t bits, DType dtype) {
  return Source::value(element_bits(bits, dtype), dtype);
}
constexpr int32_t signed_byte(uint64_t bits) { return static_cast<int8_t>(bits); }
constexpr int32_t signed_half(uint64_t bits) { return static_cast<int16_t>(bits); }

}  // namespace tputwin::isa
