/* sort.cl - stable sorts of rows by Note [Sort order], src/graph/group.h.
 *
 * An element has a key: an unsigned integer whose order is the order asked for (descending: inverted). What moves
 * are elements, with all their bits, and where asked for the place each came from.
 *
 * SHORT rows: a work-group sorts whole rows in local memory by a bitonic network over (key, place); places
 * differ, so that the result is the stable one.
 *
 * Longer rows are sorted byte after byte of the key, the lowest first: a pass deals the elements to 256 digits
 * and keeps the order in each. A row is cut into parts, one for a work-group. COUNT: how often each digit
 * occurs in a part. SCAN: for every digit, what lies in the parts before. SCATTER: a part moves its elements.
 * A work-group of a GPU sorts tiles by digit in local memory first, so that it writes consecutive elements.
 * Passes whose byte is the same everywhere in each row do nothing: the count of the first pass notes, in
 * state[0], the bytes that differ. The remaining ones alternate between a spare buffer and the result, so
 * that the last one writes the result.
 *
 * Generated in front of this text: ENTRY, GROUP, the kind of kernel, BITS, an unsigned integer as wide as a number;
 * INFINITE, the bits of infinity, for floats; ELEMENT, COMPLEX; KEY, KEY_BYTES; PLACES (are moved); WIDE (a row has
 * 2^31 elements or more).
 */
#if WIDE
typedef ulong linear; /* a place in a row */
#else
typedef uint linear;
#endif

typedef struct params {
    ulong rows, length;
    ulong parts, part; /* of a row; elements of each, but for the last */
    ulong flip;        /* turns keys into what is sorted */
    int pass;
    int values, order; /* what is asked for */
    int scanned;       /* SCAN has run */
    int levels;        /* SHORT: rows are padded to 2^levels */
} params;

/* ---- keys ---- */

typedef BITS bits;
typedef KEY key;
typedef ELEMENT element; /* complex: two numbers, x and y */
#define TOP ((bits)((bits)1 << (8 * sizeof(bits) - 1)))
#define ALL ((bits)~(bits)0)

/* Signed integers have their top bit turned by flip. Floats: negative ones are turned over; NaNs are one. */
static inline bits number_key(bits u)
{
#ifdef INFINITE
    const bits size = u & (bits)~TOP;
    return size > (bits)INFINITE ? ALL : !size ? TOP : u & TOP ? (bits)~u : (bits)(u | TOP);
#else
    return u;
#endif
}

/* Complex: (real, imaginary). What has a NaN goes where the real part leaves room behind infinity. */
static inline key key_of(element e, ulong flip)
{
#if COMPLEX
    bits high = number_key(e.x), low = number_key(e.y);
    if (high == ALL) {
        high = (TOP | INFINITE) + (low == ALL ? 3 : 2);
    } else if (low == ALL) {
        low = high;
        high = (TOP | INFINITE) + 1;
    }
#if KEY_BYTES == 16
    return (key)(low, high) ^ flip;
#else
    return ((key)high << 32 | low) ^ flip;
#endif
#else
    return number_key(e) ^ (bits)flip;
#endif
}

static inline uint digit_of(key k, int pass)
{
#if KEY_BYTES == 16
    return (uint)((pass < 8 ? k.x : k.y) >> (8 * (pass & 7))) & 255;
#else
    return (uint)(k >> (8 * pass)) & 255;
#endif
}

#if SHORT

#define HELD 8 /* elements that a work-item takes in hand at a time */
#define CAPACITY (GROUP * HELD)
#define SLOT(i) ((i) + ((i) >> 3)) /* keeps strides of 8 out of each other's banks */

typedef struct item {
    key k;
    ushort place;
} item;

static inline bool is_after(item a, item b)
{
#if KEY_BYTES == 16
    return a.k.y != b.k.y   ? a.k.y > b.k.y
           : a.k.x != b.k.x ? a.k.x > b.k.x
                            : a.place > b.place;
#else
    return a.k != b.k ? a.k > b.k : a.place > b.place;
#endif
}

