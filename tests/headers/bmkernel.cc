// The same program as C++11.
#include "bmkernel.c"
