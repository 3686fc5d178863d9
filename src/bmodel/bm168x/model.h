// The container of bmodels for BM1684 and BM1684X: a message (flatbuffer) and a binary part. The
// structures are those that flatc makes of bm168x.fbs, so a field here is a field of the file;
// absent vectors are empty, absent tables and binaries null.
//
// docs/bmodel168x.md says what the fields mean.
#pragma once

#include <bmodel/bm168x/bm168x_generated.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "chip/chip.h"

namespace tputwin::bmodel::bm168x {

// What data_type of a tensor counts.
enum class ElementType : uint32_t { f32, f16, i8, u8, i16, u16, i32, u32, bf16, i4, u4 };
inline constexpr uint32_t kElementTypes = 11;
// What gmem_stmode counts: images one by one, in pairs, in groups of four.
enum class Storage : int32_t { n1, n2, n4 };
enum class SubnetMode : int32_t { tpu, cpu, merge, switch_branch };
enum class AddressMode : int32_t { basic, io_alone, io_tag, io_tag_fuse, io_reloc };

std::string_view to_string(ElementType type);  // "fp32"
std::string_view to_string(SubnetMode mode);
std::string_view to_string(AddressMode mode);
uint64_t element_bits(ElementType type);

// Of tensors that passed validate().
ElementType element_type(const TensorT& tensor);
std::span<const uint64_t> shape(const TensorT& tensor);
uint64_t element_count(const TensorT& tensor);
uint64_t tensor_bytes(const TensorT& tensor);  // elements x type size, what users get and give

// A model and the bytes that its binaries are parts of, which stay the file's.
struct File {
  ModelT model;
  std::span<const uint8_t> binary;

  // Empty for an absent one.
  std::span<const uint8_t> bytes(const std::unique_ptr<Binary>& part) const;
};

// The chip that a model names ("BM1686" is an old name of the BM1684X); nullptr if it is another.
const Chip* chip_of(const ModelT& model);
const Chip* chip_named(std::string_view name);  // the same
// Whether nets of a mode are known of a chip, and run.
bool runs(AddressMode mode, const Chip& chip);
// Where compiled coefficients begin.
uint64_t compiled_base(const Chip& chip);
// All neuron memory of a stage.
uint64_t neuron_bytes(const NetParameterT& stage);
// A stage without subnets is one TPU subnet of the stage's tensors.
bool is_dynamic(const NetParameterT& stage);

// Whether a file begins as one of this container.
bool has_frame(std::span<const uint8_t> file);
// The chip that a file names, known or not; empty if its message does not verify.
std::string chip_name(std::span<const uint8_t> file);
// Verifies, reads and validates: every start, size, count and address is checked, an error names
// the field and its value.
Result<File> read(std::span<const uint8_t> file);
// What must hold of a model whose binary part has so many bytes.
Status validate(const ModelT& model, uint64_t binary_bytes);
// The file of a model, which is not judged.
std::vector<uint8_t> write(const ModelT& model, std::span<const uint8_t> binary);

// The model of a valid file as JSON text, with every field that is there, names as in bm168x.fbs.
std::string message_text(std::span<const uint8_t> file);

}  // namespace tputwin::bmodel::bm168x