/* Takes 8 items that are 2^step apart in hand, and does what levels [level, last] of the network do with
 * distances from 2^step on, below 2^below. Level l merges pairs of sorted sequences of 2^(l-1) items into one. */
CLARY_INLINED void visit(__local key *keys, __local ushort *places, int worker, int step, int below, int level,
                         int last, int levels)
{
    const int low = worker & ((1 << step) - 1), base = (worker >> step << (step + 3)) | low;
    item held[HELD];
    #pragma unroll
    for (int j = 0; j < HELD; ++j) {
        held[j].k = keys[SLOT(base + (j << step))];
        held[j].place = places[SLOT(base + (j << step))];
    }
    for (; level <= min(last, levels); ++level) {
        #pragma unroll
        for (int s = 2; s >= 0; --s) {
            if (step + s >= min(below, level)) continue;
            #pragma unroll
            for (int j = 0; j < HELD; ++j) {
                if (j >> s & 1) continue;
                const item a = held[j], b = held[j | 1 << s];
                const bool falling = level < levels && (base + (j << step)) >> level & 1;
                const bool swap = is_after(a, b) != falling;
                held[j] = swap ? b : a;
                held[j | 1 << s] = swap ? a : b;
            }
        }
    }
    #pragma unroll
    for (int j = 0; j < HELD; ++j) {
        keys[SLOT(base + (j << step))] = held[j].k;
        places[SLOT(base + (j << step))] = held[j].place;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
ENTRY(const __global element *restrict from, __global element *restrict values, __global long *restrict order,
      const params p)
{
    __local key keys[SLOT(CAPACITY)];
    __local ushort places[SLOT(CAPACITY)];
    const int worker = (int)get_local_id(0), width = 1 << p.levels;
    const ulong first = (ulong)get_group_id(0) * (CAPACITY >> p.levels);
    for (int i = worker; i < CAPACITY; i += GROUP) {
        const int place = i & (width - 1);
        const ulong row = first + (i >> p.levels);
        key k = (key)0;
        if (row < p.rows && place < (int)p.length)
            k = key_of(from[row * p.length + place], p.flip);
        else
            k = ~k; /* behind all others: its place is larger, too */
        keys[SLOT(i)] = k;
        places[SLOT(i)] = (ushort)place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int level = 1, last = 3, below = 3; level <= p.levels;) {
        const int step = max(below - 3, 0);
        visit(keys, places, worker, step, below, level, last, p.levels);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step == 0) level = ++last;
        below = step ? step : level;
    }
    for (int i = worker; i < CAPACITY; i += GROUP) {
        const int to = i & (width - 1);
        const ulong row = first + (i >> p.levels);
        if (row >= p.rows || to >= (int)p.length) continue;
        const int place = places[SLOT(i)];
        if (p.values) values[row * p.length + to] = from[row * p.length + place];
        if (p.order) order[row * p.length + to] = place;
    }
}

#elif SCAN

/* counts[digits][parts] becomes what lies in the parts before; totals[digits] what lies in all. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
ENTRY(__global linear *restrict counts, __global linear *restrict totals,
      const __global uint *restrict state, const params p)
{
    __local linear sums[GROUP];
    if (p.pass > 0 && !(state[0] >> p.pass & 1)) return;
    const int worker = (int)get_local_id(0);
    const ulong share = (p.parts + GROUP - 1) / GROUP, begin = worker * share;
    const ulong end = min(p.parts, begin + share);
    __global linear *mine = counts + (ulong)get_group_id(0) * p.parts;
    linear sum = 0;
    for (ulong q = begin; q < end; ++q) sum += mine[q];
    linear upto = sum;
    for (int h = 1; h < GROUP; h *= 2) {
        sums[worker] = upto;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (worker >= h) upto += sums[worker - h];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    linear before = upto - sum;
    for (ulong q = begin; q < end; ++q) {
        const linear count = mine[q];
        mine[q] = before;
        before += count;
    }
    if (worker == GROUP - 1) totals[get_group_id(0)] = upto;
}

#else

#define DIGITS 256
#define RUNS (GROUP / CLARY_RUN)
#define TILE (GROUP * ITEMS) /* what a work-group sorts by digit at a time */
#define SIDE 16              /* of a square of digits */

/* The passes that must run, as bits: where no byte differs, the first one, so that something writes the result. */
static inline uint active_passes(const __global uint *state)
{
#if KEY_BYTES == 1
    return 1;
#else
    return state[0] ? state[0] : 1;
#endif
}

/* A pass with `left` others still to come writes the result if that is even, else the spare buffer. */
static inline int passes_left(uint active, int pass) { return (int)popcount(active >> pass) - 1; }

#if COUNT

static inline uint differing(key varied)
{
    uint passes = 0;
    for (int b = 0; b < KEY_BYTES; ++b) passes |= (uint)(digit_of(varied, b) != 0) << b;
    return passes;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
ENTRY(const __global element *restrict keys, const __global element *restrict spare,
      const __global element *restrict result, __global linear *restrict counts, __global uint *state,
      const params p)
{
    const __global element *from = keys;
    if (p.pass > 0) {
        const uint active = active_passes(state);
        if (!(active >> p.pass & 1)) return;
        if (active & ((1u << p.pass) - 1)) from = passes_left(active, p.pass) & 1 ? result : spare;
    }
    const ulong row = (ulong)get_group_id(0) / p.parts, part = (ulong)get_group_id(0) - row * p.parts;
    from += row * p.length;
    const linear begin = (linear)(part * p.part), end = (linear)min(p.length, (part + 1) * p.part);
    const key example = key_of(from[0], p.flip);
    key varied = example ^ example;
#if CPU
    uint count[DIGITS];
    for (int d = 0; d < DIGITS; ++d) count[d] = 0;
    for (linear i = begin; i < end; ++i) {
        const key k = key_of(from[i], p.flip);
        varied |= k ^ example;
        ++count[digit_of(k, p.pass)];
    }
    for (int d = 0; d < DIGITS; ++d) counts[(row * DIGITS + d) * p.parts + part] = count[d];
    if (p.pass == 0 && KEY_BYTES > 1) atomic_or(state, differing(varied));
#else
    __local uint count[RUNS * DIGITS];
    __local uint passes;
    const int worker = (int)get_local_id(0), run = worker / CLARY_RUN;
    for (int i = worker; i < RUNS * DIGITS; i += GROUP) count[i] = 0;
    if (worker == 0) passes = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    linear at = begin;
    for (; at + GROUP * UNROLL <= end; at += GROUP * UNROLL) {
        element e[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) e[u] = from[at + u * GROUP + worker];
        #pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const key k = key_of(e[u], p.flip);
            varied |= k ^ example;
            atomic_inc(&count[run * DIGITS + digit_of(k, p.pass)]);
        }
    }
    for (at += worker; at < end; at += GROUP) {
        const key k = key_of(from[at], p.flip);
        varied |= k ^ example;
        atomic_inc(&count[run * DIGITS + digit_of(k, p.pass)]);
    }
    if (p.pass == 0 && KEY_BYTES > 1) atomic_or(&passes, differing(varied));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = worker; d < DIGITS; d += GROUP) {
        uint sum = 0;
        for (int r = 0; r < RUNS; ++r) sum += count[r * DIGITS + d];
        counts[(row * DIGITS + d) * p.parts + part] = sum;
    }
    if (worker == 0 && p.pass == 0 && KEY_BYTES > 1) atomic_or(state, passes);
#endif
}

