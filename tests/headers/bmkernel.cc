// The program bmkernel.c as C++11.
#include "bmkernel.c"
