/* group.h - a group: one fused unit of work, the contract between planning and execution.
 *
 * The planner turns a piece of the graph into a group; the reference executor interprets it,
 * codegen turns it into OpenCL C. A group is a straight-line SSA program run for every point of an
 * iteration space, plus at most one reduction or scan:
 *
 *   MAP     for every point of shape[0..ndim): run instr[0..ninstr); store the outputs.
 *   REDUCE  shape = kept dims [0..nkeep) then reduced dims [nkeep..ndim). For every kept point: run
 *           instr[0..split) over the reduced points; combine the values of instr[reduce_arg] with
 *           reduce_op in the fixed order below; call the result instr[split] (code
 * CLARY__I_RESULT); run instr[split+1..ninstr), the epilogue, once per kept point; store the
 * outputs. SCAN    the last dim is scanned; nkeep = ndim - 1. As REDUCE, but instr[split] is the
 * running (inclusive) value, and the epilogue and stores run for every point.
 *
 *   PRODUCT shape = {outer batch, inner batch, rows, columns}, four dims always, never merged. instr[0]
 *           (split = 0, code CLARY__I_RESULT, dtype reduce_dtype) is the element of the matrix product
 *           of struct clary__product; the epilogue and stores run for every point. The order of its sum
 *           is the engine's.
 *
 * Operands, read or written, are strided windows on flat buffers: element at
 * offset + sum(coordinate[d] * strides[d]), all in elements of the operand's dtype. In the epilogue
 * of REDUCE strides along reduced dims are 0. The planner has dropped dims of extent 1 and merged
 * dims that every operand crosses evenly (kept and reduced dims are never merged with each other),
 * so a contiguous MAP has ndim 1 (0 for a single point). No extent is 0.
 *
 * Note [Order of reductions]. The order depends on the number n of reduced points alone, taken in C
 * order of the reduced dims, k = 0..n-1. Blocks of 16384 points: in a block, lane l of 1024
 * combines points l, l + 1024, ... (up to 16) in rising order, starting with the first; then lanes
 * combine by halving: for h = 512, 256, ..., 1: lane l < h becomes op(lane l, lane l + h). A lane
 * with no points takes no part (its partner stays as it is). Then the block results, in order, are
 * reduced by the same rule, until one is left. ARGMAX / ARGMIN compare (value, index) and are
 * order-free: NaN wins, then the larger (smaller) value, then the smaller index; the index is k.
 *
 * Note [Order of scans]. Levels of radix 16: points in runs of 16 are combined in rising order
 * inside the run (local inclusive values); the run totals are scanned by the same rule; every
 * element is then op(total scan of the runs before, local value); runs 0 takes its local values as
 * they are.
 *
 * Note [Compute types]. Each instruction has a dtype. bool computes as an 8-bit 0/1; float16 and
 * bfloat16 as float32, rounded to their precision after each CLARY__I_OP, CLARY__I_CAST and step of a
 * reduction or scan; complex as a pair.
 */
#ifndef CLARY_GROUP_H
#define CLARY_GROUP_H
#include "clary/ops.h"
#include "device/device.h"

#define CLARY__MAX_INSTR 192
#define CLARY__MAX_INPUTS 16
#define CLARY__MAX_OUTPUTS 4
#define CLARY__MAX_SCALARS 32

typedef enum clary__pattern {
    CLARY__MAP,
    CLARY__REDUCE,
    CLARY__SCAN,
    CLARY__PRODUCT
} clary__pattern;

typedef enum clary__code {
    CLARY__I_LOAD,   /* a = number of the input operand */
    CLARY__I_SCALAR, /* a = number of the scalar */
    CLARY__I_INDEX,  /* int64 offset + sum(coordinate * stride): a = number of the index map */
    CLARY__I_CAST,   /* a = instruction; from its dtype to this one's (see Note [Casts]) */
    CLARY__I_OP,     /* op on instructions a, b, c; `in` is the compute dtype of the expression */
    CLARY__I_RESULT, /* the reduction's or scan's value; at instr[split] only */
    CLARY__I_CHECK,  /* index a on an axis of extent b (int64 all): see Note [Faults] */
    CLARY__I_GATHER, /* element (position a, int64) of input operand c, counted from its offset */
    CLARY__I_SEARCH /* int64: where key a (of dtype `in`) belongs among the first b (int64) elements
                        of input operand c, which ascend: behind those that are less (op 0), or behind
                        those that are not greater (op 1). See Note [Sort order] */
} clary__code;

