// Pass load_table: reads the calibration table of a file, or else of the ONNX file, or else uses
// the thresholds of its quantized tensors.
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status load_table(Compilation& c) {
  if (!c.source.table && c.own_table.empty()) {
    c.table = c.own_thresholds;
    return {};
  }
  if (!c.source.table) {
    auto own =
        read_table({reinterpret_cast<const uint8_t*>(c.own_table.data()), c.own_table.size()});
    if (!own.ok()) return Error(own.error()).argument("metadata", "bm1880_ctable");
    c.table = std::move(*own);
    return {};
  }
  TW_ASSIGN_OR_RETURN(table, read_table_file(*c.source.table));
  c.table = std::move(table);
  return {};
}

}  // namespace tputwin::net::pass
