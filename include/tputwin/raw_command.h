/*
 * Commands as they are, in any kernel of the BM1684X or BM1684 on the twin: for what compilers do
 * and no call of the TPUKernel or OKKernel says. `tputwin lift` writes them where it has to. C99
 * and C++; link with libbmlib, which libtpukernel does.
 *
 * A command is its 32-bit words, in the form and with the fields that docs/bmodel168x.md tells of.
 * Its own number and the one that it waits for are not looked at: like every call, the command
 * waits for what the kernel did before, or in a parallel section for its engine and for what was
 * before the section. It is decoded and checked as those of models are; what is not understood, or
 * breaks a rule, is an error of the launch.
 */
#ifndef TPUTWIN_RAW_COMMAND_H
#define TPUTWIN_RAW_COMMAND_H

#ifdef __cplusplus
extern "C" {
#endif

/* An address of global memory in a command of the GDMA, and where that memory lies in truth. */
typedef struct {
  unsigned long long compiled, address;
} tputwin_moved_t;

/* A command of the tensor engine: `bytes` is its length, a multiple of 4. */
void tputwin_bdc_command(const unsigned int* words, unsigned int bytes);
/* A command of the GDMA. Each operand in global memory whose first byte is at `compiled` of one of
 * the `count` pairs lies at its `address`; others lie where the command says. */
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
