// Fast bodies. Each overload returns false when no fast body covers the operands at hand (or the
// instruction set in force has none); the caller then runs the reference body. A fast body leaves
// exactly the bytes of the reference body; tests/differential proves it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory/memory.h"

namespace tputwin {

struct Conv2dBm1880;
struct Winograd2d;
struct Depthwise2dBm1880;
struct Pool2dBm1880;
struct MatrixMac;
struct MatrixMac2;
struct Elementwise;
struct Mdsum;
struct Lut;
struct DmaTensor;
struct DmaMatrix;
struct DmaLrnShift;
struct DmaWinogradKernel;
struct Conv2dBm1684;
struct Depthwise2dBm1684;
struct Pool2dBm1684;
struct MatmulBm1684;
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
struct MatmulBm1684xInt;
struct MatmulBm1684xHalf;
struct MatmulBm1684xFp32;
struct Pool2dBm1684xInt8;
struct Pool2dBm1684xFloat;
struct Depthwise2dBm1684xInt8;
struct Depthwise2dBm1684xFloat;
struct Conv2dBm1684xInt8;
struct Conv2dBm1684xFloat;
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

bool execute(const Conv2dBm1880&, const Memory&);
bool execute(const Winograd2d&, const Memory&);
bool execute(const Depthwise2dBm1880&, const Memory&);
bool execute(const Pool2dBm1880&, const Memory&);
bool execute(const MatrixMac&, const Memory&);
bool execute(const MatrixMac2&, const Memory&);
bool execute(const Elementwise&, const Memory&);
bool execute(const Mdsum&, const Memory&);
bool execute(const Lut&, const Memory&);
bool execute(const DmaTensor&, const Memory&);
bool execute(const DmaMatrix&, const Memory&);
bool execute(const DmaLrnShift&, const Memory&);
bool execute(const DmaWinogradKernel&, const Memory&);
bool execute(const Conv2dBm1684&, const Memory&);
bool execute(const Depthwise2dBm1684&, const Memory&);
bool execute(const Pool2dBm1684&, const Memory&);
bool execute(const MatmulBm1684&, const Memory&);
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
bool execute(const MatmulBm1684xInt&, const Memory&);
bool execute(const MatmulBm1684xHalf&, const Memory&);
bool execute(const MatmulBm1684xFp32&, const Memory&);
bool execute(const Pool2dBm1684xInt8&, const Memory&);
bool execute(const Pool2dBm1684xFloat&, const Memory&);
bool execute(const Depthwise2dBm1684xInt8&, const Memory&);
bool execute(const Depthwise2dBm1684xFloat&, const Memory&);
bool execute(const Conv2dBm1684xInt8&, const Memory&);
bool execute(const Conv2dBm1684xFloat&, const Memory&);
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
