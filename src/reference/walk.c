/* walk.c - runs of equal stride, and the loops over them. */
#include "reference/walk.h"
#include <string.h>

void clary__walk_init(clary__walk *walk, const clary__space *space, const clary__operand *operand) {
    int64_t offset = operand->offset;
    int last = -1;
    for (int d = 0; d < space->rank; d++) offset += space->start[d] * operand->strides[d];
    for (int i = 0; i < space->ndim; i++) {
        int64_t extent = space->shape[i], stride = operand->strides[space->dim[i]];
        if (extent == 1) continue;
        if (last >= 0 && walk->strides[last] == stride * extent) {
            walk->shape[last] *= extent;
        } else {
            last++;
            walk->shape[last] = extent;
        }
        walk->strides[last] = stride;
    }
    if (last < 0) {
        last = 0;
        walk->shape[0] = walk->strides[0] = 1;
    }
    walk->ndim = last + 1;
    walk->offset = offset;
    walk->flat = last == 0 && walk->strides[0] == 1;
}

/* A position that moves over the runs of a walk. */
typedef struct cursor {
    int64_t at, left; /* element; points left in this run */
    int64_t coordinate[CLARY_MAX_NDIM];
} cursor;

static void seek(const clary__walk *w, int64_t point, cursor *c) {
    int last = w->ndim - 1;
    c->at = w->offset;
    for (int d = last; d > 0; d--) {
        c->coordinate[d] = point % w->shape[d];
        point /= w->shape[d];
        c->at += c->coordinate[d] * w->strides[d];
    }
    c->coordinate[0] = point;
    c->at += point * w->strides[0];
    c->left = w->shape[last] - c->coordinate[last];
}

/* To the start of the next run; the cursor is at coordinate[last] of this one. */
static inline void next_run(const clary__walk *w, cursor *c) {
    int d = w->ndim - 1;
    c->at -= c->coordinate[d] * w->strides[d];
    c->coordinate[d] = 0;
    c->left = w->shape[d];
    while (--d >= 0) {
        c->at += w->strides[d];
        if (++c->coordinate[d] < w->shape[d]) return;
        c->at -= c->coordinate[d] * w->strides[d];
        c->coordinate[d] = 0;
    }
}

/* BODY(at, stride, count, done): elements at, at + stride, ... are points done, done + 1, ... */
#define EACH_RUN(w, point, n, BODY)                                                                \
    cursor c;                                                                                      \
    seek(w, point, &c);                                                                            \
    int64_t stride = (w)->strides[(w)->ndim - 1];                                                  \
    for (size_t done = 0;;) {                                                                      \
        size_t count = n - done < (size_t)c.left ? n - done : (size_t)c.left;                      \
        BODY done += count;                                                                        \
        if (done == n) break;                                                                      \
        next_run(w, &c);                                                                           \
    }

typedef struct bytes16 {
    uint64_t a, b;
} bytes16;

#define COPIES(T)                                                                                  \
    static void read_##T(const clary__walk *w, const T *base, int64_t point, size_t n, T *out) {   \
        EACH_RUN(w, point, n, {                                                                    \
            const T *from = base + c.at;                                                           \
            T *to = out + done;                                                                    \
            if (stride == 1)                                                                       \
                for (size_t k = 0; k < count; k++) to[k] = from[k];                                \
            else                                                                                   \
                for (size_t k = 0; k < count; k++) to[k] = from[(int64_t)k * stride];              \
        })                                                                                         \
    }                                                                                              \
    static void write_##T(const clary__walk *w, T *base, int64_t point, size_t n, const T *in) {   \
        EACH_RUN(w, point, n, {                                                                    \
            T *to = base + c.at;                                                                   \
            const T *from = in + done;                                                             \
            if (stride == 1)                                                                       \
                for (size_t k = 0; k < count; k++) to[k] = from[k];                                \
            else                                                                                   \
                for (size_t k = 0; k < count; k++) to[(int64_t)k * stride] = from[k];              \
        })                                                                                         \
    }
COPIES(uint8_t)
COPIES(uint16_t)
COPIES(uint32_t)
COPIES(uint64_t)
COPIES(bytes16)

void clary__walk_read(const clary__walk *walk, const void *base, size_t size, int64_t point,
                      size_t n, void *out) {
    switch (size) {
    case 1: read_uint8_t(walk, base, point, n, out); break;
    case 2: read_uint16_t(walk, base, point, n, out); break;
    case 4: read_uint32_t(walk, base, point, n, out); break;
    case 8: read_uint64_t(walk, base, point, n, out); break;
    default: read_bytes16(walk, base, point, n, out);
    }
}

void clary__walk_write(const clary__walk *walk, void *base, size_t size, int64_t point, size_t n,
                       const void *from) {
    switch (size) {
    case 1: write_uint8_t(walk, base, point, n, from); break;
    case 2: write_uint16_t(walk, base, point, n, from); break;
    case 4: write_uint32_t(walk, base, point, n, from); break;
    case 8: write_uint64_t(walk, base, point, n, from); break;
    default: write_bytes16(walk, base, point, n, from);
    }
}

void clary__walk_index(const clary__walk *walk, int64_t point, size_t n, int64_t *out) {
    EACH_RUN(walk, point, n, {
        for (size_t k = 0; k < count; k++) out[done + k] = c.at + (int64_t)k * stride;
    })
}
