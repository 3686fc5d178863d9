// Reads views of operands from the fields of BM1684 commands: lanes counted from the base of local
// memory, cells of packed elements, tables in L2.
#pragma once

#include <initializer_list>

#include "isa/bm1684/operand_fields.h"

namespace tputwin::isa::bm1684_streams {

// Commands address tables by offsets from kL2Start. Tables begin at offset kFirstTable.
constexpr uint64_t kL2Start = 0x1000'0000, kFirstTable = 0x30'0000;

// Returns the elements of consecutive images in a cell of 4 bytes: 4 (4N), 2 (2N) or 1.
constexpr uint8_t pack_of(DType dtype) { return static_cast<uint8_t>(4 / element_bytes(dtype)); }

class Reader : public CommandReader {
 public:
  explicit Reader(const TiuCommand& command, const Chip& chip)
      : CommandReader(chip), command_(command) {}

  const TiuCommand& command() const { return command_; }

  // Refuses values of a field that no recorded command of the operation has.
  void only(const TiuField& field, std::initializer_list<uint64_t> values);

  DType data_type(const OperandFields& fields);
  // word_type() accepts any 32-bit type, as only bits matter. all_f32() requires fp32 operands.
  DType word_type(const OperandFields& fields);
  void all_f32(std::initializer_list<const OperandFields*> operands);
  bool is_constant(const OperandFields& fields) const;

  Shape result_shape();  // res0_n, c, h, w

  // Returns lane * lane_bytes + byte. Only packed operands of class 3 may lack the base of local
  // memory.
  Named lanes(const OperandFields& fields, bool may_lack_base = false);
  TensorView aligned(const OperandFields& fields, const Shape& shape, DType dtype,
                     uint8_t pack = 1);
  TensorView compact(const OperandFields& fields, const Shape& shape, DType dtype,
                     uint8_t pack = 1);
  TensorView per_channel(const OperandFields& fields, uint32_t channels, DType dtype);
  // Reads a view by its layout code, which must be aligned or strided.
  TensorView placed(const OperandFields& fields, const Shape& shape, DType dtype, uint8_t pack = 1,
                    bool may_lack_base = false);
  // Reads a 4N or 2N view. An operand with one image repeats it for all.
  TensorView packed(const OperandFields& fields, const Shape& shape, DType dtype);
  MatrixView matrix(const OperandFields& fields, uint32_t rows, uint32_t channels,
                    uint32_t per_channel, DType dtype);
  // Reads a table of `count` words in L2. The address field holds its offset.
  TensorView table(const OperandFields& fields, uint32_t count);

 private:
  const TiuCommand& command_;
};

}  // namespace tputwin::isa::bm1684_streams
