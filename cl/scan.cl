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
 * do that for neighbouring rows. Stream: a work-item scans rows by itself; else a work-group scans a tile.
 */
#define RADIX 16

#define MOST_LEVELS 10 /* 16^10 points */

#if STREAM && COLUMNS

/* The scans of `width` neighbouring rows, point by point. inside[d]: local value of the current run of
 * level d; before[d]: S of the level above, before that run. */
static inline void scan_rows(BUFFERS, params_ref p, place row, int width)
{
    acc inside[MOST_LEVELS][WIDTH], before[MOST_LEVELS][WIDTH], got[WIDTH];
    for (linear k = 0; k < p->length; ++k) {
        run(PASS, p, row, k, width, got);
        VECTORIZE
        for (int e = 0; e < width; ++e) {
            inside[0][e] = k % RADIX ? fold(inside[0][e], got[e]) : got[e];
            got[e] = k < RADIX ? inside[0][e] : fold(before[0][e], inside[0][e]);
        }
        finish_run(PASS, p, row, k, width, got);
        linear j = k;
        for (int d = 1; j % RADIX == RADIX - 1 && d < MOST_LEVELS; ++d) { /* a run ends: one level up */
            j /= RADIX;
            for (int e = 0; e < width; ++e) {
                inside[d][e] = j % RADIX ? fold(inside[d][e], inside[d - 1][e]) : inside[d - 1][e];
                before[d - 1][e] = j < RADIX ? inside[d][e] : fold(before[d][e], inside[d][e]);
            }
        }
    }
}

__kernel void ENTRY(BUFFERS, PARAMS)
{
    const linear tiles = (ROW(P) + WIDTH - 1) / WIDTH, units = P->kept / ROW(P) * tiles;
    const linear workers = (linear)get_global_size(0);
    for (linear unit = (linear)get_global_id(0); unit < units; unit += workers) {
        const linear row = unit / tiles, tile = unit - row * tiles;
        const int width = (int)min((linear)WIDTH, ROW(P) - tile * WIDTH);
        scan_rows(PASS, P, start(P, row * ROW(P) + tile * WIDTH), width);
    }
}

#elif STREAM

/* Turns a run, the j-th, into S of its points; before[0] becomes S of level 1 at j. */
static inline void scan_run(acc *run, linear j, acc *inside, acc *before)
{
    #pragma unroll
    for (int s = 1; s < RADIX; ++s) run[s] = fold(run[s - 1], run[s]);
    acc total = run[RADIX - 1];
    if (j > 0) {
        #pragma unroll
        for (int s = 0; s < RADIX; ++s) run[s] = fold(before[0], run[s]);
    }
    for (int d = 1; d < MOST_LEVELS; ++d) { /* total is element j of level d */
        inside[d] = j % RADIX ? fold(inside[d], total) : total;
        before[d - 1] = j < RADIX ? inside[d] : fold(before[d], inside[d]);
        if (j % RADIX != RADIX - 1) break;
        total = inside[d];
        j /= RADIX;
    }
}

#if EXCHANGE

/* A work-item a row, 16 points at a time; neighbouring work-items move neighbouring points. */
#define SLOT(x, k) ((x) * (RADIX + 1) + (k))
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ENTRY(BUFFERS, PARAMS)
{
    __local acc points[SLOT(GROUP, 0)];
    const int worker = (int)get_local_id(0), x = worker / RADIX, k = worker % RADIX;
    const linear first = (linear)get_group_id(0) * GROUP;
    acc inside[MOST_LEVELS], before[MOST_LEVELS];
    for (linear at = 0; at < P->length; at += RADIX) {
        acc mine[RADIX];
        for (int r = x; r < GROUP; r += GROUP / RADIX)
            if (first + r < P->kept && at + k < P->length)
                points[SLOT(r, k)] = point(PASS, P, start(P, first + r), at + k);
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int s = 0; s < RADIX; ++s) mine[s] = points[SLOT(worker, s)];
        scan_run(mine, at / RADIX, inside, before);
        #pragma unroll
        for (int s = 0; s < RADIX; ++s) points[SLOT(worker, s)] = mine[s];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = x; r < GROUP; r += GROUP / RADIX)
            if (first + r < P->kept && at + k < P->length)
                finish(PASS, P, start(P, first + r), at + k, points[SLOT(r, k)]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

/* A work-item a row, 16 points in flight. */
__kernel void ENTRY(BUFFERS, PARAMS)
{
    const linear workers = (linear)get_global_size(0);
    for (linear output = (linear)get_global_id(0); output < P->kept; output += workers) {
        const place row = start(P, output);
        acc inside[MOST_LEVELS], before[MOST_LEVELS];
        linear at = 0;
        for (; at + RADIX <= P->length; at += RADIX) {
            acc mine[RADIX];
            #pragma unroll
            for (int s = 0; s < RADIX; ++s) mine[s] = point(PASS, P, row, at + s);
            scan_run(mine, at / RADIX, inside, before);
            #pragma unroll
            for (int s = 0; s < RADIX; ++s) finish(PASS, P, row, at + s, mine[s]);
        }
        acc last = before[0];
        for (; at < P->length; ++at) { /* a run that is not whole */
            const acc got = point(PASS, P, row, at);
            last = at % RADIX ? fold(last, got) : got;
            finish(PASS, P, row, at, at < RADIX ? last : fold(before[0], last));
        }
    }
}
#endif

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
    /* Behind the end of a short tile, values are whatever they are: nothing before them depends on them. */
#if EXCHANGE
    __local acc points[SLOT(TILE)];
    if (m == TILE) {
        #pragma unroll
        for (int s = 0; s < RADIX; ++s)
            points[SLOT(s * GROUP + worker)] = point(PASS, P, row, first + s * GROUP + worker);
    } else {
        for (int k = worker; k < m; k += GROUP) points[SLOT(k)] = point(PASS, P, row, first + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int s = 0; s < RADIX; ++s) mine[s] = points[SLOT(worker * RADIX + s)];
#else
    #pragma unroll
    for (int s = 0; s < RADIX; ++s)
        if (worker * RADIX + s < m) mine[s] = point(PASS, P, row, first + worker * RADIX + s);
#endif
    #pragma unroll
    for (int s = 1; s < RADIX; ++s) mine[s] = fold(mine[s - 1], mine[s]);
    runs[SLOT(worker)] = mine[RADIX - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (worker < RADIX) {
        acc total = runs[SLOT(worker * RADIX)];
        #pragma unroll
        for (int q = 1; q < RADIX; ++q) {
            total = fold(total, runs[SLOT(worker * RADIX + q)]);
            runs[SLOT(worker * RADIX + q)] = total;
        }
        tops[worker] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (worker == 0) {
        acc total = tops[0];
        #pragma unroll
        for (int q = 1; q < RADIX; ++q) tops[q] = total = fold(total, tops[q]);
    }
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
    } else {
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
        points[SLOT(worker * RADIX + s)] = carried ? fold(carry, mine[s]) : mine[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (m == TILE) {
        #pragma unroll
        for (int s = 0; s < RADIX; ++s)
            finish(PASS, P, row, first + s * GROUP + worker, points[SLOT(s * GROUP + worker)]);
    } else {
        for (int k = worker; k < m; k += GROUP) finish(PASS, P, row, first + k, points[SLOT(k)]);
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
