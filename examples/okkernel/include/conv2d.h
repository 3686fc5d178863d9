/* Arguments of the conv2d kernel. */
#ifndef CONV2D_H
#define CONV2D_H

typedef struct {
  int n, input_c, input_h, input_w;
  int output_c;
  int kernel;                /* height and width */
  int padding;               /* on all sides */
  int stride;                /* in both directions */
  unsigned long long input;  /* (n, input_c, input_h, input_w), continuous */
  unsigned long long weight; /* 2IC mode: pairs of input channels, continuous */
  unsigned long long bias;   /* output_c values */
  unsigned long long output; /* (n, output_c, output_h, output_w), continuous */
} __attribute__((packed)) conv2d_args_t;

#endif
