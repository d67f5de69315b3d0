/* scatter.c - clary__scatter_on_host: writes or accumulates one element after another.
 *
 * PUT and plain sums have loops of their own. Anything else goes through the strips of loops.h: points are
 * collected as long as no two of them have the same position, and then computed together, which is what
 * they would come to one by one.
 */
#include "reference/loops.h"
#include "reference/threads.h"
#include <string.h>

#define STRIP 256
#define SEEN 4096 /* a power of two */
#define PARALLEL 100000

typedef struct job job;
typedef void scatter_loop(const job *j, int64_t first, int64_t end);

struct job {
    const clary__scatter *scatter;
    void *target;
    const int64_t *positions;
    const void *source;
    int64_t step, per_task; /* elements of source for a step of i: 0 or 1; steps of i */
    scatter_loop *loop;
    clary__loop *op;
    clary__cast_loop *to_compute, *to_target; /* NULL: nothing to cast */
};

typedef struct bytes16 {
    uint64_t a, b;
} bytes16;

#define LOOP(name, T, assign)                                                                      \
    static void name##_##T(const job *j, int64_t first, int64_t end) {                             \
        T *to = j->target;                                                                         \
        const T *from = j->source;                                                                 \
        const uint64_t size = (uint64_t)j->scatter->target_size;                                   \
        for (int64_t i = first; i < end; i++) {                                                    \
            uint64_t at = (uint64_t)j->positions[i];                                               \
            if (at < size) assign;                                                                 \
        }                                                                                          \
    }
#define PUT(T) LOOP(put, T, to[at] = from[i * j->step])
#define ADD(T) LOOP(add, T, to[at] = (T)(to[at] + from[i * j->step]))
#define ADD_PAIR(T) LOOP(add, T, (to[at].x += from[i * j->step].x, to[at].y += from[i * j->step].y))

typedef struct floats {
    float x, y;
} floats;
typedef struct doubles {
    double x, y;
} doubles;
PUT(uint8_t)
PUT(uint16_t)
PUT(uint32_t)
PUT(uint64_t)
PUT(bytes16)
ADD(uint8_t)
ADD(uint16_t)
ADD(uint32_t)
ADD(uint64_t)
ADD(float)
ADD(double)
ADD_PAIR(floats)
ADD_PAIR(doubles)

static scatter_loop *put_loop(size_t size) {
    switch (size) {
    case 1: return put_uint8_t;
    case 2: return put_uint16_t;
    case 4: return put_uint32_t;
    case 8: return put_uint64_t;
    default: return put_bytes16;
    }
}

/* NULL: the general way. */
static scatter_loop *add_loop(clary_dtype t) {
    switch (t) {
    case CLARY_INT8:
    case CLARY_UINT8: return add_uint8_t;
    case CLARY_INT16:
    case CLARY_UINT16: return add_uint16_t;
    case CLARY_INT32:
    case CLARY_UINT32: return add_uint32_t;
    case CLARY_INT64:
    case CLARY_UINT64: return add_uint64_t;
    case CLARY_FLOAT32: return add_float;
    case CLARY_FLOAT64: return add_double;
    case CLARY_COMPLEX64: return add_floats;
    case CLARY_COMPLEX128: return add_doubles;
    default: return NULL;
    }
}

/* ---- the general way ---- */

typedef struct strips {
    _Alignas(64) char x[STRIP * 16], y[STRIP * 16], z[STRIP * 16], result[STRIP * 16];
    int64_t at[STRIP], from[STRIP]; /* positions, places in source */
    uint32_t seen[SEEN], now;       /* seen[p % SEEN] == now: perhaps position p was collected */
} strips;

static void read(clary_dtype t, const void *base, const int64_t *at, size_t n, void *strip) {
    uint16_t halves[STRIP];
    bool half = clary__is_half(t);
    clary__gather_loop(half ? halves : strip, base, clary_dtype_size(t), at, n);
    if (half) clary__widen(t, halves, n, strip);
}

