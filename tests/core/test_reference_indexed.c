/* test_reference_indexed.c - CHECK, GATHER and SEARCH on the reference executor, against loops that say
 * what they mean, and the faults they raise. */
#include "groups.h"

static int add_scalar(clary__group *g, int64_t value) {
    memcpy(g->scalars[g->nscalars], &value, sizeof value);
    return add_instr(g, CLARY__I_SCALAR, CLARY_INT64, CLARY_INT64, 0, g->nscalars++, 0, 0);
}

/* A checked index: a load of int64, the extent and the site. */
static int add_check(clary__group *g, int index, int64_t extent, int64_t site, bool skips) {
    int b = add_scalar(g, extent), c = add_scalar(g, site);
    return add_instr(g, CLARY__I_CHECK, CLARY_INT64, CLARY_INT64, skips, index, b, c);
}

static int add_random(clary__group *g, clary__code code, clary_dtype t, int op, int a, int b,
                      int64_t offset) {
    clary__operand *x = &g->inputs[g->ninputs];
    x->dtype = t;
    x->offset = offset;
    x->random = true;
    clary_dtype result = code == CLARY__I_SEARCH ? CLARY_INT64 : t;
    return code == CLARY__I_SEARCH ? add_instr(g, code, t, result, op, a, b, g->ninputs++)
                                   : add_instr(g, code, t, result, op, a, 0, g->ninputs++);
}

static int64_t *random_indices(int64_t n, int64_t extent) {
    int64_t *index = malloc((size_t)n * sizeof *index);
    for (int64_t k = 0; k < n; k++) index[k] = check_random_int(-extent, extent - 1);
    return index;
}

/* out[i, j] = x[3 + index[j, i]], on any number of threads. */
static void test_gather(clary_dtype t, int64_t rows, int64_t columns, int threads) {
    int64_t extent = 1 + (int64_t)(check_random() % 2000), n = rows * columns;
    int64_t shape[2] = {rows, columns}, turned[2] = {1, rows}, dense[2] = {columns, 1};
    size_t size = clary_dtype_size(t);
    int64_t *index = random_indices(n, extent);
    char *x = malloc((size_t)(extent + 3) * size), *out = malloc((size_t)n * size);
    random_elements(t, extent + 3, x);
    memset(out, 0xa5, (size_t)n * size);
    clary__group *g = group_new(CLARY__MAP, 2, 2, shape);
    int at = add_check(g, add_load(g, CLARY_INT64, 0, turned), extent, 1, false);
    int value = add_random(g, CLARY__I_GATHER, t, 0, at, 0, 3);
    g->split = g->ninstr;
    add_output(g, value, 0, dense);
    clary__host_bases bases = {.inputs = {index, x}, .outputs = {out}};
    CHECK_OK(clary__run_on_host(g, &bases, threads));
    for (int64_t p = 0; p < n; p++) {
        int64_t i = index[p % columns * rows + p / columns];
        const char *wanted = x + (3 + (i < 0 ? i + extent : i)) * (int64_t)size;
        if (!CHECK_MSG(!memcmp(out + p * (int64_t)size, wanted, size),
                       "%s: point %" PRId64 " of %" PRId64, clary_dtype_name(t), p, n))
            break;
    }
    free(index), free(x), free(out), free(g);
}

