/* scan.cl - running sums, products, maxima: see Note [Order of scans] in src/graph/group.h.
 *
 * Levels of radix 16. Level 0 are the points; the totals of runs of 16 are the elements of the next level.
 * Inside a run the local values rise from its first element; the scan S of a level is
 *
 *   S(j) = local(j) for j < 16, else fold(S of the level above, at j / 16 - 1, local(j)).
 *
 * A tile is 4096 points = 16^3: three levels, all local values of which one work-group knows. It needs S of
 * the three levels above, just before the tile: that of level 3 is the scan of the tile totals, the
 * others follow from what the tile before it hands on.
 *
 * Generated in front of this text: the parameters; BUFFERS and PASS; acc and fold(); start(), the place of
 * a row; point(), the value of a point; finish(), the epilogue for a point. By columns, run() and finish_run()
 * do that for neighbouring rows.
 */
#define RADIX 16

#if STREAM

#define MOST_LEVELS 10 /* 16^10 points */

#if COLUMNS
#define EACH for (int e = 0; e < width; ++e)
#else
#define WIDTH 1
#define EACH const int e = 0;
#endif

/* The scans of WIDTH neighbouring rows, point by point. inside[d]: local value of the current run of level
 * d; before[d]: S of the level above, before that run. */
static inline void scan_rows(BUFFERS, params_ref p, place row, int width)
{
    acc inside[MOST_LEVELS][WIDTH], before[MOST_LEVELS][WIDTH], got[WIDTH];
    for (linear k = 0; k < p->length; ++k) {
#if COLUMNS
        run(PASS, p, row, k, width, got, 1);
#else
        got[0] = point(PASS, p, row, k);
#endif
        if (k % RADIX) {
            EACH inside[0][e] = fold(inside[0][e], got[e]);
        } else {
            EACH inside[0][e] = got[e];
        }
        if (k < RADIX) {
            EACH got[e] = inside[0][e];
        } else {
            EACH got[e] = fold(before[0][e], inside[0][e]);
        }
#if COLUMNS
        finish_run(PASS, p, row, k, width, got);
#else
        finish(PASS, p, row, k, got[0]);
#endif
        linear j = k;
        for (int d = 1; j % RADIX == RADIX - 1 && d < MOST_LEVELS; ++d) { /* a run ends: one level up */
            j /= RADIX;
            EACH {
                inside[d][e] = j % RADIX ? fold(inside[d][e], inside[d - 1][e]) : inside[d - 1][e];
                before[d - 1][e] = j < RADIX ? inside[d][e] : fold(before[d][e], inside[d][e]);
            }
        }
    }
}

__kernel void ENTRY(BUFFERS, PARAMS)
{
    const linear worker = (linear)get_global_id(0), workers = (linear)get_global_size(0);
#if COLUMNS
    const linear tiles = (ROW(P) + WIDTH - 1) / WIDTH, units = P->kept / ROW(P) * tiles;
    for (linear unit = worker; unit < units; unit += workers) {
        const linear row = unit / tiles, tile = unit - row * tiles;
        const int width = (int)min((linear)WIDTH, ROW(P) - tile * WIDTH);
        scan_rows(PASS, P, start(P, row * ROW(P) + tile * WIDTH), width);
    }
#else
    for (linear row = worker; row < P->kept; row += workers) scan_rows(PASS, P, start(P, row), 1);
#endif
}

#else

#define TILE 4096
#define SLOT(i) ((i) + ((i) >> 4)) /* keeps runs of 16 out of each other's banks */

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ENTRY(BUFFERS, PARAMS)
{
    __local acc runs[SLOT(GROUP)]; /* local values of level 1 */
    __local acc tops[RADIX];       /* of level 2 */
    const int worker = (int)get_local_id(0);
    const linear unit = (linear)get_group_id(0), output = unit / P->parts, tile = unit - output * P->parts;
    const linear first = tile * TILE;
    const int m = (int)min((linear)TILE, P->length - first);
    const place row = start(P, output);
    acc mine[RADIX]; /* the run of this worker */
#if EXCHANGE
    __local acc points[SLOT(TILE)];
    #pragma unroll
    for (int s = 0; s < RADIX; ++s) {
        const int k = s * GROUP + worker;
        if (k < m) points[SLOT(k)] = point(PASS, P, row, first + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int s = 0; s < RADIX; ++s)
        if (worker * RADIX + s < m) mine[s] = points[SLOT(worker * RADIX + s)];
#else
    #pragma unroll
    for (int s = 0; s < RADIX; ++s)
        if (worker * RADIX + s < m) mine[s] = point(PASS, P, row, first + worker * RADIX + s);
#endif
    #pragma unroll
    for (int s = 1; s < RADIX; ++s)
        if (worker * RADIX + s < m) mine[s] = fold(mine[s - 1], mine[s]);
    const int full = m / RADIX; /* runs that are complete, and so hand on a total */
    if (worker < full) runs[SLOT(worker)] = mine[RADIX - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (worker < RADIX && worker * RADIX < full) {
        acc total = runs[SLOT(worker * RADIX)];
        for (int q = 1; q < RADIX && worker * RADIX + q < full; ++q) {
            total = fold(total, runs[SLOT(worker * RADIX + q)]);
            runs[SLOT(worker * RADIX + q)] = total;
        }
        tops[worker] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (worker == 0)
        for (int q = 1; (q + 1) * RADIX <= full; ++q) tops[q] = fold(tops[q - 1], tops[q]);
    barrier(CLK_LOCAL_MEM_FENCE);

#if TOTALS
    /* What the next tile needs: the last of level 2, the last but one, the last of level 1. */
    if (worker == 0 && m == TILE) {
        const linear units = P->kept * P->parts;
        totals[unit] = tops[RADIX - 1];
        totals[units + unit] = tops[RADIX - 2];
        totals[2 * units + unit] = runs[SLOT(GROUP - 1)];
    }
#else
    acc s1, s2, s3; /* S of levels 1, 2, 3 before the tile */
    if (tile > 0) {
        const linear units = P->kept * P->parts, last = unit - 1;
        s3 = scanned[last];
        s2 = totals[last];
        s1 = totals[units + last];
        if (tile > 1) {
            s2 = fold(scanned[last - 1], s2);
            s1 = fold(scanned[last - 1], s1);
        }
        s1 = fold(s1, totals[2 * units + last]);
    }
    acc carry; /* S of level 1 before this worker's run */
    const bool carried = tile > 0 || worker > 0;
    if (worker == 0) {
        if (tile > 0) carry = s1;
    } else if (worker - 1 < full) {
        const int top = (worker - 1) / RADIX;
        carry = runs[SLOT(worker - 1)];
        if (top > 0) {
            const acc above = tops[top - 1];
            carry = fold(tile > 0 ? fold(s3, above) : above, carry);
        } else if (tile > 0) {
            carry = fold(s2, carry);
        }
    }
#if EXCHANGE
    #pragma unroll
    for (int s = 0; s < RADIX; ++s)
        if (worker * RADIX + s < m)
            points[SLOT(worker * RADIX + s)] = carried ? fold(carry, mine[s]) : mine[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int s = 0; s < RADIX; ++s) {
        const int k = s * GROUP + worker;
        if (k < m) finish(PASS, P, row, first + k, points[SLOT(k)]);
    }
#else
    #pragma unroll
    for (int s = 0; s < RADIX; ++s)
        if (worker * RADIX + s < m)
            finish(PASS, P, row, first + worker * RADIX + s, carried ? fold(carry, mine[s]) : mine[s]);
#endif
#endif
}
#endif
