/* spec.h - what a kernel's source depends on, and the geometry that its parameters are made of.
 *
 * A group is split in two. The `spec` holds structure: instructions, dtypes, layout classes, the chosen
 * variant. It is flat, without pointers or padding garbage, and its bytes are the key of the kernel
 * cache; source text is written from a spec alone, so two groups with equal specs can share a kernel by
 * construction. The `frame` holds numbers: extents, strides, offsets, scalars. They reach the kernel
 * as one struct of parameters (params.c) and never its source.
 *
 * Note [Packs]. A work-item handles `pack` neighbours along one dim, the pack dim, at a time: the last
 * dim of a MAP, the last reduced dim of a row-wise reduction, the last kept dim of a column-wise one.
 * Operands that are consecutive there are moved with one aligned access of a whole pack.
 */
#ifndef CLARY_CODEGEN_SPEC_H
#define CLARY_CODEGEN_SPEC_H
#include "codegen/codegen.h"

#define CLARY__MAX_OPERANDS (2 * CLARY__MAX_INPUTS + CLARY__MAX_OUTPUTS)
#define CLARY__FAULTS CLARY__MAX_OPERANDS /* stands for the fault record among bits over operands */
#define CLARY__GROUP_SIZE 256             /* work-items in a work-group on everything but CPUs */

typedef enum clary__kernel {
    CLARY__K_MAP,
    CLARY__K_REDUCE,      /* points -> block results, or the outputs when there is one block */
    CLARY__K_SCAN_STREAM, /* a work-item scans a row by itself */
    CLARY__K_SCAN_TOTALS, /* first of three passes: what each tile hands on */
    CLARY__K_SCAN_TILES,  /* last of three: scans every tile, given what came before it */
    CLARY__K_PRODUCT      /* a work-group makes a tile of a matrix product */
} clary__kernel;

/* How an operand moves along the pack dim. */
typedef enum clary__access {
    CLARY__UNIT,  /* consecutive elements; whole packs are aligned if pack > 1 */
    CLARY__HOLD,  /* the same element */
    CLARY__STEP,  /* any stride */
    CLARY__RANDOM /* instructions say where: kernels pass the pointer on, and no place is known */
} clary__access;

typedef struct clary__spec_operand {
    uint8_t dtype, access;
    uint16_t instr; /* outputs: what is stored */
} clary__spec_operand;

typedef struct clary__spec {
    uint8_t kernel;
    uint8_t cpu;      /* one work-item per work-group, long loops */
    uint8_t fp64;     /* the device has double */
    uint8_t wide;     /* 64-bit index arithmetic */
    uint8_t in_place; /* buffers may be read and written */
    uint8_t indirect; /* parameters are too many to pass by value: they lie in a buffer */
    uint8_t faults;   /* some index is checked: the device's fault record is the first buffer */
    uint8_t staged;   /* REDUCE and SCAN: points are values of an earlier stage, in a temporary */
    uint8_t columns;  /* work-items lie along the kept dims */
    uint8_t brief;    /* REDUCE: classes of at most one point in a lane; see reduce.c */
    uint8_t exchange; /* SCAN: tiles pass through local memory, so that accesses are consecutive */
    uint8_t ndim, nkeep, packdim, pack, unroll;
    uint8_t ninputs, noutputs, nindices, nscalars;
    uint8_t reduce_dtype;
    uint8_t factor;    /* PRODUCT: dtype of both operands */
    uint8_t micro;     /* PRODUCT: a work-item makes micro by micro elements */
    uint8_t x_along_k; /* PRODUCT: neighbouring work-items read neighbours along k, else rows */
    uint8_t y_along_k; /* the same, else columns */
    uint16_t workers;  /* REDUCE: work-items that share an output */
    uint16_t reduce_op, reduce_arg, ninstr, split;
    clary__spec_operand operands[CLARY__MAX_OPERANDS]; /* inputs, outputs, index maps */
    clary__instr instr[CLARY__MAX_INSTR];              /* the key ends with the last one in use */
} clary__spec;

