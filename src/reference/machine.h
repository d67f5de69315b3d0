/* machine.h - interprets the instructions of a group, a strip of points at a time.
 *
 * A program is what all threads share: the loops, which strip buffer ("slot") each result lives in, and
 * which results may go straight to an output. A machine is one thread's: the slots, and for each
 * instruction where its value is now: in a slot, or in place in an operand's memory where that is dense
 * and of a type that computes as it is stored.
 */
#ifndef CLARY_MACHINE_H
#define CLARY_MACHINE_H
#include "reference/loops.h"
#include "reference/threads.h"
#include "reference/walk.h"

#define CLARY__STRIP 1024

typedef struct clary__program {
    const clary__group *group;
    const clary__host_bases *bases;
    clary__fault *fault; /* the first of all machines: the one of the lowest point */
    int64_t strip;       /* points in a full strip */
    int threads;
    int nslots;
    size_t slot_bytes;
    bool copy_loads; /* outputs may overwrite what a later store still needs: no loads in place */
    bool
        constant[CLARY__MAX_INSTR]; /* the same for every point: computed once, never overwritten */
    int8_t direct[CLARY__MAX_INSTR]; /* number of the output that takes the result, or -1 */
    uint8_t slot[CLARY__MAX_INSTR], arity[CLARY__MAX_INSTR];
    union {
        clary__loop *op;
        clary__cast_loop *cast;
        clary__search_loop *search;
    } loop[CLARY__MAX_INSTR];
} clary__program;

/* The operands as seen from a space; only those that the instructions in question use. */
typedef struct clary__walks {
    clary__walk inputs[CLARY__MAX_INPUTS], indices[CLARY__MAX_INPUTS], outputs[CLARY__MAX_OUTPUTS];
} clary__walks;

typedef struct clary__machine {
    const clary__program *program;
    char *slots;
    const void *value[CLARY__MAX_INSTR];
    clary__fault fault; /* the first that a CHECK met */
    void *block;        /* to free, or NULL */
    _Alignas(64) char small[16384];
} clary__machine;

clary_status clary__program_init(clary__program *program, const clary__group *group,
                                 const clary__host_bases *bases, int threads);
clary_status clary__machine_open(clary__machine *machine, const clary__program *program);
void clary__machine_close(clary__machine *machine);

/* Prepares the operands of instructions [first, last), and the outputs if `store`. */
void clary__walks_init(clary__walks *walks, const clary__group *group, const clary__space *space,
                       int first, int last, bool store);
/* Runs instructions [first, last) for points [point, point + n), n <= strip. */
void clary__machine_run(clary__machine *machine, const clary__walks *walks, int first, int last,
                        int64_t point, size_t n);
/* Stores the outputs for the same points. */
void clary__machine_store(clary__machine *machine, const clary__walks *walks, int64_t point,
                          size_t n);

/* reduce.c, scan.c */
clary_status clary__run_reduce(const clary__program *program);
clary_status clary__run_scan(const clary__program *program);

/* batch.c: the kept points of a reduction or scan in batches, each a box: dims before `dim` fixed, a
 * range of `dim`, all of the kept dims after it. */
typedef struct clary__batches {
    const clary__group *group;
    int64_t reduced; /* points reduced or scanned for each kept point */
    int dim;
    int64_t chunk, chunks,
        inner;              /* range and number of ranges along dim; points of the dims after it */
    int64_t count, largest; /* batches; kept points of the largest */
    bool columns; /* points are numbered reduced dims first: k * width + j, not j * reduced + k */
} clary__batches;
void clary__batches_init(clary__batches *b, const clary__group *group, bool columns, int64_t most);
/* The box of a batch over kept and reduced dims, and over the kept dims alone. Returns its kept points. */
int64_t clary__batch_spaces(const clary__batches *b, int64_t number, clary__space *all,
                            clary__space *kept);
/* Whether neighbours in memory are neighbours in the kept dims rather than the reduced ones. */
bool clary__prefers_columns(const clary__group *group);

#endif
