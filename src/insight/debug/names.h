// Names of tensors and bytes: how users write them, and how they are printed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "insight/debug/debugger.h"

namespace tputwin::debug {

struct NamedView {
  std::string name;
  TensorView view;
};

// Parses "f32(1,3,60,75)@L+0x0 stride(0,0,75,1)", as the disassembly prints it: types, spaces L, G,
// L2 and DTCM, strides in elements. Without strides the default layout is used. Also accepts "pack
// 4".
std::optional<TensorView> parse_view(const std::string& text, const Chip& chip);
// The command whose operand a text names, or nullptr, and how messages call it.
struct NamedCommand {
  const Entry* entry;
  std::string text;
};
// Finds the command of NAME (the next one), last.NAME or #N.NAME.
NamedCommand command_of(const Debugger& debugger, const std::string& text);
// Finds a view, or an operand: NAME of the next command, last.NAME, #N.NAME.
std::optional<NamedView> find_view(const Debugger& debugger, const std::string& text);
// Finds "G+0x100:16", "L3+0x10:4" (in lane 3), "L+0x10:4" (addresses as in views), or all bytes of
// a view.
std::optional<std::vector<ByteRange>> find_bytes(const Debugger& debugger, const std::string& text);
// Parses "(n,c,h,w)" or "n,c,h,w".
std::optional<Shape> parse_index(const std::string& text);

std::string describe(const ByteRange& range);  // "L3+0x10:4"
// Returns for example "G+0x10:4 (0x100000010)": with the address that kernels of the chip use.
std::string describe(const ByteRange& range, const Chip& chip);
// Returns the text of an operation for readers: constants of float operations as numbers with their
// bits, and global memory with the address that kernels use. parse_view() reads its views.
std::string operation_text(const Operation& op, const Chip& chip);
// Returns the begin of a view as "L+0x10", which find_bytes reads.
std::string place_of(const TensorView& view);
// Returns at most `count` bytes of the memory that contains a range, from `offset` bytes after its
// begin. Lanes follow each other. `address` receives the address of the first byte.
std::vector<uint8_t> bytes_from(const Debugger& debugger, const ByteRange& range, int64_t offset,
                                uint64_t count, uint64_t& address);
// Returns for example "#12 okk_bdc_add_C, command 3 of softmax (compute)", or "the host".
std::string headline(Debugger& debugger, const Entry& entry);
// Returns the user's lines, innermost first, indented.
std::string lines_of(const UserCode& code);
std::string lines_of(Debugger& debugger, const Entry& entry);

}  // namespace tputwin::debug
