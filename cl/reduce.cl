/* reduce.cl - reductions whose order is a function of their length alone: see Note [Order of reductions]
 * in src/graph/group.h. The same bits on every device, for every layout and axis.
 *
 * A block of up to 16384 points is dealt to 1024 lanes, and the lanes combine by halving. Who computes
 * a lane is free, so each variant deals lanes to work-items as its memory accesses like it:
 *
 *   WORKERS work-items share a kept point, SIDE = GROUP / WORKERS kept points (times PACK by columns) share
 *   a work-group. HELD lanes are in the workers' hands at a time: worker y has lane y (columns: PACK is
 *   along the kept points) or lanes y*PACK .. y*PACK + PACK-1 (rows: PACK is along the reduced ones). So a
 *   worker computes the lanes that are HELD apart from its own, and halving down to HELD lanes is its private
 *   matter; only the last HELD lanes meet in local memory.
 *
 * The private lanes come in LEAVES leaves of LEAF lanes. Leaves in bit-reversed order let the halving
 * tree be folded as a binary counter: leaf i merges with as many neighbours as i has trailing ones.
 *
 * Generated in front of this text: the parameters; BUFFERS and PASS; acc and fold(); start(), the place of
 * a kept point; point() and points(), the values of one reduced point or PACK of them; run(), the same for a
 * run of them, on CPUs; finish(), the epilogue. A lane without points takes no part; `m` counts the points
 * of a block.
 */
#define LANES 1024
#define BLOCK 16384

/* The result of one block: done if it is the only one, else for the next stage. */
static inline void deliver(BUFFERS, params_ref p, linear output, linear block, acc result)
{
    if (p->parts == 1)
        finish(PASS, p, output, result);
    else
        part[output * p->parts + block] = result;
}

#if CPU && !COLUMNS

/* All 1024 lanes in one array, side by side, for vector registers. */
__kernel void ENTRY(BUFFERS, PARAMS)
{
    acc lanes[LANES];
    const linear units = P->kept * P->parts, workers = (linear)get_global_size(0);
    const linear share = (units + workers - 1) / workers, begin = share * (linear)get_global_id(0);
    for (linear unit = begin; unit < min(units, begin + share); ++unit) {
        const linear output = unit / P->parts, block = unit - output * P->parts, first = block * BLOCK;
        const int m = (int)min((linear)BLOCK, P->length - first);
        const place row = start(P, output);
        int held = min(m, LANES);
        run(PASS, P, row, first, held, lanes, 1);
        for (int k = LANES; k < m; k += LANES) run(PASS, P, row, first + k, min(m - k, LANES), lanes, 0);
        for (int h = LANES / 2; h > 0; h /= 2) {
            const int pairs = held - h;
            VECTORIZE
            for (int l = 0; l < pairs; ++l) lanes[l] = fold(lanes[l], lanes[l + h]);
            held = min(held, h);
        }
        deliver(PASS, P, output, block, lanes[0]);
    }
}

#elif CPU

/* WIDTH neighbouring kept points at a time; lanes one after the other. */
__kernel void ENTRY(BUFFERS, PARAMS)
{
    acc stack[11][WIDTH];
    const linear tiles = (ROW(P) + WIDTH - 1) / WIDTH, rows = P->kept / ROW(P);
    const linear units = tiles * rows * P->parts, workers = (linear)get_global_size(0);
    const linear share = (units + workers - 1) / workers, begin = share * (linear)get_global_id(0);
    for (linear unit = begin; unit < min(units, begin + share); ++unit) {
        const linear tile = unit % tiles, row = unit / tiles % rows, block = unit / tiles / rows;
        const linear first = block * BLOCK, output = row * ROW(P) + tile * WIDTH;
        const int m = (int)min((linear)BLOCK, P->length - first);
        const int width = (int)min((linear)WIDTH, ROW(P) - tile * WIDTH);
        const place at = start(P, output);
        int bits = 0, top = 0;
        uint filled = 0; /* bit t: stack[t] holds something */
        while (1 << bits < min(m, LANES)) ++bits;
        for (int i = 0; i < 1 << bits; ++i) {
            int lane = 0;
            for (int b = 0; b < bits; ++b) lane |= (i >> b & 1) << (bits - 1 - b);
            for (int k = lane; k < m; k += LANES) run(PASS, P, at, first + k, width, stack[top], k == lane);
            filled = (filled & ~(1u << top)) | (uint)(lane < m) << top;
            for (int t = i; t & 1; t >>= 1) {
                const acc *right = stack[top];
                acc *left = stack[--top];
                if (!(filled >> (top + 1) & 1)) continue;
                VECTORIZE
                for (int e = 0; e < width; ++e) left[e] = fold(left[e], right[e]);
            }
            ++top;
        }
        for (int e = 0; e < width; ++e) deliver(PASS, P, output + e, block, stack[0][e]);
    }
}

