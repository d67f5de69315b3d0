/* test_contract.c - products in C: results, errors, and every allocation failing in turn. What NumPy
 * says of shapes, dtypes and subscripts is tests/python/test_products.py's. */
#include "check.h"
#include "core/core.h"

/* rows x cols of 0, 1, 2, ... */
static clary_array *counted(clary_dtype dtype, int64_t rows, int64_t cols) {
    const clary_scalar zero = {.kind = CLARY_SCALAR_INT}, one = {.kind = CLARY_SCALAR_INT, .i = 1},
                       stop = {.kind = CLARY_SCALAR_INT, .i = rows * cols};
    clary_array *line = NULL, *a = NULL;
    CHECK_OK(clary_arange(NULL, dtype, zero, stop, one, &line));
    CHECK_OK(clary_reshape(line, 2, (int64_t[]){rows, cols}, &a));
    clary_release(&line);
    return a;
}

static void test_results(void) {
    SECTION("results");
    clary_array *a = counted(CLARY_FLOAT64, 2, 3), *b = counted(CLARY_FLOAT64, 3, 2), *c = NULL;
    const double product[4] = {10, 13, 28, 40}, square[4] = {464, 650, 1400, 1964};
    CHECK_OK(clary_matmul(a, b, &c));
    CHECK_ARRAY(c, CLARY_FLOAT64, 2, ((int64_t[]){2, 2}), product);
    clary_release(&c);
    CHECK_OK(clary_tensordot(a, b, 2, (int[]){0, 1}, (int[]){1, 0}, &c));
    CHECK_ARRAY(c, CLARY_FLOAT64, 0, NULL, ((double[]){50}));
    clary_release(&c);
    CHECK_OK(clary_vecdot(a, a, -1, &c));
    CHECK_ARRAY(c, CLARY_FLOAT64, 1, ((int64_t[]){2}), ((double[]){5, 50}));
    clary_release(&c);
    clary_array *chain[4] = {a, b, a, b};
    CHECK_OK(clary_einsum("ij,jk,kl,lm", 4, chain, &c));
    CHECK_ARRAY(c, CLARY_FLOAT64, 2, ((int64_t[]){2, 2}), square);
    clary_release(&c);
    CHECK_OK(clary_einsum("ij->ji", 1, chain, &c));
    CHECK(clary_array_shares_storage(a, c));
    clary_release(&c);
    clary_release(&a);
    clary_release(&b);
}

static void test_errors(void) {
    SECTION("errors");
    clary_array *a = counted(CLARY_FLOAT32, 2, 3), *row = NULL, *c = a;
    CHECK_OK(clary_reshape(a, 1, (int64_t[]){6}, &row));
    CHECK_STATUS(clary_matmul(a, a, &c), CLARY_SHAPE_MISMATCH);
    CHECK(c == NULL);
    CHECK(strstr(clary_last_error(), "(2, 3)"));
    CHECK_STATUS(clary_vecdot(a, row, 0, &c), CLARY_SHAPE_MISMATCH);
    CHECK_STATUS(clary_tensordot(a, a, 1, (int[]){0}, (int[]){1}, &c), CLARY_SHAPE_MISMATCH);
    CHECK_STATUS(clary_einsum("ij,jk", 2, (clary_array *[]){a, a}, &c), CLARY_SHAPE_MISMATCH);
    CHECK_STATUS(clary_einsum("ij", 0, NULL, &c), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_einsum("i", 1, &a, &c), CLARY_INVALID_ARGUMENT);
    clary_release(&row);
    clary_release(&a);
}

/* Halves times doubles, a diagonal, a label of one operand alone, a stretched one: every path. */
static clary_status program(double *out) {
    clary_array *a = NULL, *b = NULL, *v = NULL, *c = NULL;
    clary_status status;
    const int64_t shape[3] = {3, 3, 4};
    const clary_scalar two = {.kind = CLARY_SCALAR_INT, .i = 2};
    TRY_GOTO(done, clary_full(NULL, CLARY_FLOAT16, 3, shape, two, &a));
    TRY_GOTO(done, clary_full(NULL, CLARY_FLOAT64, 2, (int64_t[]){3, 5}, two, &b));
    TRY_GOTO(done, clary_full(NULL, CLARY_FLOAT16, 1, (int64_t[]){1}, two, &v));
    TRY_GOTO(done, clary_einsum("iij,ik,k->k", 3, (clary_array *[]){a, b, v}, &c));
    status = clary_to_host(c, out, 5 * sizeof *out);
done:
    clary_release(&a);
    clary_release(&b);
    clary_release(&v);
    clary_release(&c);
    return status;
}

static void test_out_of_memory(void) {
    SECTION("out of memory");
    double out[5];
    int failures = 0;
    for (int nth = 1; nth < 2000; nth++) {
        clary__alloc_fail_at(nth);
        clary_status status = program(out);
        clary__alloc_fail_at(0);
        if (status == CLARY_OK) break;
        failures++;
        CHECK_INT(status, CLARY_OUT_OF_MEMORY);
    }
    CHECK(failures > 20);
    CHECK_OK(program(out));
    for (int i = 0; i < 5; i++) CHECK(out[i] == 96);
}

int main(void) {
    test_results();
    test_errors();
    test_out_of_memory();
    CHECK_NO_LEAKS();
    return check_done();
}
