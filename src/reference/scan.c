/* scan.c - the SCAN pattern, in the order of group.h's Note [Order of scans].
 *
 * Levels of radix 16. Level 0 are the points; the totals of its full runs of 16 are the elements of
 * level 1, and so on. A level keeps the combination of the run it is in, and the scan of everything
 * before that run, which arrives from the level above whenever a run is full. So a scan goes through its
 * points once, with a state of a few values a level, each `width` values wide where several scans run
 * side by side (by columns: batch.c).
 */
#include "reference/machine.h"
#include <string.h>

#define RADIX 16
#define LEVELS 16

typedef struct scan {
    const clary__program *program;
    clary__batches batches;
    clary__loop *op;
    size_t size;
    int64_t n, per_task;
} scan;

typedef struct level {
    char *local, *before; /* of this run up to now; of all runs before it, if has_before */
    bool has_before;
    int64_t count; /* elements that have come */
} level;

typedef struct worker {
    clary__machine machine;
    clary__walks walks;
    level levels[LEVELS];
    char *block, *out,
        *turned; /* a strip of results; a strip with points of equal place in a run together */
} worker;

static clary_status worker_open(const scan *s, worker *w) {
    size_t width = s->batches.columns ? (size_t)s->batches.largest : 1;
    size_t strip = CLARY__STRIP * s->size;
    w->block = clary__malloc(2 * LEVELS * width * s->size + 2 * strip);
    FAIL_IF(!w->block, CLARY_OUT_OF_MEMORY, "%s: no memory for the state of a scan",
            s->program->group->what ? s->program->group->what : "scan");
    w->out = w->block;
    w->turned = w->out + strip;
    for (int i = 0; i < LEVELS; i++) {
        w->levels[i].local = w->turned + strip + (size_t)(2 * i) * width * s->size;
        w->levels[i].before = w->levels[i].local + width * s->size;
    }
    clary_status status = clary__machine_open(&w->machine, s->program);
    if (status != CLARY_OK) clary__dealloc(w->block);
    return status;
}

static void worker_close(worker *w) {
    clary__machine_close(&w->machine);
    clary__dealloc(w->block);
}

static void restart(worker *w) {
    for (int i = 0; i < LEVELS; i++) {
        w->levels[i].has_before = false;
        w->levels[i].count = 0;
    }
}

/* The next element of level i; the scan up to it goes to `out`. */
static void push(const scan *s, worker *w, int i, const char *element, size_t width, char *out) {
    level *l = &w->levels[i];
    int64_t place = l->count++ % RADIX;
    if (place == 0)
        memcpy(l->local, element, width * s->size);
    else
        s->op(l->local, l->local, element, NULL, width);
    if (l->has_before)
        s->op(out, l->before, l->local, NULL, width);
    else
        memcpy(out, l->local, width * s->size);
    if (place == RADIX - 1) {
        push(s, w, i + 1, l->local, width, l->before);
        l->has_before = true;
    }
}

#define TURN(T)                                                                                    \
    static void turn_##T(const T *from, T *to, size_t rows, size_t columns) {                      \
        for (size_t i = 0; i < rows; i++)                                                          \
            for (size_t j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];         \
    }
typedef struct bytes16 {
    uint64_t a, b;
} bytes16;
TURN(uint8_t)
TURN(uint16_t)
TURN(uint32_t)
TURN(uint64_t)
TURN(bytes16)

/* Transposes a matrix of `rows` x `columns` values. */
static void turn(size_t size, const void *from, void *to, size_t rows, size_t columns) {
    switch (size) {
    case 1: turn_uint8_t(from, to, rows, columns); break;
    case 2: turn_uint16_t(from, to, rows, columns); break;
    case 4: turn_uint32_t(from, to, rows, columns); break;
    case 8: turn_uint64_t(from, to, rows, columns); break;
    default: turn_bytes16(from, to, rows, columns);
    }
}

/* A strip of one row, full runs only: all runs advance side by side, so that the loops are long. The
 * results are those of pushing point after point. */
