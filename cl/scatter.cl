/* scatter.cl - target[positions[i]] takes a step with source[i], for every i: see struct clary__scatter in
 * src/graph/group.h.
 *
 * Generated in front of this text: TARGET and SOURCE, the types of elements in memory; next(x, y), what
 * becomes of x when y arrives; PUT, whether that is y; ORDERED; RUN; for atomic variants ATOMIC(to, y).
 * A work-item handles `share` neighbours.
 *
 * Where the order of steps matters, positions come sorted, stably, and `order` says where each was. Steps
 * on one element are then neighbours in the order in which they are due, and the work-item of the first of
 * them makes them all. Sources are fetched RUN at a time: a long chain should wait for its steps alone.
 */
typedef struct params {
    long count, share;
    long source_step; /* 0: one source for all */
} params;

#if ORDERED

#define BUFFERS                                                                                    \
    __global TARGET *restrict target, const __global long *restrict sorted,                        \
        const __global long *restrict order, const __global SOURCE *restrict source

static inline void visit(BUFFERS, const params *p, long i)
{
    const long at = sorted[i];
    if (at < 0) return;
#if PUT /* the last wins */
    if (i + 1 == p->count || sorted[i + 1] != at) target[at] = source[order[i] * p->source_step];
#else
    if (i > 0 && sorted[i - 1] == at) return;
    TARGET value = target[at];
    for (; i + RUN <= p->count && sorted[i + RUN - 1] == at; i += RUN) {
        SOURCE got[RUN];
        #pragma unroll
        for (int r = 0; r < RUN; ++r) got[r] = source[order[i + r] * p->source_step];
        #pragma unroll
        for (int r = 0; r < RUN; ++r) value = next(value, got[r]);
    }
    for (; i < p->count && sorted[i] == at; ++i) value = next(value, source[order[i] * p->source_step]);
    target[at] = value;
#endif
}
#define PASS target, sorted, order, source

#else

#define BUFFERS                                                                                    \
    __global TARGET *restrict target, const __global long *restrict positions,                     \
        const __global SOURCE *restrict source

static inline void visit(BUFFERS, const params *p, long i)
{
    const long at = positions[i];
    const SOURCE y = source[i * p->source_step];
    if (at < 0) return;
#if defined(ATOMIC)
    ATOMIC(target + at, y);
#elif PUT
    target[at] = y;
#else
    target[at] = next(target[at], y);
#endif
}
#define PASS target, positions, source

#endif

__kernel void ENTRY(BUFFERS, const params p)
{
    const long first = p.share * (long)get_global_id(0), end = min(p.count, first + p.share);
    for (long i = first; i < end; ++i) visit(PASS, &p, i);
}
