/* Matrix products. (SDK 1.1; C99 and C++11) */
#ifndef LIBBMBLAS_BMBLAS_API_H
#define LIBBMBLAS_BMBLAS_API_H

#include <libbmblas/bmblas_api_1880.h>

#endif
