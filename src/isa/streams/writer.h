// Common parts of the encoders of both chips.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/errors/isa.h"
#include "chip/chip.h"
#include "ops/contract/window.h"

namespace tputwin::isa {

// A GDMA command being encoded. The first operand that no field can express becomes the error.
template <class Command>
struct GdmaCommandWriter {
  const Chip& chip;
  Command command = {};
  std::optional<Error> error = {};

  void require(bool holds, std::string_view operand, std::string value) {
    if (!holds && !error)
      error = Error(errors::isa_stream_no_command).argument(operand, std::move(value));
  }
};

// Writes the kernel, strides, dilation, padding and inserted zeros of a window.
template <class TiuWriter>
void write_window(const Window& window, TiuWriter& w) {
  auto& c = w.command;
  c.opd1_h = window.h.kernel;
  c.opd1_w = window.w.kernel;
  c.res_op_y_str = window.h.stride;
  c.res_op_x_str = window.w.stride;
  c.opd1_y_ins0 = window.h.dilation - 1;
  c.opd1_x_ins0 = window.w.dilation - 1;
  c.opd0_up_pad = window.h.pad_before;
  c.opd0_dn_pad = window.h.pad_after;
  c.opd0_lf_pad = window.w.pad_before;
  c.opd0_rt_pad = window.w.pad_after;
  c.opd0_y_ins0 = window.h.insert;
  c.opd0_x_ins0 = window.w.insert;
  w.require(window.h.insert_last == 0 && window.w.insert_last == 0, "insert", "last");
}

}  // namespace tputwin::isa
