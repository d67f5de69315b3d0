/* reduce.c - the REDUCE pattern, in the order of group.h's Note [Order of reductions].
 *
 * A batch of kept points is reduced at once. Points are numbered either by rows (k runs fastest) or by
 * columns (the `width` kept points run fastest), whichever reads memory in order; both are one
 * algorithm: a block of 16384 values of k is folded strip by strip into lanes, where a lane is `width`
 * neighbouring accumulators (1 by rows), and the lanes are halved. Rows of at most 1024 points share
 * strips. Where lanes are wide, the same halving is done depth first, lane after lane, so that a few
 * accumulators do instead of 1024. A long reduction of few kept points is spread over the threads block by block.
 */
#include "reference/machine.h"
#include <string.h>

#define LANES 1024
#define BLOCK 16384
#define WIDE 128 /* kept points from which lanes are taken one by one */
#define DEPTH 11 /* log2(LANES) + 1: accumulators of a depth-first halving */

typedef struct reduction {
    const clary__program *program;
    clary__batches batches;
    clary__loop *op;             /* NULL for ARGMAX and ARGMIN */
    const clary__arg_loops *arg; /* NULL otherwise */
    size_t size;                 /* of a value */
    bool wide;                   /* columns, and batches of at least WIDE */
    int64_t n, nblocks;
    int64_t accumulators; /* that a worker needs, each as wide as a batch */
    int64_t per_task;     /* batches */
} reduction;

/* Partial or final results: a value, and for arg-reductions its k. */
typedef struct results {
    char *value;
    int64_t *index;
} results;

typedef struct worker {
    clary__machine machine;
    clary__walks body, tail;
    char *lanes; /* lanes * width accumulators */
} worker;

static results at(const reduction *r, results to, int64_t element) {
    return (results){to.value + element * (int64_t)r->size, to.index ? to.index + element : NULL};
}

static clary_status results_new(const reduction *r, int64_t count, results *out) {
    out->value = clary__malloc((size_t)count * r->size);
    out->index = r->arg ? clary__malloc((size_t)count * sizeof *out->index) : NULL;
    if (out->value && (out->index || !r->arg)) return CLARY_OK;
    clary__dealloc(out->value);
    clary__dealloc(out->index);
    return clary__fail(CLARY_OUT_OF_MEMORY, "%s: no memory for %lld partial results",
                       r->program->group->what ? r->program->group->what : "reduction",
                       (long long)count);
}

static void results_free(results *r) {
    clary__dealloc(r->value);
    clary__dealloc(r->index);
}

/* ---- combining ---- */

/* Folds `lanes` lanes of `width` values at v by halving. The first step may read from elsewhere. */
static void halve(const reduction *r, const char *v, char *lanes, int64_t count, int64_t width) {
    int64_t half = LANES / 2, step = width * (int64_t)r->size;
    while (half >= count && half > 1) half /= 2;
    if (count == 1) {
        if (v != lanes) memcpy(lanes, v, (size_t)step);
        return;
    }
    for (; half >= 1; half /= 2) {
        r->op(lanes, v, v + half * step, NULL, (size_t)((count - half) * width));
        if (v != lanes) /* lanes without a partner */
            memcpy(lanes + (count - half) * step, v + (count - half) * step,
                   (size_t)((2 * half - count) * step));
        v = lanes;
        count = half;
    }
}

/* Folds `count` results of `width` values into the first. */
static void combine(const reduction *r, results v, int64_t count, int64_t width) {
    for (int64_t k = 1; r->arg && k < count; k++)
        for (int64_t j = 0; j < width; j++) {
            results from = at(r, v, k * width + j), to = at(r, v, j);
            r->arg->rows(to.value, to.index, from.value, *from.index, 1);
        }
    int64_t step = width * (int64_t)r->size;
    while (!r->arg && count > 1) {
        int64_t blocks = (count + BLOCK - 1) / BLOCK;
        for (int64_t b = 0; b < blocks; b++) {
            char *first = v.value + b * BLOCK * step;
            int64_t n = count - b * BLOCK < BLOCK ? count - b * BLOCK : BLOCK;
            for (int64_t k = LANES; k < n; k += LANES) {
                int64_t lanes = n - k < LANES ? n - k : LANES;
                r->op(first, first, first + k * step, NULL, (size_t)(lanes * width));
            }
            halve(r, first, first, n < LANES ? n : LANES, width);
            memmove(v.value + b * step, first, (size_t)step);
        }
        count = blocks;
    }
}

