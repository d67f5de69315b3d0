/* record.c - what Clary itself costs a C program, in microseconds, apart from the computation.
 *
 *     CLARY_DEVICE=reference record
 *
 * Recording: clary_add on one-element arrays, and the release of its result. Evaluation: the same with
 * clary_eval, less the recording; every evaluation after the first has the structure of the first, so its
 * plan comes from the cache. On the reference device the work itself is one addition, so what is left is
 * the engine's own cost; on an OpenCL device the driver's enqueue comes on top. Writes JSON lines.
 */
#include <clary.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 2000, REPEATS = 25 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(clary_status status) {
    if (status == CLARY_OK) return;
    fprintf(stderr, "record: %s\n", clary_last_error());
    exit(EXIT_FAILURE);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds a round of `depth` dependent additions takes, with or without evaluation; the median. */
static double measure(clary_array *a, clary_array *b, int depth, int evaluate) {
    double times[REPEATS];
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = now();
        for (int call = 0; call < CALLS / depth; call++) {
            clary_array *sum = clary_retain(a);
            for (int i = 0; i < depth; i++) {
                clary_array *next = NULL;
                check(clary_add(sum, b, &next));
                clary_release(&sum);
                sum = next;
            }
            if (evaluate) check(clary_eval(&sum, 1));
            clary_release(&sum);
        }
        times[repeat] = 1e6 * (now() - start) / (CALLS / depth);
        check(clary_synchronize(NULL));
    }
    qsort(times, REPEATS, sizeof *times, compare);
    return times[REPEATS / 2];
}

static void report(const char *name, double microseconds) {
    printf("{\"name\": \"%s\", \"value\": %.4f, \"unit\": \"us\"}\n", name, microseconds);
}

int main(void) {
    const int64_t shape[1] = {1};
    clary_array *a = NULL, *b = NULL;
    check(clary_ones(NULL, CLARY_FLOAT32, 1, shape, &a));
    check(clary_ones(NULL, CLARY_FLOAT32, 1, shape, &b));
    clary_array *inputs[2] = {a, b};
    check(clary_eval(inputs, 2));
    measure(a, b, 1, 1); /* warms caches and the allocator */
    double one = measure(a, b, 1, 0), chain = measure(a, b, 10, 0);
    report("record one operation (C)", one);
    report("record one operation of a chain of ten (C)", chain / 10);
    report("evaluate one operation, cached, less its recording (C)", measure(a, b, 1, 1) - one);
    report("evaluate a chain of ten, cached, less its recording (C)", measure(a, b, 10, 1) - chain);
    clary_release(&a);
    clary_release(&b);
    return EXIT_SUCCESS;
}
