// Places of operands out of the fields of BM1684 commands: lanes counted from the base of local
// memory, cells of packed elements, tables in L2.
#pragma once

#include <initializer_list>

#include "isa/bm1684/operand_fields.h"

namespace tputwin::isa::bm1684_streams {

// Commands name tables by their place in L2, whose first byte this is; tables begin there.
constexpr uint64_t kL2Start = 0x1000'0000, kFirstTable = 0x30'0000;

// Elements of consecutive images in a cell of 4 bytes: 4N, 2N, or one word.
constexpr uint8_t pack_of(DType dtype) { return static_cast<uint8_t>(4 / element_bytes(dtype)); }

class Reader : public CommandReader {
 public:
  explicit Reader(const TiuCommand& command, const Chip& chip)
      : CommandReader(chip), command_(command) {}

  const TiuCommand& command() const { return command_; }

  // Values that a field has in everything recorded of an operation; others are refused.
  void only(const TiuField& field, std::initializer_list<uint64_t> values);

  DType data_type(const OperandFields& fields);
  // The same of a type that only its bits count of, or of fp32 in every operand given.
  DType word_type(const OperandFields& fields);
  void all_f32(std::initializer_list<const OperandFields*> operands);
  bool is_constant(const OperandFields& fields) const;

  Shape result_shape();  // res0_n, c, h, w

  // lane * lane_bytes + byte. Without the base of local memory: packed operands of class 3 only.
  Named lanes(const OperandFields& fields, bool may_lack_base = false);
  TensorView aligned(const OperandFields& fields, const Shape& shape, DType dtype,
                     uint8_t pack = 1);
  TensorView compact(const OperandFields& fields, const Shape& shape, DType dtype,
                     uint8_t pack = 1);
  TensorView per_channel(const OperandFields& fields, uint32_t channels, DType dtype);
  // By the layout code, which is aligned or strided.
  TensorView placed(const OperandFields& fields, const Shape& shape, DType dtype, uint8_t pack = 1,
                    bool may_lack_base = false);
  // 4N or 2N; of operands with one image that image serves all.
  TensorView packed(const OperandFields& fields, const Shape& shape, DType dtype);
  MatrixView matrix(const OperandFields& fields, uint32_t rows, uint32_t channels,
                    uint32_t per_channel, DType dtype);
  // `count` words in L2 at the offset that the address is.
  TensorView table(const OperandFields& fields, uint32_t count);

 private:
  const TiuCommand& command_;
};

}  // namespace tputwin::isa::bm1684_streams