typedef struct clary__frame {
    int64_t size;   /* points */
    int64_t kept;   /* kept points */
    int64_t length; /* points reduced or scanned for a kept one */
    int64_t parts;  /* blocks or tiles of it */
    int64_t shape[CLARY_MAX_NDIM];
    int64_t offset[CLARY__MAX_OPERANDS];
    int64_t strides[CLARY__MAX_OPERANDS][CLARY_MAX_NDIM];
    unsigned char scalars[CLARY__MAX_SCALARS][16];
    clary__operand x, y; /* PRODUCT: the operands, and the extent of k */
    int64_t k;
} clary__frame;

/* One group on its way to the device: a spec and a frame that begin as the group says; map.c, reduce.c
 * and scan.c then choose the variant. Large: lives on the stack of clary__codegen_run. */
typedef struct clary__job {
    clary_device *device;
    const clary__group *group;
    clary__launch_fn *launch;
    clary__spec spec;
    clary__frame frame;
} clary__job;

/* spec.c */
static inline int clary__noperands(const clary__spec *s) {
    return s->ninputs + s->noutputs + s->nindices;
}
static inline bool clary__is_arg(const clary__spec *s) {
    return s->reduce_op >= CLARY__ARGMAX;
}
static inline bool clary__is_memory(const clary__spec *s, int operand) {
    return operand < s->ninputs + s->noutputs;
}
size_t clary__acc_bytes(const clary__spec *s); /* of what is combined, in a temporary */
/* Marks what is needed to know `instr`, in used[ninstr]. RESULT needs nothing. */
void clary__mark(const clary__spec *s, int instr, bool *used);
/* Instructions of REDUCE and SCAN below the result; those needed for the outputs. */
void clary__mark_inner(const clary__spec *s, bool *used);
void clary__mark_outer(const clary__spec *s, bool *used);
/* Inputs and index maps that marked instructions read, as bits over operands; CLARY__FAULTS too. */
uint64_t clary__operands_of(const clary__spec *s, const bool *used);
/* Swaps two dims of the frame. */
void clary__swap_dims(clary__job *job, int d, int e);
/* Sets packdim and the classes of all operands for packs along it. With pack > 1 false comes back,
 * and nothing changes, if some consecutive operand of `which` has packs that are not aligned. */
bool clary__set_pack(clary__job *job, int packdim, int pack, uint64_t which);
/* The pack of 16 bytes for the widest consecutive operand of `which`; at most 16, at least 1. */
int clary__best_pack(const clary__job *job, int packdim, uint64_t which);
/* A rough price of the marked instructions, an addition being 1. */
int clary__price(const clary__spec *s, const bool *used);
/* Elements of an operand that a group touches, in bytes. */
uint64_t clary__traffic(const clary__job *job);

/* params.c: the same walk writes the struct's declaration and its bytes. */
void clary__params_text(const clary__spec *s, clary__text *out);
/* bytes NULL: only counts. */
size_t clary__params_bytes(const clary__spec *s, const clary__frame *f, unsigned char *bytes);

/* express.c: types, operations, casts */
const char *clary__cl_storage(int dtype); /* type in memory */
const char *clary__cl_compute(int dtype); /* type in registers */
const char *clary__op_name(int op);
/* prelude.cl, in front of everything. */
void clary__emit_prelude(bool fp64, bool cpu, clary__text *out);
/* Whether an operation's expression calls functions of the library for the dtype; that library. */
bool clary__needs_library(int op, int dtype);
void clary__emit_library(int dtype, clary__text *out);
/* R <prefix>_<op>_<suffix of in>(x, y, z), with arguments of these dtypes. */
void clary__emit_operation(const char *prefix, int op, int in, const int *args, int result,
                           clary__text *out);
