/* bmrt from C99: every kind of argument, on a runtime without nets. */
#include <bmruntime_interface.h>
#include <stdlib.h>
#include <string.h>
#include <tputwin/host_operator.h>

int main(void) {
  const int dims[] = {2, 3};
  bm_handle_t device;
  void* bmrt;
  bm_shape_t shape;
  bm_tensor_t tensor, none;
  const char** names = NULL;
  int bad = 0;
  if (bm_dev_request(&device, 0) != BM_SUCCESS) return 1;
  bmrt = bmrt_create(device);
  bmrt_shape(&shape, dims, 2);
  bad |= bmrt_shape_count(&shape) != 6;
  bad |= !bmrt_tensor(&tensor, bmrt, BM_FLOAT32, shape) || bmrt_tensor_bytesize(&tensor) != 24;
  memset(&none, 0, sizeof none);
  bad |= bmrt_launch_tensor(bmrt, "none", &tensor, 1, &none, 1);
  bad |= bmrt_load_bmodel(bmrt, "/no/such.bmodel");
  bmrt_get_network_names(bmrt, &names);
  bad |= names == NULL || bmrt_get_network_number(bmrt) != 0;
  free((void*)names);
  bad |= bmrt_get_network_info(bmrt, "none") != NULL;
  bm_free_device(device, tensor.device_mem);
  bmrt_destroy(bmrt);
  bm_dev_free(device);
  return bad;
}
