/* Operators of one's own for subnets on the host, as a library (C99):

     gcc -std=c99 -shared -fPIC -I PREFIX/include host_operators.c -o host_operators.so
     TPUTWIN_CPUOPS=./host_operators.so ./program

   Number 10001, "scale_shift": y = x * a + b, a and b two floats of the parameters.
   Number 10002, "positives": the values of x above 0, as many as there are.
   Number 17: a number of the vendor's compiler, as an operator of tputwin. */
#include <stdio.h>
#include <string.h>
#include <tputwin/host_operator.h>

enum { kFloat = 0, kScaleShift = 10001, kPositives = 10002, kVendorNumber = 17 };

static int64_t count(const tputwin_host_array_t* array) {
  int64_t product = 1;
  for (int32_t i = 0; i < array->num_dims; i++) product *= array->dims[i];
  return product;
}

static int32_t refuse(tputwin_host_call_t* call, const char* why) {
  snprintf(call->message, sizeof call->message, "%s", why);
  return 1;
}

static int32_t scale_shift(tputwin_host_call_t* call) {
  float by[2];
  if (call->param_bytes != sizeof by) return refuse(call, "the parameters are two floats");
  memcpy(by, call->param, sizeof by);
  const float* x = (const float*)call->inputs[0].data;
  float* y = (float*)call->outputs[0].data;
  const int64_t number = count(&call->inputs[0]);
  if ((uint64_t)number > call->outputs[0].capacity) return refuse(call, "x is larger than y");
  for (int64_t i = 0; i < number; i++) y[i] = x[i] * by[0] + by[1];
  call->outputs[0].num_dims = call->inputs[0].num_dims;
  memcpy(call->outputs[0].dims, call->inputs[0].dims, sizeof call->inputs[0].dims);
  return 0;
}

static int32_t positives(tputwin_host_call_t* call) {
  const float* x = (const float*)call->inputs[0].data;
  float* y = (float*)call->outputs[0].data;
  uint64_t found = 0;
  for (int64_t i = 0; i < count(&call->inputs[0]); i++) {
    if (!(x[i] > 0)) continue;
    if (found == call->outputs[0].capacity) return refuse(call, "there are more than y holds");
    y[found++] = x[i];
  }
  call->outputs[0].num_dims = 1;
  call->outputs[0].dims[0] = (int32_t)found;
  return 0;
}

int32_t tputwin_host_operators_version(void) { return TPUTWIN_HOST_OPERATORS_VERSION; }

const char* tputwin_host_operator_name(int32_t op_type) {
  if (op_type == kScaleShift) return "scale_shift";
  return op_type == kPositives ? "positives" : NULL;
}

int32_t tputwin_host_operator_run(tputwin_host_call_t* call) {
  if (call->num_inputs != 1 || call->num_outputs != 1 || call->inputs[0].type != kFloat ||
      call->outputs[0].type != kFloat)
    return refuse(call, "one fp32 input and one fp32 output are wanted");
  return call->op_type == kScaleShift ? scale_shift(call) : positives(call);
}

/* Reads the parameters: k, an int. */
int32_t tputwin_host_operator_text(int32_t op_type, const void* param, uint64_t param_bytes,
                                   char* text, uint64_t text_bytes) {
  int32_t k;
  if (op_type != kVendorNumber || param_bytes != sizeof k) return 1;
  memcpy(&k, param, sizeof k);
  return snprintf(text, text_bytes, "topk k=%d", (int)k) > 0 ? 0 : 1;
}
