// Fast bodies. Each overload returns false when no fast body covers the operands at hand (or the
// instruction set in force has none); the caller then runs the reference body. A fast body leaves
// exactly the bytes of the reference body; tests/differential proves it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory/memory.h"

namespace tputwin {

struct Conv2d;
struct Winograd2d;
struct Depthwise2d;
struct Pool2d;
struct MatrixMac;
struct MatrixMac2;
struct Elementwise;
struct Mdsum;
struct Lut;
struct DmaTensor;
struct DmaMatrix;
struct DmaLrnShift;
struct DmaWinogradKernel;
struct Conv2dF32;
struct Depthwise2dF32;
struct Pool2dF32;
struct MatmulF32;
struct FloatArithmetic;
struct UnaryF32;
struct ChannelAffine;
struct Int8ToF32;
struct Select;
struct Bitwise;
struct FixedPoint;
struct SplitByte;
struct Mul16By8;
struct MulS16ByU8;
struct Copy;
struct CopyMatrix;
struct MatmulInt;
struct MatmulGrouped;
struct MatmulFloat;
struct Pool2dQuant;
struct Pool2dFloat;
struct Depthwise2dQuant;
struct Depthwise2dFloat;
struct Conv2dQuant;
struct Conv2dFloat;
struct TableLookup;
struct LoadTable;
struct Sequence;
struct Sort;
struct MaskSelect;
struct Scatter;
struct Gather;
struct Rearrange;
struct Requantise;
struct Convert;
struct Unary;
struct IntArithmetic;
struct FloatFunction;

namespace fast {

bool execute(const Conv2d&, const Memory&);
bool execute(const Winograd2d&, const Memory&);
bool execute(const Depthwise2d&, const Memory&);
bool execute(const Pool2d&, const Memory&);
bool execute(const MatrixMac&, const Memory&);
bool execute(const MatrixMac2&, const Memory&);
bool execute(const Elementwise&, const Memory&);
bool execute(const Mdsum&, const Memory&);
bool execute(const Lut&, const Memory&);
bool execute(const DmaTensor&, const Memory&);
bool execute(const DmaMatrix&, const Memory&);
bool execute(const DmaLrnShift&, const Memory&);
bool execute(const DmaWinogradKernel&, const Memory&);
bool execute(const Conv2dF32&, const Memory&);
bool execute(const Depthwise2dF32&, const Memory&);
bool execute(const Pool2dF32&, const Memory&);
bool execute(const MatmulF32&, const Memory&);
bool execute(const FloatArithmetic&, const Memory&);
bool execute(const UnaryF32&, const Memory&);
bool execute(const ChannelAffine&, const Memory&);
bool execute(const Int8ToF32&, const Memory&);
bool execute(const Select&, const Memory&);
bool execute(const Bitwise&, const Memory&);
bool execute(const FixedPoint&, const Memory&);
bool execute(const SplitByte&, const Memory&);
bool execute(const Mul16By8&, const Memory&);
bool execute(const MulS16ByU8&, const Memory&);
bool execute(const Copy&, const Memory&);
bool execute(const CopyMatrix&, const Memory&);
bool execute(const MatmulInt&, const Memory&);
bool execute(const MatmulGrouped&, const Memory&);
bool execute(const MatmulFloat&, const Memory&);
bool execute(const Pool2dQuant&, const Memory&);
bool execute(const Pool2dFloat&, const Memory&);
bool execute(const Depthwise2dQuant&, const Memory&);
bool execute(const Depthwise2dFloat&, const Memory&);
bool execute(const Conv2dQuant&, const Memory&);
bool execute(const Conv2dFloat&, const Memory&);
bool execute(const TableLookup&, const Memory&);
bool execute(const LoadTable&, const Memory&);
bool execute(const Sequence&, const Memory&);
bool execute(const Sort&, const Memory&);
bool execute(const MaskSelect&, const Memory&);
bool execute(const Scatter&, const Memory&);
bool execute(const Gather&, const Memory&);
bool execute(const Rearrange&, const Memory&);
bool execute(const Requantise&, const Memory&);
bool execute(const Convert&, const Memory&);
bool execute(const Unary&, const Memory&);
bool execute(const IntArithmetic&, const Memory&);
bool execute(const FloatFunction&, const Memory&);

// Instruction sets that bodies can be forced to: "reference", then Highway target names of this
// host ("sse4", "avx2", "avx512", "avx512_vnni", ...), and "onednn" where the library is used.
// Chosen by the environment variable TPUTWIN_ISA or select_isa(); default: the best available.
std::span<const std::string> available_isas();
std::string_view selected_isa();
bool select_isa(std::string_view isa);  // false: not available on this host; "" = best

}  // namespace fast
}  // namespace tputwin
