/* test_fusion.c - what runs as how many kernels, and that new shapes and scalars compile nothing.
 *
 * Sizes stay within one block of 16384 points per reduction, where a reduction is one launch.
 */
#include "check.h"
#include "clary/engine.h"

static clary_counters counted(void) {
    clary_counters c;
    clary_get_counters(&c);
    return c;
}

/* rows x cols float32 of i % 17 - 3, computed. */
static clary_array *filled(int64_t rows, int64_t cols) {
    int64_t shape[2] = {rows, cols};
    float *data = malloc((size_t)(rows * cols) * sizeof *data);
    clary_array *a = NULL;
    for (int64_t i = 0; i < rows * cols; i++) data[i] = (float)(i % 17) - 3;
    CHECK_OK(clary_from_host(NULL, CLARY_FLOAT32, 2, shape, NULL, data, &a));
    free(data);
    return a;
}

static clary_array *weak(double x) {
    clary_array *s = NULL;
    CHECK_OK(clary_scalar_array(NULL, (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = x}, &s));
    return s;
}

/* Evaluates and returns how many kernels ran. */
static int64_t launches(clary_array **arrays, int count) {
    CHECK_OK(clary_synchronize(NULL));
    uint64_t before = counted().launches;
    CHECK_OK(clary_eval(arrays, count));
    CHECK_OK(clary_synchronize(NULL));
    return (int64_t)(counted().launches - before);
}

/* sum((a - b)^2) */
static clary_array *squared_distance(clary_array *a, clary_array *b) {
    clary_array *d = NULL, *d2 = NULL, *s = NULL;
    CHECK_OK(clary_subtract(a, b, &d));
    CHECK_OK(clary_square(d, &d2));
    CHECK_OK(clary_sum(d2, 0, NULL, false, &s));
    clary_release(&d);
    clary_release(&d2);
    return s;
}

/* exp(a) * b + c[:, None], scaled */
static clary_array *chain(clary_array *a, clary_array *b, clary_array *c, double scale) {
    clary_array *e = NULL, *m = NULL, *column = NULL, *s = NULL, *r = NULL, *k = weak(scale);
    int axis = 1;
    CHECK_OK(clary_exp(a, &e));
    CHECK_OK(clary_multiply(e, b, &m));
    CHECK_OK(clary_expand_dims(c, 1, &axis, &column));
    CHECK_OK(clary_add(m, column, &s));
    CHECK_OK(clary_multiply(s, k, &r));
    clary_release(&e);
    clary_release(&m);
    clary_release(&column);
    clary_release(&s);
    clary_release(&k);
    return r;
}

static clary_array *row_of(clary_array *a) {
    clary_index items[2] = {{.kind = CLARY_INDEX_SLICE, .step = 1}, {.kind = CLARY_INDEX_INTEGER}};
    clary_array *view = NULL, *copy = NULL;
    CHECK_OK(clary_get(a, 2, items, &view));
    CHECK_OK(clary_copy(view, &copy));
    clary_release(&view);
    CHECK_OK(clary_eval(&copy, 1));
    return copy;
}

static void expressions(int64_t rows, int64_t cols) {
    clary_array *a = filled(rows, cols), *b = filled(rows, cols), *c = row_of(a);
    clary_array *r = squared_distance(a, b);
    CHECK_INT(launches(&r, 1), 1);
    clary_release(&r);
    r = chain(a, b, c, 2);
    CHECK_INT(launches(&r, 1), 1);
    clary_release(&r);
    for (int axis = 0; axis < 2; axis++) {
        CHECK_OK(clary_mean(a, 1, &axis, false, &r));
        CHECK_INT(launches(&r, 1), 1);
        clary_release(&r);
        CHECK_OK(clary_std(a, 1, &axis, 0, false, &r));
        CHECK_INT(launches(&r, 1), 2);
        clary_release(&r);
    }
    clary_release(&a);
    clary_release(&b);
    clary_release(&c);
}

static void several_outputs(void) {
    clary_array *a = filled(31, 33), *b = filled(31, 33), *r[3] = {NULL};
    CHECK_OK(clary_add(a, b, &r[0]));
    CHECK_OK(clary_subtract(a, b, &r[1]));
    CHECK_OK(clary_multiply(r[0], r[1], &r[2]));
    CHECK_INT(launches(r, 3), 1);
    CHECK_INT(launches(r, 3), 0);
    for (int i = 0; i < 3; i++) clary_release(&r[i]);
    clary_release(&a);
    clary_release(&b);
}

/* A reduction that somebody else holds is stored by the kernel that also uses it. */
static void shared_reduction(void) {
    clary_array *a = filled(31, 33), *s = NULL, *n = weak(7), *q = NULL;
    int axis = 1;
    CHECK_OK(clary_sum(a, 1, &axis, false, &s));
    CHECK_OK(clary_divide(s, n, &q));
    CHECK_INT(launches(&q, 1), 1);
    CHECK_INT(launches(&s, 1), 0);
    clary_release(&a);
    clary_release(&s);
    clary_release(&n);
    clary_release(&q);
}