void clary__emit_cast(int from, int to, clary__text *out); /* cast_<from>_<to>(x) */
void clary__emit_search(int dtype, clary__text *out);      /* search_<dtype>() of search.cl */

/* emit.c: instructions */
void clary__operand_name(const clary__spec *s, int operand, char name[16]);
/* "map_add_f32": pattern and last operation. */
void clary__kernel_name(const clary__spec *s, char name[64]);
/* What opens every kernel: library files, types, parameters, functions of marked instructions. */
void clary__emit_head(const clary__spec *s, const bool *used, clary__text *out);
/* Statements `const T vN = ...;` of the marked instructions. Elements of inputs are in variables in0, ...,
 * index maps in index0, ..., a reduction's result in `result`. */
void clary__emit_values(const clary__spec *s, const bool *used, clary__text *out);
/* vN as a stored element. */
void clary__emit_stored(const clary__spec *s, int instr, clary__text *out);
/* Type acc, what a reduction combines; fold(acc, acc); value(p, elements..., k), that of point k. */
void clary__emit_acc(const clary__spec *s, clary__text *out);
void clary__emit_acc_value(const clary__spec *s, clary__text *out);

/* access.c: buffers, places, loads and stores */
typedef enum clary__pass {
    CLARY__PASS_POINT, /* straight from memory at place `at` */
    CLARY__PASS_RUN,   /* from memory, e elements after `at` along the pack dim */
    CLARY__PASS_PACK   /* element e of a fetched pack `in` */
} clary__pass;
/* Macros BUFFERS and PASS: all buffers as parameters and as arguments, temporaries in front. */
void clary__emit_buffers(const clary__spec *s, const char *declared, const char *passed,
                         clary__text *out);
void clary__emit_place(const clary__spec *s, clary__text *out);
/* place name(p, [at,] i): where operands `which` are at point i of dims [from, to); begin: starts at
 * their offsets, else moves `at`. */
void clary__emit_locate(const clary__spec *s, const char *name, int from, int to, uint64_t which,
                        bool begin, clary__text *out);
/* Type fetched and fetch(BUFFERS, p, at, to), for the inputs in `which`; movers of whole packs. */
void clary__emit_fetch(const clary__spec *s, uint64_t which, clary__text *out);
/* ", const float in0, const long index0": elements as parameters; and as arguments. Of random operands
 * and the fault record the pointers. */
void clary__emit_declared(const clary__spec *s, uint64_t which, clary__text *out);
void clary__emit_passed(const clary__spec *s, uint64_t which, clary__pass how, clary__text *out);
/* Type results; results compute(p, [acc result,] elements...) of the marked instructions. */
void clary__emit_compute(const clary__spec *s, const bool *used, const char *also,
                         clary__text *out);
/* The statements that store results r at `at`; run: e elements later. */
void clary__emit_put(const clary__spec *s, bool run, clary__text *out);

/* The kernels. */
clary_status clary__launch_map(clary__job *job);
clary_status clary__launch_reduce(clary__job *job);
clary_status clary__launch_scan(clary__job *job);
clary_status clary__launch_product(clary__job *job);
void clary__source_map(const clary__spec *s, clary__text *out);
void clary__source_reduce(const clary__spec *s, clary__text *out);
void clary__source_scan(const clary__spec *s, clary__text *out);
void clary__source_product(const clary__spec *s, clary__text *out);

/* product.c: whether an operand reaches further than 32-bit indices. */
bool clary__product_is_far(const clary__product *product, const int64_t *shape);

/* codegen.c: launches the job's kernel on so many work-groups. extra: temporaries, in front of the
 * group's own buffers. bytes: read and written, for the counters. */
clary_status clary__enqueue(clary__job *job, int nextra, clary__buffer *const *extra,
                            int64_t groups, uint64_t bytes);
/* Work-groups on a CPU for so many units of work: enough for all cores, none too small. */
int64_t clary__cpu_groups(const clary__job *job, int64_t units);

#endif
