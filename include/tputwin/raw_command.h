/*
 * Raw commands in kernels of the BM1684X or BM1684 on the simulator: for commands of compilers that
 * no call of TPUKernel or OKKernel issues. `tputwin lift` writes them where it must. C99 and C++;
 * link with libbmlib, which libtpukernel does.
 *
 * A command is given as its 32-bit words, in the form and with the fields of
 * docs/command-streams.md. Its own number and the number that it waits for are ignored. As every
 * call, the command waits for all earlier commands of the kernel; in a parallel section, for those
 * of its engine and those before the section. It is decoded and checked as commands of models are.
 * A command that cannot be decoded or breaks a rule is an error of the launch.
 */
#ifndef TPUTWIN_RAW_COMMAND_H
#define TPUTWIN_RAW_COMMAND_H

#ifdef __cplusplus
extern "C" {
#endif

/* An address of global memory in a command of the GDMA, and the actual address of that memory. */
typedef struct {
  unsigned long long compiled, address;
} tputwin_moved_t;

/* Issues a command of the tensor engine. `bytes` is its length, a multiple of 4. */
void tputwin_bdc_command(const unsigned int* words, unsigned int bytes);
/* Issues a command of the GDMA. An operand in global memory whose first byte is at `compiled` of
 * one of the `count` pairs is at `address` of that pair; others are at the command's addresses. */
void tputwin_gdma_command(const unsigned int* words, unsigned int bytes,
                          const tputwin_moved_t* moved, unsigned int count);

/* The arguments of these functions in C, as literals:
 *   tputwin_gdma_command(TPUTWIN_WORDS(0x1, 0x2), TPUTWIN_MOVED({0x100000000, weights})); */
#define TPUTWIN_WORDS(...) \
  (const unsigned int[]){__VA_ARGS__}, (unsigned int)sizeof((const unsigned int[]){__VA_ARGS__})
#define TPUTWIN_MOVED(...)                \
  (const tputwin_moved_t[]){__VA_ARGS__}, \
      (unsigned int)(sizeof((const tputwin_moved_t[]){__VA_ARGS__}) / sizeof(tputwin_moved_t))
#define TPUTWIN_NOWHERE 0, 0

#ifdef __cplusplus
}
#endif

#endif