/* ---- folding points ---- */

static const char *strip(const reduction *r, worker *w, int64_t point, int64_t n) {
    const clary__group *g = r->program->group;
    clary__machine_run(&w->machine, &w->body, 0, g->split, point, (size_t)n);
    return w->machine.value[g->reduce_arg];
}

/* Folds points k0 <= k < k1, at most a block, of `width` reductions that start at point `base`. */
static void fold_block(const reduction *r, worker *w, int64_t base, int64_t width, int64_t k0,
                       int64_t k1, results out) {
    int64_t first = base + k0 * width, end = base + k1 * width, row = LANES * width;
    for (int64_t point = first, n; point < end; point += n) {
        int64_t done = point - first, lane = done % row;
        n = r->program->strip;
        if (n > end - point) n = end - point;
        if (n > row - lane) n = row - lane;
        const char *v = strip(r, w, point, n);
        char *to = w->lanes + lane * (int64_t)r->size;
        if (done < row)
            memcpy(to, v, (size_t)n * r->size);
        else
            r->op(to, to, v, NULL, (size_t)n);
    }
    halve(r, w->lanes, w->lanes, k1 - k0 < LANES ? k1 - k0 : LANES, width);
    memcpy(out.value, w->lanes, (size_t)width * r->size);
}

/* What the lane and those that will be halved into it down to `half` come to, in block [k0, k0 + count):
 * depth first. The result is in accumulator `depth`, or in the strip just computed. */
static const char *fold_lane(const reduction *r, worker *w, int64_t base, int64_t width, int64_t k0,
                             int64_t count, int64_t lane, int64_t half, int depth) {
    char *sum = w->lanes + depth * width * (int64_t)r->size;
    const char *v;
    if (half < LANES) {
        v = fold_lane(r, w, base, width, k0, count, lane, 2 * half, depth);
        if (lane + half >= count) return v;
        if (v != sum) memcpy(sum, v, (size_t)width * r->size);
        v = fold_lane(r, w, base, width, k0, count, lane + half, 2 * half, depth + 1);
        r->op(sum, sum, v, NULL, (size_t)width);
        return sum;
    }
    v = strip(r, w, base + (k0 + lane) * width, width);
    if (lane + LANES >= count) return v;
    memcpy(sum, v, (size_t)width * r->size);
    for (int64_t k = lane + LANES; k < count; k += LANES)
        r->op(sum, sum, strip(r, w, base + (k0 + k) * width, width), NULL, (size_t)width);
    return sum;
}

static void wide_block(const reduction *r, worker *w, int64_t base, int64_t width, int64_t k0,
                       int64_t k1, results out) {
    memcpy(out.value, fold_lane(r, w, base, width, k0, k1 - k0, 0, 1, 0), (size_t)width * r->size);
}

static void arg_block(const reduction *r, worker *w, int64_t base, int64_t width, int64_t k0,
                      int64_t k1, results out) {
    int64_t first = base + k0 * width, end = base + k1 * width;
    for (int64_t point = first, n; point < end; point += n) {
        n = end - point < r->program->strip ? end - point : r->program->strip;
        const char *v = strip(r, w, point, n);
        int64_t done = 0;
        while (done < n) {
            int64_t k = k0 + (point + done - first) / width, j = (point + done - first) % width;
            int64_t run = width == 1 ? n - done : n - done < width - j ? n - done : width - j;
            results to = at(r, out, j);
            const char *from = v + done * (int64_t)r->size;
            if (k == k0) {
                int64_t fresh = width == 1 ? 1 : run;
                memcpy(to.value, from, (size_t)fresh * r->size);
                for (int64_t i = 0; i < fresh; i++) to.index[i] = k0;
            }
            (width == 1 ? r->arg->rows : r->arg->columns)(to.value, to.index, from, k, (size_t)run);
            done += run;
        }
    }
}