/* Gathers in front of a reduction and of a scan: integers, so that the order plays no part. */
static void test_folded(clary__pattern pattern, int64_t rows, int64_t n, int threads) {
    int64_t extent = 100, shape[2] = {rows, n}, dense[2] = {n, 1}, kept[2] = {1, 0};
    int64_t *index = random_indices(rows * n, extent), x[100];
    int64_t *out = malloc((size_t)(rows * n) * sizeof *out);
    memset(out, 0xa5, (size_t)(rows * n) * sizeof *out);
    random_elements(CLARY_INT64, extent, x);
    clary__group *g = group_new(pattern, 2, 1, shape);
    int at = add_check(g, add_load(g, CLARY_INT64, 0, dense), extent, 1, false);
    g->reduce_arg = add_random(g, CLARY__I_GATHER, CLARY_INT64, 0, at, 0, 0);
    g->reduce_op = CLARY_OP_add;
    g->reduce_dtype = CLARY_INT64;
    g->split = add_instr(g, CLARY__I_RESULT, CLARY_INT64, CLARY_INT64, 0, 0, 0, 0);
    add_output(g, g->split, 0, pattern == CLARY__SCAN ? dense : kept);
    clary__host_bases bases = {.inputs = {index, x}, .outputs = {out}};
    CHECK_OK(clary__run_on_host(g, &bases, threads));
    for (int64_t j = 0; j < rows; j++) {
        uint64_t sum = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t i = index[j * n + k];
            sum += (uint64_t)x[i < 0 ? i + extent : i];
            if (pattern == CLARY__SCAN) CHECK_INT(out[j * n + k], (int64_t)sum);
        }
        if (pattern == CLARY__REDUCE) CHECK_INT(out[j], (int64_t)sum);
    }
    index[check_random() % (uint64_t)(rows * n)] = extent;
    CHECK_ERROR(clary__run_on_host(g, &bases, threads), CLARY_INDEX_OUT_OF_RANGE, "index 100");
    free(index), free(out), free(g);
}

/* The fault of the lowest point is reported, whatever the threads do; the rest is in range. */
static void test_faults(void) {
    SECTION("faults");
    int64_t n = 200000, extent = 50, step = 1;
    int64_t *index = random_indices(n, extent), *out = malloc((size_t)n * sizeof *out);
    clary__group *g = group_new(CLARY__MAP, 1, 1, &n);
    int load = add_load(g, CLARY_INT64, 0, &step);
    int64_t flat = clary__fault_site("take", -1), axis = clary__fault_site("take", 2);
    int zero = add_check(g, load, extent, axis, false),
        skip = add_check(g, load, extent, flat, true);
    g->split = g->ninstr;
    add_output(g, zero, 0, &step);
    clary__host_bases bases = {.inputs = {index}, .outputs = {out}};
    CHECK_OK(clary__run_on_host(g, &bases, 2));
    static const int64_t far[] = {50, -51, INT64_MAX, INT64_MIN, 1000, -52};
    for (int round = 0; round < 30; round++) {
        int64_t first = n;
        for (int i = 0; i < 6; i++) {
            int64_t k = (int64_t)(check_random() % (uint64_t)n);
            index[k] = far[i];
            if (k < first) first = k;
        }
        char wanted[100];
        snprintf(wanted, sizeof wanted,
                 "take: index %" PRId64 " is out of bounds for axis 2 with size 50", index[first]);
        CHECK_ERROR(clary__run_on_host(g, &bases, 1), CLARY_INDEX_OUT_OF_RANGE, wanted);
        CHECK_ERROR(clary__run_on_host(g, &bases, 2), CLARY_INDEX_OUT_OF_RANGE, wanted);
        for (int64_t k = 0; k < n; k++)
            if (index[k] < -extent || index[k] >= extent) index[k] = (int64_t)(check_random() % 50);
    }
    for (int i = 0; i < 6; i++) index[i] = far[i];
    g->points = g->shape[0] = 10;
    CHECK_STATUS(clary__run_on_host(g, &bases, 1), CLARY_INDEX_OUT_OF_RANGE);
    for (int i = 0; i < 6; i++) CHECK_INT(out[i], 0);
    g->outputs[0].instr = (uint16_t)skip;
    CHECK_STATUS(clary__run_on_host(g, &bases, 1), CLARY_INDEX_OUT_OF_RANGE);
    for (int i = 0; i < 10; i++)
        CHECK_INT(out[i], i < 6 ? -1 : index[i] < 0 ? index[i] + extent : index[i]);

    /* Nothing is in range of an empty axis. */
    memset(g->scalars[0], 0, 16);
    memset(g->scalars[2], 0, 16);
    memset(index, 0, 10 * sizeof *index);
    CHECK_ERROR(clary__run_on_host(g, &bases, 1), CLARY_INDEX_OUT_OF_RANGE,
                "take: index 0 is out of bounds for axis 2 with size 0");
    for (int i = 0; i < 10; i++) CHECK_INT(out[i], -1);
    free(index), free(out), free(g);
}

