/* A convolution larger than local memory, in tiles staged in the L2-SRAM.
 *
 * The output is made in tiles: some rows of kChannels output channels. A tile is the sum over
 * slices of kChannels input channels, which okk_bdc_conv2d adds up in local memory (result_add).
 * Each slice needs its part of the input rows and of the weights. So the input is read once for
 * every tile of output channels, and the weights once for every strip of rows. The L2-SRAM serves
 * these repeated reads: the weights, and each strip of the input, are copied to it once. */
#include <okk.h>

#include "conv2d.h"
#include "tiles.h"

/* one per NPU; even, because weights come in pairs of input channels */
enum { kChannels = 64 };

/* The whole job: extents that follow from the arguments, and the addresses of buffers. */
typedef struct {
  const conv2d_args_t* args;
  int output_h, output_w, pairs;
  int rows, strips, output_tiles,
      slices; /* rows of a strip, and numbers: strips of an image, ... */
  system_addr_t l2_weight, l2_input[2];
  local_addr_t input[2], weight[2], bias[2], output[2];
} job_t;

/* One slice of one tile. Steps of one tile follow each other. */
typedef struct {
  int image, half, y, rows;               /* half of the L2-SRAM, and output rows */
  int input_y, input_rows, top, bottom;   /* input rows they need, and padding beyond */
  int input_c, slice_c, output_c, tile_c; /* first channel and number of channels */
  bool first_of_strip, first, last;       /* of the steps that add to one tile */
} step_t;

/* Strips are numbered through all images. */
static void set_strip(const job_t* job, step_t* s, int strip) {
  const conv2d_args_t* p = job->args;
  int first, end;
  s->image = strip / job->strips;
  s->half = strip % 2;
  s->y = strip % job->strips * job->rows;
  s->rows = MIN(job->rows, job->output_h - s->y);
  first = s->y * p->stride - p->padding;
  end = (s->y + s->rows - 1) * p->stride - p->padding + p->kernel;
  s->top = MAX(0, -first);
  s->bottom = MAX(0, end - p->input_h);
  s->input_y = MAX(0, first);
  s->input_rows = MIN(end, p->input_h) - s->input_y;
}

static step_t step_number(const job_t* job, int i) {
  const conv2d_args_t* p = job->args;
  const int slice = i % job->slices, tile = i / job->slices % job->output_tiles;
  const int strip = i / job->slices / job->output_tiles;
  step_t s;
  set_strip(job, &s, strip);
  s.input_c = slice * kChannels;
  s.slice_c = MIN(kChannels, p->input_c - s.input_c);
  s.output_c = tile * kChannels;
  s.tile_c = MIN(kChannels, p->output_c - s.output_c);
  s.first = slice == 0;
  s.last = slice == job->slices - 1;
  s.first_of_strip = s.first && tile == 0;
  return s;
}

/* Bytes of a strip of `rows` output rows in the L2-SRAM, and of its tiles in an NPU. */
static int strip_input_rows(const conv2d_args_t* p, int rows) {
  return MIN(p->input_h, (rows - 1) * p->stride + p->kernel);
}
static unsigned int strip_bytes(const conv2d_args_t* p, int rows) {
  return (unsigned int)(p->input_c * strip_input_rows(p, rows) * p->input_w) * 4;
}
static unsigned int plane_bytes(int h, int w) { return (unsigned int)ALIGN(h * w, 32) * 4; }

/* Assigns all buffers, with as many rows in a strip as fit everywhere; false if none fits. */
static bool plan(job_t* job, const conv2d_args_t* p) {
  const int taps = p->kernel * p->kernel;
  const unsigned int weights = (unsigned int)(DIV_UP(p->input_c, 2) * p->output_c * taps) * 8;
  const unsigned int weight_slice = (unsigned int)ALIGN(kChannels / 2 * taps * 8, 128);
  unsigned int input = 0, output = 0, at;
  int i;
  job->args = p;
  job->pairs = DIV_UP(p->input_c, 2);
  job->output_h = (p->input_h + 2 * p->padding - p->kernel) / p->stride + 1;
  job->output_w = (p->input_w + 2 * p->padding - p->kernel) / p->stride + 1;
  for (job->rows = job->output_h; job->rows > 0; job->rows--) {
    input = plane_bytes(strip_input_rows(p, job->rows), p->input_w);
    output = plane_bytes(job->rows, job->output_w);
    if (2 * (input + output + weight_slice + 128) <= okk_local_mem_size_per_npu() &&
        weights + 2 * strip_bytes(p, job->rows) <= okk_l2_sram_size())
      break;
  }
  if (job->rows == 0) return false;
  job->strips = DIV_UP(job->output_h, job->rows);
  job->output_tiles = DIV_UP(p->output_c, kChannels);
  job->slices = DIV_UP(p->input_c, kChannels);
  job->l2_weight = okk_l2_sram_start_addr();
  for (i = 0, at = 0; i < 2; i++) {
    job->l2_input[i] = job->l2_weight + weights + i * strip_bytes(p, job->rows);
    job->input[i] = at;
    job->output[i] = at + input;
    job->weight[i] = at + input + output;
    job->bias[i] = at + input + output + weight_slice;
    at += input + output + weight_slice + 128;
  }
  return true;
}