#else

#if COLUMNS
#define LANE(y, e) (y)
#define SPAN 1 /* lanes of a pack */
#define SLOT(x, lane, e) (((lane) * SIDE + (x)) * PACK + (e))
#define OUTPUTS PACK /* of a work-item */
#else
#define LANE(y, e) ((y) * PACK + (e))
#define SPAN PACK
#define SLOT(x, lane, e) ((x) * HELD + (lane))
#define OUTPUTS 1
#endif

/* Points of PACK neighbours at lane `lane`, as far as there are m points. Where a lane has one point, rows
 * are whole packs. */
static inline void take(BUFFERS, params_ref p, place row, linear first, int lane, int m, acc *to)
{
#if BRIEF || SPAN == 1
    if (lane < m) points(PASS, p, row, first + lane, to);
#else
    if (lane + SPAN <= m) {
        points(PASS, p, row, first + lane, to);
    } else {
        #pragma unroll
        for (int e = 0; e < SPAN; ++e)
            if (lane + e < m) to[e] = point(PASS, p, row, first + lane + e);
    }
#endif
}

/* The lanes of leaf j, combined into one (or PACK) of them. */
static inline void leaf(BUFFERS, params_ref p, place row, linear first, int m, int y, int j, acc *v)
{
#if BRIEF /* a point a lane: LEAF lanes at once */
    acc got[LEAF][PACK];
    #pragma unroll
    for (int g = 0; g < LEAF; ++g)
        take(PASS, p, row, first, LANE(y, 0) + HELD * (j + LEAVES * g), m, got[g]);
    #pragma unroll
    for (int level = 1; LEAF >> level; ++level) {
        #pragma unroll
        for (int g = 0; g < LEAF / 2; ++g) {
            const int other = g + (LEAF >> level);
            #pragma unroll
            for (int e = 0; e < PACK; ++e)
                if (g < LEAF >> level && LANE(y, e) + HELD * (j + LEAVES * other) < m)
                    got[g][e] = fold(got[g][e], got[other][e]);
        }
    }
    #pragma unroll
    for (int e = 0; e < PACK; ++e) v[e] = got[0][e];
#elif COLUMNS /* one lane, 1024 points apart, UNROLL of them in flight */
    const int lane = y + HELD * j;
    for (int r = 0; lane + r * LANES < m; r += UNROLL) {
        acc got[UNROLL][PACK];
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            if (u == 0 || lane + (r + u) * LANES < m)
                points(PASS, p, row, first + lane + (r + u) * LANES, got[u]);
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            #pragma unroll
            for (int e = 0; e < PACK; ++e)
                if (u == 0 || lane + (r + u) * LANES < m) v[e] = r + u ? fold(v[e], got[u][e]) : got[u][e];
        }
    }