static void update(const job *j, strips *s, size_t n) {
    clary_dtype t = j->scatter->dtype;
    void *x = s->x, *result = s->result;
    read(t, j->target, s->at, n, x);
    read(j->scatter->compute, j->source, s->from, n, s->y);
    if (j->to_compute) {
        j->to_compute(s->z, x, n);
        x = s->z;
    }
    j->op(result, x, s->y, NULL, n);
    if (j->to_target) {
        j->to_target(s->x, result, n);
        result = s->x;
    }
    if (clary__is_half(t)) {
        clary__narrow(t, result, n, (uint16_t *)s->y);
        result = s->y;
    }
    job put = {.scatter = j->scatter,
               .target = j->target,
               .positions = s->at,
               .source = result,
               .step = 1};
    put_loop(clary_dtype_size(t))(&put, 0, (int64_t)n);
}

static void general(const job *j, int64_t first, int64_t end) {
    strips s;
    size_t n = 0;
    memset(s.seen, 0, sizeof s.seen);
    s.now = 1;
    for (int64_t i = first; i < end; i++) {
        int64_t at = j->positions[i];
        if ((uint64_t)at >= (uint64_t)j->scatter->target_size) continue;
        if (n == STRIP || (!j->scatter->distinct && s.seen[at % SEEN] == s.now)) {
            update(j, &s, n);
            n = 0;
            s.now++;
        }
        s.seen[at % SEEN] = s.now;
        s.at[n] = at;
        s.from[n++] = i * j->step;
    }
    update(j, &s, n);
}

static clary_status prepare_general(job *j) {
    const clary__scatter *s = j->scatter;
    clary_op_info info;
    TRY(clary_get_op_info((clary_op)s->op, &info));
    clary_dtype result = strcmp(info.rule, "TEST") ? s->compute : CLARY_BOOL;
    j->loop = general;
    j->op = clary__find_loop((clary_op)s->op, s->compute);
    FAIL_IF(!j->op || info.arity != 2, CLARY_INTERNAL, "%s: no reference loop for %s in %s",
            s->what ? s->what : "scatter", info.name, clary_dtype_name(s->compute));
    if (s->dtype != s->compute) j->to_compute = clary__find_cast(s->dtype, s->compute);
    if (s->dtype != result) j->to_target = clary__find_cast(result, s->dtype);
    return CLARY_OK;
}

/* ---- all of it ---- */

static clary_status task(void *context, int64_t number) {
    const job *j = context;
    int64_t first = number * j->per_task, end = first + j->per_task;
    j->loop(j, first, end < j->scatter->count ? end : j->scatter->count);
    return CLARY_OK;
}

clary_status clary__scatter_on_host(const clary__scatter *s, int threads) {
    job j = {.scatter = s,
             .target = s->target->host,
             .positions = s->positions->host,
             .source = s->source->host,
             .step = s->single ? 0 : 1,
             .per_task = s->count};
    if (s->op == CLARY__PUT)
        j.loop = put_loop(clary_dtype_size(s->dtype));
    else if (s->op == CLARY_OP_add && s->dtype == s->compute)
        j.loop = add_loop(s->dtype);
    if (!j.loop) TRY(prepare_general(&j));
    if (s->distinct && threads > 1 && s->count >= PARALLEL)
        j.per_task = (s->count + 4 * threads - 1) / (4 * threads);

    uint64_t count = (uint64_t)s->count, size = clary_dtype_size(s->dtype);
    CLARY__COUNT(launches, 1);
    CLARY__COUNT(host_runs, 1);
    CLARY__COUNT(bytes_kernels, count * (sizeof(int64_t) + (s->op == CLARY__PUT ? 1 : 2) * size) +
                                    (s->single ? 1 : count) * clary_dtype_size(s->compute));
    return clary__parallel(threads, (s->count + j.per_task - 1) / j.per_task, task, &j);
}
