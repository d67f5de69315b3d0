/* map.cl - element-wise kernels.
 *
 * Generated in front of this text: the parameters, BUFFERS and PASS (the operands, declared and passed
 * on), place and locate() (where the operands of a point are), and the expression itself, as point()
 * for one point, transform() for a fetched pack of neighbours and, on CPUs, run() for a run of them.
 */
#if CPU
/* Each work-item walks a long share of the points, row by row, in loops that compilers vectorise. */
__kernel void ENTRY(BUFFERS, PARAMS)
{
    const linear workers = (linear)get_global_size(0);
    const linear share = ((P->size + workers - 1) / workers + 63) / 64 * 64;
    linear i = share * (linear)get_global_id(0);
    const linear end = min(P->size, i + share);
    while (i < end) {
        const place at = locate(P, i);
        const linear count = min(ROW(P) - at.inner, end - i);
        run(PASS, P, at, count);
        i += count;
    }
}
#else
/* A work-item moves UNROLL packs that lie a work-group apart. All loads are issued before the first value
 * is needed, so that many bytes are in flight. The last work-group goes point by point. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ENTRY(BUFFERS, PARAMS)
{
    const linear worker = (linear)get_local_id(0);
    const linear first = (linear)get_group_id(0) * (GROUP * PACK * UNROLL);
    if (first + GROUP * PACK * UNROLL <= P->size) {
        place at[UNROLL];
        fetched in[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            at[u] = locate(P, first + (u * GROUP + worker) * PACK);
            fetch(PASS, P, at[u], &in[u]);
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) transform(PASS, P, at[u], &in[u]);
    } else {
        #pragma unroll 1
        for (linear i = first + worker; i < P->size; i += GROUP) point(PASS, P, i);
    }
}
#endif