static void long_chain(void) {
    clary_array *x = filled(5, 7), *one = weak(1), *y = NULL;
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(clary_add(x, one, &y));
        clary_release(&x);
        x = y;
    }
    float data[35];
    CHECK_OK(clary_to_host(x, data, sizeof data));
    CHECK(data[0] == -3 + 1000.0f && data[34] == (float)(34 % 17) - 3 + 1000);
    clary_release(&x);
    clary_release(&one);
}

/* x += x[shifted] over and over, and a tree of shared nodes: no blow-up. */
static void shared_nodes(void) {
    clary_array *x = filled(5, 7), *y = NULL;
    uint64_t before = counted().launches;
    for (int i = 0; i < 40; i++) {
        CHECK_OK(clary_add(x, x, &y));
        clary_release(&x);
        x = y;
    }
    float data[35];
    CHECK_OK(clary_to_host(x, data, sizeof data));
    CHECK(data[0] == ldexpf(-3, 40));
    CHECK((counted().launches - before) <= 2);
    clary_release(&x);
}

/* Every value is used by the two after it: as many paths as Fibonacci numbers, but few nodes. */
static void shared_paths(void) {
    clary_array *x = filled(5, 7), *y = filled(5, 7), *z = NULL;
    double a = -3, b = -3;
    uint64_t before = counted().launches;
    for (int i = 0; i < 30; i++) {
        CHECK_OK(clary_add(x, y, &z));
        clary_release(&x);
        x = y;
        y = z;
        z = NULL;
        double c = a + b;
        a = b;
        b = c;
    }
    float data[35];
    CHECK_OK(clary_to_host(y, data, sizeof data));
    CHECK(data[0] == (float)b);
    CHECK_INT((int64_t)(counted().launches - before), 1);
    clary_release(&x);
    clary_release(&y);
}

/* v - sum(v), where v is a long chain on a row sum that nobody else holds: while the difference is planned
 * around the row sum, sum(v) is computed and v with it, which lets the row sum go. */
static void core_let_go(void) {
    clary_array *a = filled(40, 50), *v = NULL, *total = NULL, *r = NULL, *one = weak(1);
    int axis = 1;
    float data[40];
    CHECK_OK(clary_sum(a, 1, &axis, false, &v));
    for (int i = 0; i < 12; i++) {
        clary_array *next = NULL;
        CHECK_OK(i % 2 ? clary_subtract(v, one, &next) : clary_add(v, one, &next));
        clary_release(&v);
        v = next;
    }
    CHECK_OK(clary_sum(v, 0, NULL, false, &total));
    CHECK_OK(clary_subtract(v, total, &r));
    clary_release(&v);
    clary_release(&total);
    CHECK_OK(clary_to_host(r, data, sizeof data));
    for (int i = 0; i < 40; i++) {
        double row = 0, sum = 0;
        for (int k = 0; k < 2000; k++) {
            sum += k % 17 - 3;
            if (k / 50 == i) row += k % 17 - 3;
        }
        CHECK_MSG(data[i] == (float)(row - sum), "row %d: %g, not %g", i, data[i], row - sum);
    }
    clary_release(&r);
    clary_release(&one);
    clary_release(&a);
}

static void new_shapes(void) {
    static const int64_t shapes[][2] = {{64, 64}, {31, 47}, {128, 96}, {5, 1001}};
    uint64_t builds = 0;
    for (int i = 0; i < 4; i++) {
        int64_t rows = shapes[i][0], cols = shapes[i][1];
        clary_array *a = filled(rows, cols), *b = filled(rows, cols), *c = row_of(a);
        clary_array *r[2] = {squared_distance(a, b), chain(a, b, c, 1.5 + i)};
        CHECK_OK(clary_eval(r, 2));
        clary_release(&r[0]);
        clary_release(&r[1]);
        clary_release(&a);
        clary_release(&b);
        clary_release(&c);
        if (i == 1) builds = counted().builds + counted().disk_hits;
        if (i > 1) CHECK_INT((int64_t)(counted().builds + counted().disk_hits), (int64_t)builds);
    }
}

int main(void) {
    SECTION("launches");
    expressions(40, 50);
    expressions(100, 129);
    SECTION("several outputs");
    several_outputs();
    SECTION("shared reduction");
    shared_reduction();
    SECTION("long chain");
    long_chain();
    SECTION("shared nodes");
    shared_nodes();
    shared_paths();
    SECTION("core let go");
    core_let_go();
    SECTION("new shapes");
    new_shapes();
    CHECK_NO_LEAKS();
    return check_done();
}
