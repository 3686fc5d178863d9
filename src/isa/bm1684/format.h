// The functions of the BM1684's streams that isa/streams uses.
#pragma once

#include "isa/streams/format.h"

namespace tputwin::isa::bm1684_streams {

// Defined in decode.cc.
Result<OneCommand> decode_tiu_command(std::span<const uint8_t> bytes, const Chip& chip);
Result<OneCommand> decode_gdma_command(std::span<const uint8_t> bytes, const Chip& chip,
                                       const StreamOptions& options);
// Defined in encode.cc.
Result<std::vector<uint8_t>> encode_command(const Instruction& instruction, const Chip& chip);
// Returns the function that becomes the command, or a description if there is none. Defined in
// text.cc.
std::string function_name(const Instruction& instruction, const Chip& chip);

inline constexpr StreamFormat kFormat{.decode_tiu = decode_tiu_command,
                                      .decode_gdma = decode_gdma_command,
                                      .encode = encode_command,
                                      .end = nullptr,
                                      .function_name = function_name,
                                      .tiu_number = "cmd_id_tpu",
                                      .gdma_number = "cmd_id",
                                      .tiu_wait = "cmd_id_gdma",
                                      .gdma_wait = "eng0_sync_id",
                                      .number_bits = 16};

}  // namespace tputwin::isa::bm1684_streams