#else /* the same by rows, where packs at the end may be short */
    const int lane = LANE(y, 0) + HELD * j, whole = m / LANES;
    int r = 0;
    for (; r + UNROLL <= whole; r += UNROLL) {
        acc got[UNROLL][PACK];
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) points(PASS, p, row, first + lane + (r + u) * LANES, got[u]);
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            #pragma unroll
            for (int e = 0; e < PACK; ++e) v[e] = r + u ? fold(v[e], got[u][e]) : got[u][e];
        }
    }
    for (; r * LANES < m; ++r) {
        acc got[PACK];
        take(PASS, p, row, first, lane + r * LANES, m, got);
        #pragma unroll
        for (int e = 0; e < PACK; ++e)
            if (lane + e + r * LANES < m) v[e] = r ? fold(v[e], got[e]) : got[e];
    }
#endif
}

/* All private lanes of worker y, combined into LANE(y, 0) and its pack. */
static inline void gather(BUFFERS, params_ref p, place row, linear first, int m, int y, acc *v)
{
#if LEAVES == 1
    leaf(PASS, p, row, first, m, y, 0, v);
#else
    acc stack[LEVELS][PACK];
    #pragma unroll 1
    for (int i = 0; i < LEAVES; ++i) {
        int j = 0;
        #pragma unroll
        for (int b = 0; b < LEVELS; ++b) j |= (i >> b & 1) << (LEVELS - 1 - b);
        leaf(PASS, p, row, first, m, y, j, v);
        bool carry = true;
        #pragma unroll
        for (int level = 0; level < LEVELS; ++level) {
            const int node = j & ((LEAVES >> level) - 1); /* first leaf under the right side */
            const bool right = i >> level & 1;
            #pragma unroll
            for (int e = 0; e < PACK; ++e) {
                if (carry && right)
                    v[e] = LANE(y, e) + HELD * node < m ? fold(stack[level][e], v[e]) : stack[level][e];
                else if (carry)
                    stack[level][e] = v[e];
            }
            carry = carry && right;
        }
    }
#endif
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ENTRY(BUFFERS, PARAMS)
{
    const int worker = (int)get_local_id(0);
    const linear group = (linear)get_group_id(0);
#if COLUMNS
    const int x = worker % SIDE, y = worker / SIDE;
    const linear tiles = (P->kept + SIDE * PACK - 1) / (SIDE * PACK), block = group / tiles;
    const linear output = ((group - block * tiles) * SIDE + x) * PACK;
#else
    const int x = worker / WORKERS, y = worker % WORKERS;
    const linear unit = group * SIDE + x, output = unit / P->parts, block = unit - output * P->parts;
#endif
    const bool active = output < P->kept;
    const linear first = block * BLOCK;
    const int m = active ? (int)min((linear)BLOCK, P->length - first) : 0;
    acc mine[PACK];
    if (LANE(y, 0) < m) gather(PASS, P, start(P, output), first, m, y, mine);
#if WORKERS > 1
    __local acc shared[SIDE * OUTPUTS * HELD];
    #pragma unroll
    for (int e = 0; e < PACK; ++e) shared[SLOT(x, LANE(y, e), e)] = mine[e];
    int lanes = min(m, HELD);
    for (int h = HELD / 2; h > 0; h /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int l = y; l < h && l + h < lanes; l += WORKERS) {
            #pragma unroll
            for (int e = 0; e < OUTPUTS; ++e)
                shared[SLOT(x, l, e)] = fold(shared[SLOT(x, l, e)], shared[SLOT(x, l + h, e)]);
        }
        lanes = min(lanes, h);
    }
    if (y == 0 && active)
        for (int e = 0; e < OUTPUTS; ++e) deliver(PASS, P, output + e, block, shared[SLOT(x, 0, e)]);
#else
#if !COLUMNS
    #pragma unroll
    for (int level = 1; PACK >> level; ++level) { /* the lanes of the pack are all there are */
        #pragma unroll
        for (int e = 0; e < PACK / 2; ++e) {
            const int other = e + (PACK >> level);
            if (e < PACK >> level && other < m) mine[e] = fold(mine[e], mine[other]);
        }
    }
#endif
    if (active) {
        #pragma unroll
        for (int e = 0; e < OUTPUTS; ++e) deliver(PASS, P, output + e, block, mine[e]);
    }
#endif
}
#endif
