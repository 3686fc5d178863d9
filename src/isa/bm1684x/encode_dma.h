// Encoders of the BM1684X's GDMA operations.
#pragma once

#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/writer.h"
#include "isa/streams/writer.h"

namespace tputwin::isa::bm1684x_streams {

using GdmaWriter = GdmaCommandWriter<GdmaCommand>;

void encode(const Copy&, GdmaWriter&);
void encode(const CopyToBanks&, GdmaWriter&);
void encode(const Rearrange&, GdmaWriter&);
void encode(const CopyMatrix&, GdmaWriter&);
void encode(const MaskSelect&, GdmaWriter&);
void encode(const Gather&, GdmaWriter&);
void encode(const Scatter&, GdmaWriter&);

}  // namespace tputwin::isa::bm1684x_streams