static void full_runs(const scan *s, worker *w, const char *v, size_t runs, char *out) {
    level *l = &w->levels[0];
    size_t line = runs * s->size;
    turn(s->size, v, w->turned, runs, RADIX);
    for (size_t place = 1; place < RADIX; place++) {
        char *here = w->turned + place * line;
        s->op(here, here - line, here, NULL, runs);
    }
    /* `out` is free until the end: the scan before each run goes there first. */
    const char *total = w->turned + (RADIX - 1) * line;
    size_t start = l->has_before ? 0 : 1;
    for (size_t r = 0; r < runs; r++) {
        if (r >= start) memcpy(out + r * s->size, l->before, s->size);
        push(s, w, 1, total + r * s->size, 1, l->before);
    }
    for (size_t place = 0; place < RADIX; place++) {
        char *here = w->turned + place * line + start * s->size;
        s->op(here, out + start * s->size, here, NULL, runs - start);
    }
    l->has_before = true;
    l->count += (int64_t)(runs * RADIX);
    turn(s->size, w->turned, out, RADIX, runs);
}

static void scan_strip(const scan *s, worker *w, const char *v, size_t n, size_t width) {
    size_t done = 0;
    if (width == 1 && n >= RADIX) {
        done = n / RADIX * RADIX;
        full_runs(s, w, v, n / RADIX, w->out);
    }
    for (; done < n; done += width)
        push(s, w, 0, v + done * s->size, width, w->out + done * s->size);
}

/* Points [point, end) of one row, or of a batch's columns. */
static void scan_points(const scan *s, worker *w, int64_t point, int64_t end, int64_t width) {
    const clary__group *g = s->program->group;
    int64_t full = s->program->strip / width * width;
    restart(w);
    for (int64_t n; point < end; point += n) {
        n = end - point < full ? end - point : full;
        clary__machine_run(&w->machine, &w->walks, 0, g->split, point, (size_t)n);
        scan_strip(s, w, w->machine.value[g->reduce_arg], (size_t)n, (size_t)width);
        w->machine.value[g->split] = w->out;
        clary__machine_run(&w->machine, &w->walks, g->split + 1, g->ninstr, point, (size_t)n);
        clary__machine_store(&w->machine, &w->walks, point, (size_t)n);
    }
}

static clary_status batches_task(void *context, int64_t number) {
    const scan *s = context;
    const clary__group *g = s->program->group;
    int64_t first = number * s->per_task, last = first + s->per_task;
    if (last > s->batches.count) last = s->batches.count;
    worker w;
    TRY(worker_open(s, &w));
    for (int64_t batch = first; batch < last; batch++) {
        clary__space all, kept;
        int64_t width = clary__batch_spaces(&s->batches, batch, &all, &kept);
        clary__walks_init(&w.walks, g, &all, 0, g->ninstr, true);
        if (s->batches.columns)
            scan_points(s, &w, 0, width * s->n, width);
        else
            for (int64_t row = 0; row < width; row++)
                scan_points(s, &w, row * s->n, (row + 1) * s->n, 1);
    }
    worker_close(&w);
    return CLARY_OK;
}

clary_status clary__run_scan(const clary__program *p) {
    const clary__group *g = p->group;
    scan s = {.program = p, .size = clary__strip_size(g->reduce_dtype), .n = g->shape[g->ndim - 1]};
    s.op = clary__find_loop(g->reduce_op, g->reduce_dtype);
    FAIL_IF(!s.op, CLARY_INTERNAL, "%s: no reference loop for this scan in %s",
            g->what ? g->what : "scan", clary_dtype_name(g->reduce_dtype));

    /* Short rows are columns, whatever their layout, so that strips are long. */
    bool columns = g->points > s.n && (s.n <= 256 || clary__prefers_columns(g));
    int64_t most = columns ? p->strip : 65536 / s.n;
    clary__batches_init(&s.batches, g, columns, most < 1 ? 1 : most);
    int64_t tasks = p->threads > 1 ? 4 * p->threads : 1;
    s.per_task = (s.batches.count + tasks - 1) / tasks;
    return clary__parallel(p->threads, (s.batches.count + s.per_task - 1) / s.per_task,
                           batches_task, &s);
}
