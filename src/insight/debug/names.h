// Names: what people call tensors and bytes, and how they are shown to them.
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

// "f32(1,3,60,75)@L+0x0 stride(0,0,75,1)", as the disassembly has it: types, spaces L, G, L2 and
// DTCM, strides in elements; without strides those of the default layout. Also "pack 4".
std::optional<TensorView> parse_view(const std::string& text, const Chip& chip);
// A view, or an operand: NAME of the next command, last.NAME, #N.NAME.
std::optional<NamedView> find_view(const Debugger& debugger, const std::string& text);
// "G+0x100:16", "L3+0x10:4" (in lane 3), "L+0x10:4" (as views count), or all bytes of a view.
std::optional<std::vector<ByteRange>> find_bytes(const Debugger& debugger, const std::string& text);
// "(n,c,h,w)" or "n,c,h,w".
std::optional<Shape> parse_index(const std::string& text);

std::string describe(const ByteRange& range);  // "L3+0x10:4"
// Where a view begins: "L+0x10", which find_bytes reads.
std::string place_of(const TensorView& view);
// At most so many bytes of the memory that a range lies in, `offset` bytes behind its first; lane
// behind lane. `address`: of the first of them there.
std::vector<uint8_t> bytes_behind(const Debugger& debugger, const ByteRange& range, int64_t offset,
                                  uint64_t count, uint64_t& address);
// "#12 okk_bdc_add_C, command 3 of softmax (compute)"; "the host".
std::string headline(Debugger& debugger, const Entry& entry);
// The user's lines, innermost first, indented.
std::string lines_of(Debugger& debugger, const Entry& entry);

}  // namespace tputwin::debug
