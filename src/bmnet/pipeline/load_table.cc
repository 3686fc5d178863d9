// Pass load_table: the calibration table of a file, else the net's own thresholds.
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status load_table(Compilation& c) {
  if (!c.source.table) {
    c.table = c.own_thresholds;
    return {};
  }
  TW_ASSIGN_OR_RETURN(table, read_table_file(*c.source.table));
  c.table = std::move(table);
  return {};
}

}  // namespace tputwin::net::pass