/* Blocks [b0, b1) of `width` reductions; block b's results go to out[(b - b0) * width]. */
static void fold_blocks(const reduction *r, worker *w, int64_t base, int64_t width, int64_t b0,
                        int64_t b1, results out) {
    for (int64_t b = b0; b < b1; b++) {
        int64_t k0 = b * BLOCK, k1 = r->n - k0 < BLOCK ? r->n : k0 + BLOCK;
        (r->arg    ? arg_block
         : r->wide ? wide_block
                   : fold_block)(r, w, base, width, k0, k1, at(r, out, (b - b0) * width));
    }
}

/* `count` rows of at most a strip each, as many in one strip as fit. */
static void fold_short_rows(const reduction *r, worker *w, int64_t count, results out) {
    int64_t each = r->program->strip / r->n;
    for (int64_t row = 0; row < count; row += each) {
        int64_t rows = count - row < each ? count - row : each;
        const char *v = strip(r, w, row * r->n, rows * r->n);
        for (int64_t j = 0; j < rows; j++, v += r->n * (int64_t)r->size) {
            results to = at(r, out, row + j);
            if (r->arg) {
                memcpy(to.value, v, r->size);
                *to.index = 0;
                r->arg->rows(to.value, to.index, v, 0, (size_t)r->n);
            } else {
                halve(r, v, w->lanes, r->n, 1);
                memcpy(to.value, w->lanes, r->size);
            }
        }
    }
}

/* ---- batches ---- */

static clary_status worker_open(const reduction *r, worker *w) {
    int64_t width = r->batches.columns ? r->batches.largest : 1;
    w->lanes = clary__malloc((size_t)(r->accumulators * width) * r->size);
    FAIL_IF(!w->lanes, CLARY_OUT_OF_MEMORY, "%s: no memory for accumulators",
            r->program->group->what ? r->program->group->what : "reduction");
    clary_status status = clary__machine_open(&w->machine, r->program);
    if (status != CLARY_OK) clary__dealloc(w->lanes);
    return status;
}

static void worker_close(worker *w) {
    clary__machine_close(&w->machine);
    clary__dealloc(w->lanes);
}

/* Prepares a batch; returns its width. */
static int64_t enter(const reduction *r, worker *w, int64_t batch, bool with_tail) {
    const clary__group *g = r->program->group;
    clary__space all, kept;
    int64_t width = clary__batch_spaces(&r->batches, batch, &all, &kept);
    clary__walks_init(&w->body, g, &all, 0, g->split, false);
    if (with_tail) clary__walks_init(&w->tail, g, &kept, g->split, g->ninstr, true);
    return width;
}

/* The epilogue and the stores. */
static void finish(const reduction *r, worker *w, int64_t width, results v) {
    const clary__group *g = r->program->group;
    int64_t size = r->arg ? (int64_t)sizeof(int64_t) : (int64_t)r->size;
    for (int64_t j = 0; j < width; j += r->program->strip) {
        size_t n = (size_t)(width - j < r->program->strip ? width - j : r->program->strip);
        w->machine.value[g->split] = (r->arg ? (char *)v.index : v.value) + j * size;
        clary__machine_run(&w->machine, &w->tail, g->split + 1, g->ninstr, j, n);
        clary__machine_store(&w->machine, &w->tail, j, n);
    }
}

static void whole_batch(const reduction *r, worker *w, int64_t batch, results v) {
    int64_t width = enter(r, w, batch, true);
    if (r->batches.columns) {
        fold_blocks(r, w, 0, width, 0, r->nblocks, v);
        combine(r, v, r->nblocks, width);
    } else if (r->n <= r->program->strip) {
        fold_short_rows(r, w, width, v);
    } else {
        /* Row j's blocks go behind what rows before it left: one result each. */
        for (int64_t j = 0; j < width; j++) {
            fold_blocks(r, w, j * r->n, 1, 0, r->nblocks, at(r, v, j));
            combine(r, at(r, v, j), r->nblocks, 1);
        }
    }
    finish(r, w, width, v);
}