/* Note [Faults]. CHECK adds the extent to a negative index. One that is still out of range is a fault:
 * the first in a stream is kept with the site c (int64, fault.c) until the next wait turns it into
 * CLARY_INDEX_OUT_OF_RANGE; its value is 0, or -1 where `op` is 1 (a SCATTER skips it). Positions that
 * GATHER sees are in range by construction.
 *
 * Note [Sort order]. Numbers ascend, -0.0 equals 0.0, NaN comes last and equals itself; false before
 * true; complex numbers by real, then imaginary part, those with a NaN last: as numpy.sort puts them
 * (a NaN only in the imaginary part before a NaN in the real part). */

/* Note [Casts]. Integers wrap. Float to integer truncates; NaN gives 0; out of range saturates
 * (wraps only between integers). To bool: != 0 (NaN is true). Complex to real drops the imaginary
 * part. float64 to float16/bfloat16 rounds once. Integer to float rounds to nearest even. */

typedef struct clary__instr {
    uint8_t code;  /* clary__code */
    uint8_t dtype; /* of the result */
    uint8_t in;    /* compute dtype: arguments' dtype of an OP (for SELECT: y and z; x is bool; for
                      F_SHIFT: x; y is int32); equals dtype for LOAD, SCALAR, INDEX, RESULT; source
                      dtype of a CAST */
    uint8_t op;    /* clary_op of an OP */
    uint16_t a, b, c;
} clary__instr;

typedef struct clary__operand {
    clary__buffer *buffer; /* borrowed; NULL for an index map */
    clary_dtype dtype;
    uint16_t instr; /* outputs: the instruction that is stored */
    bool random; /* inputs: read by GATHER or SEARCH, at any place from offset on; strides are 0 */
    int64_t offset;
    int64_t strides[CLARY_MAX_NDIM];
} clary__operand;

/* The operands of a PRODUCT: x is rows by inner, y inner by columns, for every matrix of the batch. Any
 * strides, 0 and negative ones too: x.strides = {outer batch, inner batch, row, k}, y.strides = {outer
 * batch, inner batch, k, column}. The sum over k is of dtype reduce_dtype: float32 for the halves, else
 * that of the operands; integers wrap, bool is or-of-ands. */
typedef struct clary__product {
    clary_dtype dtype; /* of both operands */
    int64_t inner;     /* extent of k, at least 1 */
    clary__operand x, y;
} clary__product;

/* reduce_op: a clary_op (SAME rule, arity 2), or one of these. */
enum { CLARY__ARGMAX = 0x1000, CLARY__ARGMIN };

struct clary__group {
    clary__pattern pattern;
    int ndim, nkeep; /* nkeep == ndim for MAP */
    int64_t shape[CLARY_MAX_NDIM];
    int64_t points; /* product of shape */

    int ninstr, split; /* split == ninstr for MAP */
    int reduce_op, reduce_arg;
    clary__product product;   /* PRODUCT only */
    clary_dtype reduce_dtype; /* dtype of reduce_arg; RESULT has int64 for ARG*, else the same */
    int ninputs, noutputs, nscalars, nindices;
    clary__instr instr[CLARY__MAX_INSTR];
    clary__operand inputs[CLARY__MAX_INPUTS], outputs[CLARY__MAX_OUTPUTS];
    clary__operand indices[CLARY__MAX_INPUTS];
    unsigned char scalars[CLARY__MAX_SCALARS][16]; /* one element each, of the instruction's dtype
                                                      (storage form: half as 16 bits) */
    bool in_place;    /* an output buffer is also an input (read and written at the same point) */
    const char *what; /* the operation that asked for it, for logs and messages */
};

/* How many of a, b, c are instructions: the first so many. */
int clary__instr_arity(const clary__instr *instr);

/* The expression of an operation for a kind ('b','i','u','f','c') as OpenCL C text; NULL if none.
 */