/* Copies a strip of the input from global memory to the L2-SRAM, where its rows are contiguous. */
static void stage_strip(const job_t* job, const step_t* s) {
  const conv2d_args_t* p = job->args;
  const dim4 shape = {1, p->input_c, s->input_rows, p->input_w};
  const dim4 stride = {0, p->input_h * p->input_w, p->input_w, 1};
  const system_addr_t from =
      p->input +
      (((system_addr_t)s->image * p->input_c * p->input_h) + s->input_y) * p->input_w * 4;
  okk_gdma_32bit_cpy_S2S(job->l2_input[s->half], from, &shape, NO_STRIDE, &stride);
}

/* Loads the operands of a step from the L2-SRAM to local memory. */
static void load(const job_t* job, const step_t* s, int buffer) {
  const conv2d_args_t* p = job->args;
  const int plane = s->input_rows * p->input_w, taps = p->kernel * p->kernel;
  const dim4 input = {1, s->slice_c, s->input_rows, p->input_w};
  okk_gdma_32bit_cpy_S2L(job->input[buffer],
                         job->l2_input[s->half] + (system_addr_t)s->input_c * plane * 4, &input,
                         NO_STRIDE, NO_STRIDE);
  /* pairs of input channels are the outermost dimension of weights, and w holds the pair */
  const dim4 weight = {DIV_UP(s->slice_c, 2), s->tile_c, taps, 2};
  const dim4 from = {p->output_c * taps * 2, taps * 2, 2, 1};
  dim4 to;
  okk_compact_stride(&to, 0, &weight);
  okk_gdma_32bit_cpy_S2L(
      job->weight[buffer],
      job->l2_weight + ((system_addr_t)s->input_c / 2 * p->output_c + s->output_c) * taps * 8,
      &weight, &to, &from);
  if (s->last) {
    const dim4 bias = {1, s->tile_c, 1, 1};
    okk_compact_stride(&to, 0, &bias);
    okk_gdma_32bit_cpy_S2L(job->bias[buffer], p->bias + (system_addr_t)s->output_c * 4, &bias, &to,
                           NO_STRIDE);
  }
}

static void compute(const job_t* job, const step_t* s, int buffer, int output) {
  const conv2d_args_t* p = job->args;
  const dim4 input = {1, s->slice_c, s->input_rows, p->input_w};
  const dim4 pairs = {DIV_UP(s->slice_c, 2), s->tile_c, p->kernel, p->kernel};
  const Padding padding = {s->top, s->bottom, p->padding, p->padding};
  const dim2 stride = {p->stride, p->stride};
  dim4 kernel_stride;
  okk_compact_stride(&kernel_stride, 0, &pairs);
  okk_bdc_conv2d(job->output[output], job->input[buffer], job->weight[buffer], job->bias[buffer],
                 &input, s->tile_c, p->kernel, p->kernel, NO_STRIDE, &kernel_stride,
                 /*using_bias=*/s->last, /*result_add=*/!s->first, &padding, &stride, 0);
}

static void store(const job_t* job, const step_t* s, int output) {
  const conv2d_args_t* p = job->args;
  const int plane = job->output_h * job->output_w;
  const dim4 shape = {1, s->tile_c, s->rows, job->output_w};
  const dim4 stride = {0, plane, job->output_w, 1};
  const system_addr_t first = ((system_addr_t)s->image * p->output_c + s->output_c) * plane;
  okk_gdma_32bit_cpy_L2S(p->output + (first + (system_addr_t)s->y * job->output_w) * 4,
                         job->output[output], &shape, &stride, NO_STRIDE);
}

void conv2d(const void* args) {
  job_t job;
  okk_initialize();
  const bool fits = plan(&job, (const conv2d_args_t*)args);
  OKKERNEL_ASSERT(fits);
  if (!fits) return;
  const conv2d_args_t* p = job.args;
  const dim4 weights = {job.pairs, p->output_c, p->kernel * p->kernel, 2};
  const int steps = p->n * job.strips * job.output_tiles * job.slices;
  step_t current = step_number(&job, 0), finished = current;
  int tile = 0, finished_tile = -1; /* output tiles alternate between two buffers */
  okk_gdma_32bit_cpy_S2S(job.l2_weight, p->weight, &weights, NO_STRIDE, NO_STRIDE);
  stage_strip(&job, &current);
  load(&job, &current, 0);
  for (int i = 0; i <= steps; i++) {
    okk_parallel_start();
    if (finished_tile >= 0) store(&job, &finished, finished_tile % 2);
    finished_tile = -1;
    if (i < steps) {
      current = step_number(&job, i);
      compute(&job, &current, i % 2, tile % 2);
      /* while the first step of a strip is computed, the next strip goes to the other half */
      const int next_strip = i / job.slices / job.output_tiles + 1;
      if (current.first_of_strip && next_strip < p->n * job.strips) {
        step_t next;
        set_strip(&job, &next, next_strip);
        stage_strip(&job, &next);
      }
      if (i + 1 < steps) {
        const step_t next = step_number(&job, i + 1);
        load(&job, &next, (i + 1) % 2);
      }
      if (current.last) {
        finished = current;
        finished_tile = tile++;
      }
    }
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(conv2d)