static clary_status batches_task(void *context, int64_t number) {
    const reduction *r = context;
    int64_t first = number * r->per_task, end = first + r->per_task;
    if (end > r->batches.count) end = r->batches.count;
    worker w;
    results v;
    clary_status status;
    TRY(worker_open(r, &w));
    TRY_GOTO(done, results_new(r, r->batches.largest * r->nblocks, &v));
    for (int64_t batch = first; batch < end; batch++) whole_batch(r, &w, batch, v);
    results_free(&v);
done:
    worker_close(&w);
    return status;
}

/* Some blocks of one batch. */
typedef struct split_batch {
    const reduction *reduction;
    int64_t batch, blocks_per_task;
    results partial;
} split_batch;

static clary_status blocks_task(void *context, int64_t number) {
    const split_batch *s = context;
    const reduction *r = s->reduction;
    worker w;
    TRY(worker_open(r, &w));
    int64_t width = enter(r, &w, s->batch, false), b0 = number * s->blocks_per_task;
    int64_t b1 = b0 + s->blocks_per_task < r->nblocks ? b0 + s->blocks_per_task : r->nblocks;
    for (int64_t row = 0; row < (r->batches.columns ? 1 : width); row++)
        fold_blocks(r, &w, row * r->n, width, b0, b1, at(r, s->partial, b0 * width));
    worker_close(&w);
    return CLARY_OK;
}

/* One batch on all threads; by rows it is a single row. */
static clary_status run_split(const reduction *r, int64_t batch) {
    int64_t tasks = 4 * r->program->threads;
    split_batch s = {r, batch, (r->nblocks + tasks - 1) / tasks, {0}};
    worker w;
    clary_status status;
    TRY(results_new(r, r->nblocks * r->batches.largest, &s.partial));
    TRY_GOTO(free_partial, clary__parallel(r->program->threads,
                                           (r->nblocks + s.blocks_per_task - 1) / s.blocks_per_task,
                                           blocks_task, &s));
    TRY_GOTO(free_partial, worker_open(r, &w));
    int64_t width = enter(r, &w, batch, true);
    combine(r, s.partial, r->nblocks, width);
    finish(r, &w, width, s.partial);
    worker_close(&w);
free_partial:
    results_free(&s.partial);
    return status;
}

clary_status clary__run_reduce(const clary__program *p) {
    const clary__group *g = p->group;
    reduction r = {.program = p, .size = clary__strip_size(g->reduce_dtype), .n = 1};
    if (g->reduce_op >= CLARY__ARGMAX)
        r.arg = clary__find_arg_loops(g->reduce_op, g->reduce_dtype);
    else
        r.op = clary__find_loop(g->reduce_op, g->reduce_dtype);
    FAIL_IF(!r.op && !r.arg, CLARY_INTERNAL, "%s: no reference loop for this reduction in %s",
            g->what ? g->what : "reduction", clary_dtype_name(g->reduce_dtype));
    for (int d = g->nkeep; d < g->ndim; d++) r.n *= g->shape[d];
    r.nblocks = (r.n + BLOCK - 1) / BLOCK;
    r.accumulators = r.n < LANES ? r.n : LANES;

    /* Tiny rows are columns, whatever their layout: their strips would be tiny. A batch is about 65536
     * points by rows. */
    bool columns = g->points > r.n && (r.n <= 16 || clary__prefers_columns(g));
    r.wide = columns && !r.arg && g->points / r.n >= WIDE;
    int64_t most = columns ? CLARY__STRIP : 65536 / r.n;
    if (most > CLARY__STRIP) most = CLARY__STRIP;
    if (most < 1) most = 1;
    clary__batches_init(&r.batches, g, columns, most);
    if (r.wide || r.arg) r.accumulators = r.arg ? 1 : DEPTH;
    if (p->threads > 1 && r.nblocks > 1 && r.batches.count < p->threads &&
        (columns || r.batches.largest == 1)) {
        for (int64_t b = 0; b < r.batches.count; b++) TRY(run_split(&r, b));
        return CLARY_OK;
    }
    int64_t tasks = p->threads > 1 ? 4 * p->threads : 1;
    r.per_task = (r.batches.count + tasks - 1) / tasks;
    return clary__parallel(p->threads, (r.batches.count + r.per_task - 1) / r.per_task,
                           batches_task, &r);
}
