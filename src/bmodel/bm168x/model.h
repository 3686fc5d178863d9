// The container of bmodels for BM1684 and BM1684X: a message (flatbuffer) and a binary part. flatc
// makes the structures from bm168x.fbs, so a field here is a field of the file. Absent vectors are
// empty, absent tables and binaries null.
//
// docs/bmodel168x.md describes the fields.
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

// Values of a tensor's data_type.
enum class ElementType : uint32_t { f32, f16, i8, u8, i16, u16, i32, u32, bf16, i4, u4 };
inline constexpr uint32_t kElementTypes = 11;
// Values of gmem_stmode: images one by one, in pairs, in groups of four.
enum class Storage : int32_t { n1, n2, n4 };
enum class SubnetMode : int32_t { tpu, cpu, merge, switch_branch };
enum class AddressMode : int32_t { basic, io_alone, io_tag, io_tag_fuse, io_reloc };

std::string_view to_string(ElementType type);  // "fp32"
std::string_view to_string(SubnetMode mode);
std::string_view to_string(AddressMode mode);
uint64_t element_bits(ElementType type);

// The tensors must have passed validate().
ElementType element_type(const TensorT& tensor);
std::span<const uint64_t> shape(const TensorT& tensor);
uint64_t element_count(const TensorT& tensor);
// Returns elements x type size: the bytes that users pass and get.
uint64_t tensor_bytes(const TensorT& tensor);

// A model, and the bytes that its binaries are parts of. The file owns the bytes.
struct File {
  ModelT model;
  std::span<const uint8_t> binary;

  // Returns the bytes of a binary; empty if it is absent.
  std::span<const uint8_t> bytes(const std::unique_ptr<Binary>& part) const;
};

// Returns the chip that a model names; nullptr if the chip is unknown. "BM1686" is an old name of
// the BM1684X.
const Chip* chip_of(const ModelT& model);
const Chip* chip_named(std::string_view name);  // chip_of() for a name
// Returns true if nets of a mode are known for a chip, and run.
bool runs(AddressMode mode, const Chip& chip);
// Returns the address at which compiled coefficients begin.
uint64_t compiled_base(const Chip& chip);
// Returns the bytes of all neuron memory of a stage.
uint64_t neuron_bytes(const NetParameterT& stage);
// Returns true if a stage is dynamic. A stage without subnets is one TPU subnet with the stage's
// tensors.
bool is_dynamic(const NetParameterT& stage);

// Returns true if a file begins like this container.
bool has_frame(std::span<const uint8_t> file);
// Returns the chip that a file names, known or not; empty if its message does not verify.
std::string chip_name(std::span<const uint8_t> file);
// Verifies, reads and validates a file. Checks every start, size, count and address. An error names
// the field and its value.
Result<File> read(std::span<const uint8_t> file);
// Checks a model whose binary part has `binary_bytes` bytes.
Status validate(const ModelT& model, uint64_t binary_bytes);
// Returns the file of a model. The model is not checked.
std::vector<uint8_t> write(const ModelT& model, std::span<const uint8_t> binary);

// Returns the message of a valid file as JSON text, with every field that is present. Names are
// those of bm168x.fbs.
std::string message_text(std::span<const uint8_t> file);

}  // namespace tputwin::bmodel::bm168x
