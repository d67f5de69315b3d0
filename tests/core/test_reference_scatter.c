/* test_reference_scatter.c - clary__scatter_on_host against one element after another. */
#include "groups.h"
#include "reference/loops.h"

/* An element of dtype t as a strip of one, and back. */
static void take_element(clary_dtype t, const char *array, int64_t at, void *strip) {
    const char *from = array + at * (int64_t)clary_dtype_size(t);
    uint16_t half;
    memcpy(&half, from, 2 * clary__is_half(t));
    if (clary__is_half(t))
        *(float *)strip = t == CLARY_FLOAT16 ? clary__f16_to_f32(half) : clary__bf16_to_f32(half);
    else
        memcpy(strip, from, clary_dtype_size(t));
}

static void put_element(clary_dtype t, char *array, int64_t at, const void *strip) {
    char *to = array + at * (int64_t)clary_dtype_size(t);
    uint16_t half;
    if (!clary__is_half(t)) {
        memcpy(to, strip, clary_dtype_size(t));
        return;
    }
    half = t == CLARY_FLOAT16 ? clary__f32_to_f16(*(const float *)strip)
                              : clary__f32_to_bf16(*(const float *)strip);
    memcpy(to, &half, 2);
}

static void accumulate(int op, clary_dtype t, clary_dtype compute, char *target, int64_t at,
                       const char *source, int64_t from) {
    _Alignas(16) char old[16], x[16], y[16], result[16], back[16];
    clary_op_info info;
    take_element(t, target, at, old);
    take_element(compute, source, from, y);
    clary_get_op_info((clary_op)op, &info);
    clary__find_cast(t, compute)(x, old, 1);
    clary__find_loop((clary_op)op, compute)(result, x, y, NULL, 1);
    clary__find_cast(strcmp(info.rule, "TEST") ? compute : CLARY_BOOL, t)(back, result, 1);
    put_element(t, target, at, back);
}

/* Positions, some of them negative, which are skipped; distinct: each at most once. */
static int64_t *make_positions(int64_t count, int64_t size, bool distinct) {
    int64_t *at = malloc((size_t)count * sizeof *at), *all = malloc((size_t)size * sizeof *all);
    for (int64_t k = 0; k < size; k++) all[k] = k;
    for (int64_t k = 0; k < count; k++) {
        int64_t j = (int64_t)(check_random() % (uint64_t)size);
        at[k] = j;
        if (distinct) {
            j = k + j % (size - k);
            at[k] = all[j];
            all[j] = all[k];
        }
        if (check_random() % 10 == 0) at[k] = -1 - (int64_t)(check_random() % 3);
    }
    free(all);
    return at;
}

static void test_scatter(int op, clary_dtype t, clary_dtype compute, int64_t count, int64_t size,
                         bool distinct, bool single, int threads) {
    size_t each = clary_dtype_size(t), source_size = clary_dtype_size(compute);
    int64_t *at = make_positions(count, size, distinct);
    char *target = malloc((size_t)size * each), *wanted = malloc((size_t)size * each);
    char *source = malloc((size_t)count * source_size);
    random_elements(t, size, target);
    random_elements(compute, single ? 1 : count, source);
    memcpy(wanted, target, (size_t)size * each);
    for (int64_t i = 0; i < count; i++) {
        int64_t from = single ? 0 : i;
        if (at[i] < 0) continue;
        if (op == CLARY__PUT)
            memcpy(wanted + (size_t)at[i] * each, source + (size_t)from * each, each);
        else
            accumulate(op, t, compute, wanted, at[i], source, from);
    }
    clary__buffer b = {.host = target}, p = {.host = at}, s = {.host = source};
    clary__scatter work = {op, t, compute, distinct, single, count, size, &b, &p, &s, "test"};
    CHECK_OK(clary__scatter_on_host(&work, threads));
    for (int64_t k = 0; k < size; k++) {
        const char *x = target + (size_t)k * each, *y = wanted + (size_t)k * each;
        if (!memcmp(x, y, each)) continue;
        clary_scalar u = clary__scalar_load(x, t), v = clary__scalar_load(y, t);
        bool both_nan = (u.re != u.re && v.re != v.re) || (u.im != u.im && v.im != v.im);
        if (!CHECK_MSG(both_nan,
                       "op %d on %s in %s: element %" PRId64 " of %" PRId64 " after %" PRId64
                       "%s%s: %g or %g",
                       op, clary_dtype_name(t), clary_dtype_name(compute), k, size, count,
                       distinct ? ", distinct" : "", single ? ", single" : "", u.re, v.re))
            break;
    }
    free(at), free(target), free(wanted), free(source);
}

static void test_any(int op, clary_dtype t, clary_dtype compute) {
    static const int64_t sizes[] = {1, 2, 3, 33, 257, 5000};
    int64_t size = sizes[check_random() % 6];
    bool distinct = check_random() % 2, single = check_random() % 3 == 0;
    int64_t count = 1 + (int64_t)(check_random() % (uint64_t)(distinct ? size : 2000));
    test_scatter(op, t, compute, count, size, distinct, single, 1);
}

int main(void) {
    SECTION("put");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++)
        for (int round = 0; round < 10; round++)
            test_any(CLARY__PUT, (clary_dtype)t, (clary_dtype)t);
    SECTION("operations");
    for (int op = 0; op < CLARY_OP_COUNT; op++)
        for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
            clary_op_info info;
            clary_get_op_info((clary_op)op, &info);
            bool binary =
                info.arity == 2 && (!strcmp(info.rule, "SAME") || !strcmp(info.rule, "TEST"));
            if (!binary || !clary__find_loop((clary_op)op, (clary_dtype)t)) continue;
            test_any(op, (clary_dtype)t, (clary_dtype)t);
            test_any(op, (clary_dtype)(check_random() % CLARY_DTYPE_COUNT), (clary_dtype)t);
        }
    SECTION("threads");
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        test_scatter(CLARY__PUT, (clary_dtype)t, (clary_dtype)t, 120000, 200000, true, t % 2, 3);
        test_scatter(CLARY_OP_add, (clary_dtype)t, (clary_dtype)t, 120000, 150000, true, false, 2);
        test_scatter(CLARY_OP_add, (clary_dtype)t, (clary_dtype)t, 120000, 1000, false, t % 2, 2);
    }
    SECTION("refusals");
    char byte = 0;
    int64_t zero = 0;
    clary__buffer b = {.host = &byte}, p = {.host = &zero};
    clary__scatter work = {CLARY_OP_sqrt, CLARY_INT8, CLARY_INT8, false, true, 1, 1, &b, &p, &b,
                           "test"};
    CHECK_ERROR(clary__scatter_on_host(&work, 1), CLARY_INTERNAL, "sqrt");
    return check_done();
}