#else /* SCATTER */

/* Where the elements with digit d of this part go: behind those of lower digits, and of parts before. */
static inline linear count_before(const __global linear *counts, const __global linear *totals, ulong row, int d,
                                  ulong part, const params *p, linear *total)
{
    const __global linear *mine = counts + (row * DIGITS + d) * p->parts;
    if (p->scanned) {
        *total = totals[row * DIGITS + d];
        return mine[part];
    }
    linear sum = 0, before = 0;
    for (ulong q = 0; q < p->parts; ++q) {
        if (q == part) before = sum;
        sum += mine[q];
    }
    *total = sum;
    return before;
}

#if !CPU

/* The sum of `value` over the work-items before this one, of the first DIGITS. Whoever calls it again, or uses `sums`
 * otherwise, waits first. Loads come before stores, so that none waits for another. */
CLARY_INLINED linear sum_before(linear value, __local linear *sums, int worker)
{
    __local linear *tops = sums + DIGITS + SIDE;
    if (worker < DIGITS) sums[worker + worker / SIDE] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (worker < SIDE) {
        linear part[SIDE], sum = 0;
        #pragma unroll
        for (int q = 0; q < SIDE; ++q) part[q] = sums[worker * (SIDE + 1) + q];
        #pragma unroll
        for (int q = 0; q < SIDE; ++q) {
            sums[worker * (SIDE + 1) + q] = sum;
            sum += part[q];
        }
        tops[worker] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (worker >= DIGITS) return 0;
    linear sum = sums[worker + worker / SIDE];
    #pragma unroll
    for (int q = 0; q < SIDE - 1; ++q) sum += q < worker / SIDE ? tops[q] : 0;
    return sum;
}

#ifdef CLARY_BALLOTS
/* Which work-items of the run have digit d, too, as bits. Others learn that from masks in local memory. */
static inline uint same_digit(uint d)
{
    uint same = 0xffffffff;
    #pragma unroll
    for (int b = 0; b < 8; ++b) {
        const uint said = clary_ballot(d & (1u << b));
        same &= d & (1u << b) ? said : ~said;
    }
    return same;
}
#endif
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
ENTRY(const __global element *keys, __global element *spare, __global element *result,
      const __global linear *restrict counts, const __global linear *restrict totals,
      const __global uint *restrict state,
#if PLACES
      __global linear *spare_places, __global linear *places,
#endif
      const params p)
{
    const uint active = active_passes(state);
    if (!(active >> p.pass & 1)) return;
    const int left = passes_left(active, p.pass);
    const bool first = !(active & ((1u << p.pass) - 1));
    const ulong row = (ulong)get_group_id(0) / p.parts, part = (ulong)get_group_id(0) - row * p.parts;
    const linear begin = (linear)(part * p.part), end = (linear)min(p.length, (part + 1) * p.part);
    const bool moves = left > 0 || p.values;
    const __global element *from = (first ? keys : left & 1 ? result : spare) + row * p.length;
    __global element *to = (left & 1 ? spare : result) + row * p.length;
#if PLACES
    const __global linear *from_places = (left & 1 ? places : spare_places) + row * p.length;
    __global linear *to_places = (left & 1 ? spare_places : places) + row * p.length;
    __global long *order = (__global long *)places + row * p.length;
#endif
#if CPU
    linear next[DIGITS], below = 0;
    for (int d = 0; d < DIGITS; ++d) {
        linear total;
        next[d] = below + count_before(counts, totals, row, d, part, &p, &total);
        below += total;
    }
    for (linear i = begin; i < end; ++i) {
        const element e = from[i];
        const linear at = next[digit_of(key_of(e, p.flip), p.pass)]++;
        if (moves) to[at] = e;
#if PLACES
        const linear place = first ? i : from_places[i];
        if (left)
            to_places[at] = place;
        else
            order[at] = (long)place;
#endif
    }
#else
    __local ulong2 pool[POOL / 16];
    __local uint4 counted_pool[RUNS * DIGITS / 4];
    __local linear sums[DIGITS + 2 * SIDE], starts[DIGITS];
    __local uint *masks = (__local uint *)pool;      /* of each digit, two for each run in turn; */
    __local element *tile = (__local element *)pool; /* then the tile, sorted by digit; */
    __local uint *counted = (__local uint *)counted_pool; /* digits of each run; then where they begin */
#if PLACES
    __local linear *tile_places = (__local linear *)pool; /* then its places */
    __local uchar digits[TILE];                           /* of the sorted tile */
#endif
    const int worker = (int)get_local_id(0), lane = worker % CLARY_RUN, run = worker / CLARY_RUN;
    const int mine = run * CLARY_RUN * ITEMS + lane; /* first item in the tile; others are CLARY_RUN apart */
    const uint bit = 1u << lane;
    __local uint *my_counted = counted + run * DIGITS, *my_masks = masks + run * DIGITS;
    linear next = 0, total = 0; /* worker d: where the next element with digit d goes */
    if (worker < DIGITS) next = count_before(counts, totals, row, worker, part, &p, &total);
    next += sum_before(total, sums, worker);

    for (linear at = begin; at < end; at += TILE) {
        const int m = (int)min((linear)TILE, end - at), some = m - mine;
        const __global element *source = from + at + mine;
        element held[ITEMS];
        uint slots[ITEMS]; /* the digit; with how many of it the run has before; then the slot in the tile */
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i)
            if (i * CLARY_RUN < some) held[i] = source[i * CLARY_RUN];
#ifndef CLARY_BALLOTS
        for (int i = worker; i < 2 * RUNS * DIGITS / 4; i += GROUP) pool[i] = (ulong2)(0, 0);
#endif
        for (int i = worker; i < RUNS * DIGITS / 4; i += GROUP) counted_pool[i] = (uint4)(0, 0, 0, 0);
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) /* what is not there comes last, behind the tile's end */
            slots[i] = i * CLARY_RUN < some ? digit_of(key_of(held[i], p.flip), p.pass) : DIGITS - 1;
        barrier(CLK_LOCAL_MEM_FENCE);
#ifndef CLARY_BALLOTS
        atomic_or(&my_masks[slots[0]], bit);
        CLARY_KEEP_STEP();
#endif
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const uint d = slots[i], known = my_counted[d];
#ifdef CLARY_BALLOTS
            const uint same = same_digit(d);
#else
            __local uint *mask = my_masks + (i & 1) * RUNS * DIGITS + d;
            const uint same = *mask;
            if (i + 1 < ITEMS) atomic_or(&my_masks[((i + 1) & 1) * RUNS * DIGITS + slots[i + 1]], bit);
#endif
            CLARY_KEEP_STEP();
            const uint before = popcount(same & (bit - 1));
            slots[i] = (known + before) << 8 | d;
            CLARY_SETTLE(slots[i]);
            if (!before) {
                my_counted[d] = known + popcount(same);
#ifndef CLARY_BALLOTS
                *mask = 0;
#endif
            }
            CLARY_KEEP_STEP();
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint ahead[RUNS], count = 0;
        if (worker < DIGITS) {
            #pragma unroll
            for (int r = 0; r < RUNS; ++r) {
                ahead[r] = count;
                count += counted[r * DIGITS + worker];
            }
        }
        const uint start = (uint)sum_before(count, sums, worker);
        if (worker < DIGITS) {
            #pragma unroll
            for (int r = 0; r < RUNS; ++r) counted[r * DIGITS + worker] = ahead[r] + start;
            starts[worker] = next - start; /* wraps */
            next += count;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            slots[i] = my_counted[slots[i] & 255] + (slots[i] >> 8);
            tile[slots[i]] = held[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 4
        for (int slot = worker; slot < m; slot += GROUP) {
            const element e = tile[slot];
            const uint d = digit_of(key_of(e, p.flip), p.pass);
            if (moves) to[starts[d] + slot] = e;
#if PLACES
            digits[slot] = (uchar)d;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if PLACES
        const __global linear *source_places = from_places + at + mine;
        #pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            linear place = at + mine + i * CLARY_RUN;
            if (!first && i * CLARY_RUN < some) place = source_places[i * CLARY_RUN];
            tile_places[slots[i]] = place;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 4
        for (int slot = worker; slot < m; slot += GROUP) {
            const linear target = starts[digits[slot]] + slot;
            if (left)
                to_places[target] = tile_places[slot];
            else
                order[target] = (long)tile_places[slot];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
#endif
}
#endif
#endif
