// What the C library calls it.
#include "base/heap.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tputwin {

void give_back_heap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace tputwin
