/* sort_template.h - sorts records by an unsigned key, stably, from one array into itself or another of
 * the same size. No include guard: sort.c includes it once per record type, with
 *
 *   N, R, KEY(r)  part of the functions' names; the record; its key, of which the bits from `low` on count
 *
 * Few records are merged. More are distributed by their highest digit that varies, and each bucket is
 * sorted; where few bits vary and everything is in a cache, digit by digit from the lowest.
 */
#define FN2(name, n) name##_##n
#define FN1(name, n) FN2(name, n)
#define FN(name) FN1(name, N)
#define DIGIT(r, shift, width) ((size_t)(KEY(r) >> (shift)) & (((size_t)1 << (width)) - 1))

static void FN(insert)(R *a, size_t n) {
    for (size_t k = 1; k < n; k++) {
        R moved = a[k];
        size_t j = k;
        for (; j > 0 && KEY(moved) < KEY(a[j - 1]); j--) a[j] = a[j - 1];
        a[j] = moved;
    }
}

/* Equal keys: those of x first. */
static void FN(merge)(const R *x, const R *x_end, const R *y, const R *y_end, R *out) {
    while (x < x_end && y < y_end) {
        bool second = KEY(*y) < KEY(*x);
        const R *from = second ? y : x;
        *out++ = *from;
        y += second;
        x += !second;
    }
    memcpy(out, x, (size_t)(x_end - x) * sizeof(R));
    memcpy(out + (x_end - x), y, (size_t)(y_end - y) * sizeof(R));
}

static void FN(merge_runs)(R *a, R *b, size_t n, bool into_b) {
    R *from = a, *to = b;
    for (size_t k = 0; k < n; k += RUN) FN(insert)(a + k, n - k < RUN ? n - k : RUN);
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t k = 0; k < n; k += 2 * width) {
            const R *middle = from + (n - k < width ? n : k + width);
            const R *end = from + (n - k < 2 * width ? n : k + 2 * width);
            FN(merge)(from + k, middle, middle, end, to + k);
        }
        R *other = from;
        from = to;
        to = other;
    }
    if ((from == b) != into_b) memcpy(to, from, n * sizeof(R));
}

/* Puts the records in the order of one digit; false: it is the same for all, and nothing was done. */
static bool FN(distribute)(const R *a, R *b, size_t n, int shift, int width) {
    size_t place[1 << DIGIT_BITS], sum = 0;
    memset(place, 0, sizeof *place << width);
    for (size_t k = 0; k < n; k++) place[DIGIT(a[k], shift, width)]++;
    if (place[DIGIT(a[0], shift, width)] == n) return false;
    for (size_t d = 0; d < (size_t)1 << width; d++) {
        size_t count = place[d];
        place[d] = sum;
        sum += count;
    }
    for (size_t k = 0; k < n; k++) b[place[DIGIT(a[k], shift, width)]++] = a[k];
    return true;
}

static void FN(sort_part)(R *a, R *b, size_t n, int low, bool into_b) {
    if (n <= SHORT) {
        FN(merge_runs)(a, b, n, into_b);
        return;
    }
    uint64_t vary = 0;
    bool sorted = true;
    for (size_t k = 1; k < n; k++) {
        vary |= KEY(a[k]) ^ KEY(a[k - 1]);
        sorted &= KEY(a[k - 1]) <= KEY(a[k]);
    }
    if (sorted) {
        if (into_b) memcpy(b, a, n * sizeof(R));
        return;
    }
    vary = vary >> low << low;
    int top = 64 - __builtin_clzll(vary), bottom = __builtin_ctzll(vary);
    if (top - bottom <= FEW_BITS && n * sizeof(R) <= CACHE) {
        int passes = (top - bottom + DIGIT_BITS - 1) / DIGIT_BITS;
        int width = (top - bottom + passes - 1) / passes;
        R *from = a, *to = b;
        for (int shift = bottom; shift < top; shift += width) {
            if (!FN(distribute)(from, to, n, shift, width)) continue;
            R *other = from;
            from = to;
            to = other;
        }
        if ((from == b) != into_b) memcpy(to, from, n * sizeof(R));
        return;
    }
    int shift = top - DIGIT_BITS > low ? top - DIGIT_BITS : low;
    FN(distribute)(a, b, n, shift, DIGIT_BITS);
    for (size_t start = 0, end; start < n; start = end) {
        size_t digit = DIGIT(b[start], shift, DIGIT_BITS);
        for (end = start + 1; end < n && DIGIT(b[end], shift, DIGIT_BITS) == digit;) end++;
        FN(sort_part)(b + start, a + start, end - start, low, !into_b);
    }
}

/* ---- one long row on several threads: parts are sorted, then merged two by two, in pieces ---- */

typedef struct FN(long_row) {
    R *a, *b; /* from, to */
    size_t n;
    int low;
    int64_t parts, run; /* parts in all; in a sorted run */
} FN(long_row);

static size_t FN(bound)(const FN(long_row) * l, int64_t part) {
    return (size_t)((uint64_t)l->n * (uint64_t)part / (uint64_t)l->parts);
}

static clary_status FN(sort_task)(void *context, int64_t part) {
    const FN(long_row) *l = context;
    size_t start = FN(bound)(l, part), end = FN(bound)(l, part + 1);
    FN(sort_part)(l->a + start, l->b + start, end - start, l->low, true);
    return CLARY_OK;
}

/* How many of the first `place` of a merge come from x. */
static size_t FN(share)(const R *x, size_t nx, const R *y, size_t ny, size_t place) {
    size_t low = place > ny ? place - ny : 0, high = place < nx ? place : nx;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (KEY(y[place - middle - 1]) < KEY(x[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The piece of a merge that fills one part. */
static clary_status FN(merge_task)(void *context, int64_t part) {
    const FN(long_row) *l = context;
    int64_t first = part / (2 * l->run) * 2 * l->run;
    size_t start = FN(bound)(l, first), from = FN(bound)(l, part) - start;
    size_t middle = FN(bound)(l, first + l->run), end = FN(bound)(l, first + 2 * l->run);
    size_t to = FN(bound)(l, part + 1) - start;
    const R *x = l->a + start, *y = l->a + middle;
    size_t x0 = FN(share)(x, middle - start, y, end - middle, from);
    size_t x1 = FN(share)(x, middle - start, y, end - middle, to);
    FN(merge)(x + x0, x + x1, y + (from - x0), y + (to - x1), l->b + start + from);
    return CLARY_OK;
}

/* Sorts a, with b for scratch. */
static clary_status FN(sort)(R *a, R *b, size_t n, int low, int threads) {
    if (n < PARALLEL || threads <= 1) {
        FN(sort_part)(a, b, n, low, false);
        return CLARY_OK;
    }
    FN(long_row) l = {.a = a, .b = b, .n = n, .low = low, .parts = 2, .run = 1};
    while (l.parts < threads) l.parts *= 2;
    TRY(clary__parallel(threads, l.parts, FN(sort_task), &l));
    for (; l.run < l.parts; l.run *= 2) {
        R *other = l.a;
        l.a = l.b;
        l.b = other;
        TRY(clary__parallel(threads, l.parts, FN(merge_task), &l));
    }
    if (l.b != a) memcpy(a, l.b, n * sizeof(R));
    return CLARY_OK;
}

#undef FN2
#undef FN1
#undef FN
#undef DIGIT
#undef N
#undef R
#undef KEY
