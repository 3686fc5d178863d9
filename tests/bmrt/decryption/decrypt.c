/* A decryption library for bmrt_load_bmodel_with_decrypt_lib: adds one to each byte. */
#include <stdint.h>
#include <stdlib.h>

uint8_t* decrypt(const uint8_t* data, uint64_t size, uint64_t* decrypted_size);

uint8_t* decrypt(const uint8_t* data, uint64_t size, uint64_t* decrypted_size) {
  uint8_t* result = malloc(size);
  uint64_t i;
  if (result == NULL) return NULL;
  for (i = 0; i < size; ++i) result[i] = (uint8_t)(data[i] + 1);
  *decrypted_size = size;
  return result;
}
