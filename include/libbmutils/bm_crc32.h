/* CRC-32 (polynomial 0x04C11DB7 reflected, as in zlib and Ethernet). C99 and C++11. */
#ifndef LIBBMUTILS_BM_CRC32_H
#define LIBBMUTILS_BM_CRC32_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t bm_crc32(const void* buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif
