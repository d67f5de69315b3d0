/* test_indexing.c - indexing by arrays, sorting and counting as a C program uses them; faults; nothing leaks. */
#include "check.h"

enum { ROWS = 5, COLUMNS = 7 };

static clary_array *of_int64(int64_t count, const int64_t *data) {
    clary_array *a = NULL;
    CHECK_OK(clary_from_host(NULL, CLARY_INT64, 1, &count, NULL, data, &a));
    return a;
}

/* ROWS x COLUMNS int64: element i is 10 i. */
static clary_array *table(void) {
    int64_t shape[2] = {ROWS, COLUMNS}, data[ROWS * COLUMNS];
    clary_array *a = NULL;
    for (int i = 0; i < ROWS * COLUMNS; i++) data[i] = 10 * i;
    CHECK_OK(clary_from_host(NULL, CLARY_INT64, 2, shape, NULL, data, &a));
    return a;
}

/* a holds these numbers; a is released. */
static void expect(clary_array *a, int64_t count, const int64_t *wanted) {
    int64_t data[ROWS * COLUMNS];
    memset(data, 0x5a, sizeof data);
    if (!CHECK(a != NULL) || !CHECK_INT(clary_array_size(a), count)) return clary_release(&a);
    CHECK_OK(clary_to_host(a, data, (size_t)count * sizeof *data));
    for (int64_t i = 0; i < count; i++) CHECK_INT(data[i], wanted[i]);
    clary_release(&a);
}

static clary_index by(clary_array *array) {
    return (clary_index){.kind = CLARY_INDEX_ARRAY, .array = array};
}

static void test_reads(void) {
    SECTION("reads");
    clary_array *a = table(), *rows = of_int64(3, (int64_t[]){4, 0, -2}), *out = NULL;
    clary_array *columns = of_int64(3, (int64_t[]){-1, 3, 3}), *flipped = NULL;
    clary_index both[2] = {by(rows), by(columns)};
    CHECK_OK(clary_get(a, 2, both, &out));
    expect(out, 3, (int64_t[]){340, 30, 240});
    clary_index mixed[2] = {{.kind = CLARY_INDEX_SLICE, .step = 4}, by(columns)};
    CHECK_OK(clary_get(a, 2, mixed, &out));
    expect(out, 6, (int64_t[]){60, 30, 30, 340, 310, 310});
    CHECK_OK(clary_transpose(a, NULL, &flipped));
    CHECK_OK(clary_take(flipped, rows, 1, CLARY_MODE_CLIP, &out));
    CHECK_INT(clary_array_shape(out)[0], COLUMNS);
    expect(out, 3 * COLUMNS, (int64_t[]){280, 0,   0,  290, 10,  10, 300, 20,  20, 310, 30,
                                         30,  320, 40, 40,  330, 50, 50,  340, 60, 60});
    clary_release(&flipped);
    clary_release(&rows);
    clary_release(&columns);
    clary_release(&a);
}

static void test_masks(void) {
    SECTION("masks");
    clary_array *a = table(), *limit = NULL, *mask = NULL, *out = NULL, *parts[2] = {NULL, NULL};
    CHECK_OK(clary_scalar_array(NULL, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 310}, &limit));
    CHECK_OK(clary_greater(a, limit, &mask));
    clary_index item = by(mask);
    CHECK_OK(clary_get(a, 1, &item, &out));
    expect(out, 3, (int64_t[]){320, 330, 340});
    CHECK_OK(clary_nonzero(mask, parts));
    expect(parts[0], 3, (int64_t[]){4, 4, 4});
    expect(parts[1], 3, (int64_t[]){4, 5, 6});
    clary_array *values = of_int64(3, (int64_t[]){-1, -2, -3});
    CHECK_OK(clary_set(a, 1, &item, values));
    CHECK_OK(clary_flatnonzero(mask, &out));
    expect(out, 3, (int64_t[]){32, 33, 34});
    clary_index last = {.kind = CLARY_INDEX_INTEGER, .start = -1};
    CHECK_OK(clary_get(a, 1, &last, &out));
    expect(out, COLUMNS, (int64_t[]){280, 290, 300, 310, -1, -2, -3});
    CHECK_STATUS(clary_set(a, 1, &item, a), CLARY_SHAPE_MISMATCH);
    clary_release(&values);
    clary_release(&limit);
    clary_release(&mask);
    clary_release(&a);
}

static void test_writes(void) {
    SECTION("writes");
    clary_array *index = of_int64(4, (int64_t[]){1, 3, 1, -4}), *a = of_int64(4, (int64_t[4]){0});
    clary_array *values = of_int64(4, (int64_t[]){5, 6, 7, 8});
    clary_index item = by(index);
    CHECK_OK(clary_set(a, 1, &item, values)); /* the last of several wins */
    CHECK_OK(clary_update_at(CLARY_OP_add, a, 1, &item, values));
    expect(clary_retain(a), 4, (int64_t[]){16, 19, 0, 12});
    CHECK_OK(clary_put(a, index, values, CLARY_MODE_WRAP));
    expect(clary_retain(a), 4, (int64_t[]){8, 7, 0, 6});
    CHECK_STATUS(clary_update_at(CLARY_OP_sin, a, 1, &item, values), CLARY_INVALID_ARGUMENT);
    clary_release(&values);
    clary_release(&index);
    clary_release(&a);
}

static void test_order(void) {
    SECTION("order");
    clary_array *a = of_int64(6, (int64_t[]){5, -1, 3, 5, 0, 3}), *out = NULL, *sorted = NULL;
    CHECK_OK(clary_argsort(a, 0, false, &out));
    expect(out, 6, (int64_t[]){1, 4, 2, 5, 0, 3});
    CHECK_OK(clary_argsort(a, -1, true, &out));
    expect(out, 6, (int64_t[]){0, 3, 2, 5, 4, 1});
    CHECK_OK(clary_sort(a, 0, false, &sorted));
    CHECK_OK(clary_searchsorted(sorted, a, false, &out));
    expect(out, 6, (int64_t[]){4, 0, 2, 4, 1, 2});
    CHECK_OK(clary_searchsorted(sorted, a, true, &out));
    expect(out, 6, (int64_t[]){6, 1, 4, 6, 2, 4});
    CHECK_STATUS(clary_bincount(a, NULL, 0, &out), CLARY_INVALID_ARGUMENT);
    clary_array *numbers = of_int64(4, (int64_t[]){2, 0, 2, 5});
    CHECK_OK(clary_bincount(numbers, NULL, 8, &out));
    expect(out, 8, (int64_t[]){1, 0, 2, 0, 0, 1, 0, 0});
    CHECK_STATUS(clary_sort(a, 1, false, &out), CLARY_AXIS_OUT_OF_RANGE);
    clary_release(&numbers);
    clary_release(&sorted);
    clary_release(&a);
}

/* Known at the next wait, named, once; the device works on and a write with a bad index skips it. */
static void test_faults(void) {
    SECTION("faults");
    clary_array *a = of_int64(4, (int64_t[]){1, 2, 3, 4}), *bad = of_int64(2, (int64_t[]){0, 9});
    clary_array *out = NULL, *one = of_int64(1, (int64_t[]){7});
    int64_t data[4];
    clary_index item = by(bad);
    CHECK_OK(clary_get(a, 1, &item, &out));
    CHECK_ERROR(clary_to_host(out, data, 16), CLARY_INDEX_OUT_OF_RANGE,
                "index 9 is out of bounds for axis 0 with size 4");
    expect(clary_retain(a), 4, (int64_t[]){1, 2, 3, 4});
    CHECK_OK(clary_set(a, 1, &item, one));
    CHECK_OK(clary_eval(&a, 1));
    CHECK_ERROR(clary_synchronize(NULL), CLARY_INDEX_OUT_OF_RANGE, "assign: index 9");
    CHECK_OK(clary_synchronize(NULL));
    expect(a, 4, (int64_t[]){7, 2, 3, 4});
    clary_release(&out);
    clary_release(&one);
    clary_release(&bad);
}

int main(void) {
    test_reads();
    test_masks();
    test_writes();
    test_order();
    test_faults();
    CHECK_NO_LEAKS();
    return check_done();
}
