// Class numbers of the BM1684X's commands.
#pragma once

#include <cstdint>

namespace tputwin::isa::bm1684x_streams {

enum TiuClass : uint8_t {
  kConv = 0,
  kPord = 1,
  kMm = 2,
  kAr = 3,
  kRqdq = 4,
  kTransBc = 5,
  kSg = 6,
  kLar = 7,
  kSeg = 8,
  kSfu = 9,
  kLin = 10,
  kCmp = 13,
  kVc = 14,
  kSys = 15
};
constexpr uint64_t kTiuEnd = 31;    // the operation of kSys that ends a stream
constexpr uint64_t kFirstMm2 = 4;   // operations of kMm from 4 on are MM2
constexpr uint64_t kFirstSgl = 17;  // operations of kSg from 17 on are SGL

enum GdmaClass : uint8_t {
  kTensor = 0,
  kMatrix = 1,
  kMaskedSelect = 2,
  kGeneral = 3,
  kCwTranspose = 4,
  kNonzero = 5,
  kGdmaSys = 6,
  kGather = 7,
  kScatter = 8
};
constexpr uint64_t kGdmaEnd = 0, kGdmaIdle = 1;  // variants of kGdmaSys

}  // namespace tputwin::isa::bm1684x_streams