/* ---- search ---- */

/* Sorts by insertion. */
static void sort_plainly(clary_dtype t, char *x, int64_t n) {
    int64_t size = (int64_t)clary_dtype_size(t);
    for (int64_t k = 1; k < n; k++) {
        char moved[16];
        int64_t j = k;
        memcpy(moved, x + k * size, (size_t)size);
        for (; j > 0 && before(t, moved, x + (j - 1) * size); j--)
            memcpy(x + j * size, x + (j - 1) * size, (size_t)size);
        memcpy(x + j * size, moved, (size_t)size);
    }
}

static void test_search(clary_dtype t, int64_t length, bool right) {
    int64_t n = 1500, step = 1, size = (int64_t)clary_dtype_size(t);
    char *keys = malloc((size_t)(n * size)), *x = malloc((size_t)((length + 2) * size));
    int64_t *counts = malloc((size_t)n * sizeof *counts), *out = malloc((size_t)n * sizeof *out);
    random_elements(t, n, keys);
    random_elements(t, length + 2, x);
    sort_plainly(t, x + 2 * size, length);
    for (int64_t k = 0; k < n; k++) {
        counts[k] = k % 2 ? length : check_random_int(0, length);
        if (k % 3 == 0 && length) /* often there */
            memcpy(keys + k * size, x + check_random_int(2, length + 1) * size, (size_t)size);
    }
    clary__group *g = group_new(CLARY__MAP, 1, 1, &n);
    int key = add_load(g, t, 0, &step), count = add_load(g, CLARY_INT64, 0, &step);
    int found = add_random(g, CLARY__I_SEARCH, t, right, key, count, 2);
    g->split = g->ninstr;
    add_output(g, found, 0, &step);
    memset(out, 0xa5, (size_t)n * sizeof *out);
    clary__host_bases bases = {.inputs = {keys, counts, x}, .outputs = {out}};
    CHECK_OK(clary__run_on_host(g, &bases, 1));
    for (int64_t k = 0; k < n; k++) {
        const char *here = x + 2 * size, *mine = keys + k * size;
        int64_t wanted = 0;
        while (wanted < counts[k] && (right ? !before(t, mine, here + wanted * size)
                                            : before(t, here + wanted * size, mine)))
            wanted++;
        if (!CHECK_MSG(out[k] == wanted, "%s of %" PRId64 ", %s: %" PRId64 ", not %" PRId64,
                       clary_dtype_name(t), length, right ? "right" : "left", out[k], wanted))
            break;
    }
    free(keys), free(x), free(counts), free(out), free(g);
}

int main(void) {
    SECTION("gathers");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++)
        for (int round = 0; round < 4; round++) {
            static const int64_t extents[] = {1, 2, 7, 33, 256, 1023};
            test_gather((clary_dtype)t, extents[check_random() % 6], extents[check_random() % 6],
                        1 + round % 3);
        }
    SECTION("folded gathers");
    for (int round = 0; round < 40; round++)
        test_folded(round % 2 ? CLARY__REDUCE : CLARY__SCAN, 1 + (int64_t)(check_random() % 9),
                    round < 30 ? 1 + (int64_t)(check_random() % 3000) : 40000, 1 + round % 3);
    test_faults();
    SECTION("searches");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++)
        for (int right = 0; right < 2; right++) {
            static const int64_t lengths[] = {0, 1, 2, 3, 31, 32, 33, 257};
            for (int i = 0; i < 8; i++) test_search((clary_dtype)t, lengths[i], right);
        }
    return check_done();
}
