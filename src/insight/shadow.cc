// Marks memories that the host holds a pointer into.
#include "insight/shadow.h"

namespace tputwin::insight {

void Shadow::fill(const ByteRange& range, CommandId id) {
  of(range).update(range.begin, range.end, [id](Touched& touched, uint64_t, uint64_t) {
    if (touched.writer == 0) touched.writer = id;
  });
}

void Shadow::fill_chip(CommandId id) {
  for (uint32_t lane = 0; lane < chip_.lanes; ++lane)
    fill({Space::local, lane, 0, chip_.lane_bytes}, id);
  fill({Space::l2, 0, 0, chip_.l2.bytes + chip_.l2_tables}, id);
  fill({Space::dtcm, 0, 0, chip_.dtcm.bytes}, id);
}

}  // namespace tputwin::insight