const char *clary__op_expression(clary_op op, char kind);
/* Identity of a reduction over nothing, as one element of dtype t; false if the operation has none.
 */
bool clary__op_identity(clary_op op, clary_dtype t, void *out);

/* Sorts every row of a C-contiguous (rows, length) array of keys by Note [Sort order], stably;
 * descending: the reverse order, NaN first, equal ones still in place. */
struct clary__sort {
    clary_dtype dtype;
    bool descending;
    int64_t rows, length;  /* both > 0 */
    clary__buffer *keys;   /* not changed */
    clary__buffer *values; /* the sorted keys, or NULL */
    clary__buffer *order;  /* int64: the place in its row that each came from, or NULL */
    const char *what;
};

/* target[positions[i]] = source[i], or op(target[positions[i]], source[i]) with every repetition, as if
 * i rose one by one. Negative positions are skipped. op: CLARY__PUT, or a clary_op of arity 2 that
 * computes in `compute` (target's elements are cast to it, results cast back after each step). */
enum { CLARY__PUT = 0x2000 };
struct clary__scatter {
    int op;
    clary_dtype dtype, compute; /* of target; of source. Equal for PUT */
    bool distinct; /* the order of i does not matter: positions are distinct, or for PUT
                                   all sources are equal */
    bool single;   /* source has one element for all */
    int64_t count, target_size;                 /* both > 0 */
    clary__buffer *target, *positions, *source; /* positions: int64[count] */
    const char *what;
};

/* Discrete Fourier transforms of the rows of a C-contiguous (outer, length, inner) array along its middle
 * axis, out of place. FORWARD, INVERSE: complex to complex. REAL: length reals to length/2 + 1 complex.
 * HERMITIAN: length/2 + 1 complex to length reals, unscaled inverse of REAL; imaginary parts of the first
 * (and, for even lengths, last) element are ignored. */
enum { CLARY__FFT_FORWARD, CLARY__FFT_INVERSE, CLARY__FFT_REAL, CLARY__FFT_HERMITIAN };
struct clary__fft {
    int kind;
    clary_dtype real;             /* CLARY_FLOAT32 or CLARY_FLOAT64 */
    bool normalize;               /* INVERSE, HERMITIAN: divide by length */
    int64_t outer, length, inner; /* all > 0 */
    clary__buffer *in, *out;
    const char *what;
};

/* product.c: the group that runs the epilogue of a PRODUCT whose elements are in a buffer, in C order of its
 * shape: a MAP that loads them as its last input. `stored` is borrowed. */
void clary__product_epilogue(const clary__group *product, clary__buffer *stored, clary__group *map);

/* src/reference/run.c: runs a group on host memory. bases[i] of inputs then outputs. Splits large
 * work over `threads` threads; results do not depend on it. */
typedef struct clary__host_bases {
    const void *inputs[CLARY__MAX_INPUTS];
    void *outputs[CLARY__MAX_OUTPUTS];
    const void *x, *y; /* PRODUCT */
} clary__host_bases;
clary_status clary__run_on_host(const clary__group *group, const clary__host_bases *bases,
                                int threads);
/* The same, but a fault is noted in *fault, if that is empty, and the run goes on. */
clary_status clary__run_noting(const clary__group *group, const clary__host_bases *bases,
                               int threads, clary__fault *fault);
/* src/reference/product.c: the same for a PRODUCT whose sums another engine computes: it stores all of them,
 * of dtype reduce_dtype, at out + strides (in elements; 4 dims as the shape). */
typedef clary_status clary__product_fn(const clary__group *group, const clary__host_bases *bases,
                                       void *out, const int64_t *strides, int threads);
clary_status clary__run_product(const clary__group *group, const clary__host_bases *bases,
                                int threads, clary__fault *fault, clary__product_fn *engine);
clary__product_fn clary__reference_product;
/* src/reference/sort.c, scatter.c: on buffers with host pointers. */
clary_status clary__sort_on_host(const clary__sort *sort, int threads);
clary_status clary__scatter_on_host(const clary__scatter *scatter, int threads);
/* src/reference/fft.c: the same; under the engine lock (it keeps tables). */
clary_status clary__fft_on_host(const clary__fft *fft, int threads);

#endif
