// The encoders of the BM1684X's GDMA operations.
#pragma once

#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/writer.h"

namespace tputwin::isa::bm1684x_streams {

struct GdmaWriter {
  const Chip& chip;
  GdmaCommand command = {};
  std::optional<Error> error = {};

  void require(bool holds, std::string_view operand, std::string value) {
    if (!holds && !error)
      error = Error(errors::isa_stream_no_command).argument(operand, std::move(value));
  }
};

void encode(const Copy&, GdmaWriter&);
void encode(const CopyToBanks&, GdmaWriter&);
void encode(const Rearrange&, GdmaWriter&);
void encode(const CopyMatrix&, GdmaWriter&);
void encode(const MaskSelect&, GdmaWriter&);
void encode(const Gather&, GdmaWriter&);
void encode(const Scatter&, GdmaWriter&);

}  // namespace tputwin::isa::bm1684x_streams
