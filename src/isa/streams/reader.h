// What the decoders of the BM1684's and BM1684X's commands have in common: types, extents and
// places of operands out of field values, each checked. The first value that cannot be becomes the
// error; after it the makers return anything.
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

// Type codes (*_prec, *_data_format) and layout codes (*_str) as fields hold them.
enum TypeCode : uint8_t { kInt8, kFp16, kFp32, kInt16, kInt32, kBf16 };
enum LayoutCode : uint8_t { kAligned, kCompact, kPerChannel, kStrided, kOneForAll };

// The strides of an operand as its fields give them, in elements.
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
  // Whether the value may be; the first that may not is the error.
  bool require(bool holds, ErrorId rule, const Named& named);
  // Refuses a value whose effect no document and no recording shows; `why` says what is not known.
  bool supports(bool holds, const Named& named, std::string_view why = "");
  // Counts a value that no recording confirms and that is executed; `meaning`: what it is taken
  // for, as a clause of static storage.
  void unconfirmed(bool is_form, const Named& named, std::string_view meaning);
  // The forms counted so far, as those of a command.
  std::vector<UnconfirmedForm> forms(std::string_view command) const;

  // Signedness is apart from the code; floating-point types have none.
  DType type(const Named& code, bool is_signed);
  DType float_type(const Named& code);
  DType int_type(const Named& code, bool is_signed);
  // The same width as bits: unsigned.
  DType bits_type(const Named& code);
  Rounding rounding(const Named& code);
  // Extents from 1 on.
  uint32_t extent(const Named& named);
  Shape shape(const Named& n, const Named& c, const Named& h, const Named& w);

  // Operands in local memory, `address` being lane * lane_bytes + byte. `pack`: elements of
  // consecutive n in a cell, in 4N and 2N; strides count cells.
  TensorView dense(const Named& address, const Shape& shape, DType dtype, bool is_aligned,
                   uint8_t pack = 1);
  TensorView aligned(const Named& address, const Shape& shape, DType dtype);
  TensorView compact(const Named& address, const Shape& shape, DType dtype);
  // Rows start at multiples of 64 bytes.
  TensorView line_aligned(const Named& address, const Shape& shape, DType dtype);
  // [1,C,1,1] compact, as a view of the whole shape that repeats it.
  TensorView per_channel(const Named& address, const Shape& shape, DType dtype);
  // By a layout code.
  TensorView placed(const Named& address, const Named& layout, const Shape& shape, DType dtype,
                    const ElementStrides& strides, uint8_t pack = 1);
  // The same `len` elements in every lane from that of `beside` on.
  TensorView per_lane(const Named& address, uint32_t len, DType dtype, const TensorView& beside);
  // rows x cols, per_channel columns in a channel; all columns of the last channel belong to it.
  MatrixView lane_matrix(const Named& address, uint32_t rows, uint32_t channels,
                         uint32_t per_channel, DType dtype);

  // An operand of the GDMA: local memory, L2 or global memory. No strides: the aligned layout
  // there, the continuous one here.
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

// The bits of a constant as an element of a type: sign or zero extended. The bits above may be
// anything.
uint32_t element_bits(uint64_t bits, DType dtype);
inline Source constant_source(uint64_t bits, DType dtype) {
  return Source::value(element_bits(bits, dtype), dtype);
}
constexpr int32_t signed_byte(uint64_t bits) { return static_cast<int8_t>(bits); }
constexpr int32_t signed_half(uint64_t bits) { return static_cast<int16_t>(bits); }

}  // namespace tputwin::isa
