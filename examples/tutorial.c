/* tutorial.c - the classic first GPU program: add and multiply two large arrays of random numbers.
 *
 *     tutorial [ROWS COLUMNS]
 *
 * The arrays are made where they are used, so nothing is uploaded. The first run also opens the device and
 * compiles (or loads) kernels; the second shows what the computation itself costs. A corner of the result
 * is checked on the host.
 */
#include <clary.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != CLARY_OK) {                                                                  \
            fprintf(stderr, "tutorial: %s\n", clary_last_error());                                 \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The top left 4 x 4 elements of a, on the host. */
static clary_status corner(clary_array *a, float out[16]) {
    clary_index items[2] = {{CLARY_INDEX_SLICE, false, true, 0, 4, 1},
                            {CLARY_INDEX_SLICE, false, true, 0, 4, 1}};
    clary_array *view = NULL;
    clary_status status = clary_get(a, 2, items, &view);
    if (status == CLARY_OK) status = clary_to_host(view, out, 16 * sizeof(float));
    clary_release(&view);
    return status;
}

int main(int argc, char **argv) {
    int64_t shape[2] = {argc > 2 ? atoll(argv[1]) : 1200, argc > 2 ? atoll(argv[2]) : 1920};
    uint64_t words = (uint64_t)(shape[0] * shape[1]);
    clary_array *a = NULL, *b = NULL, *sum = NULL, *product = NULL;
    clary_device_info info;
    clary_device *device;
    float va[16], vb[16], vs[16], vp[16];
    int result = EXIT_FAILURE;

    if (shape[0] < 4 || shape[1] < 4) {
        fprintf(stderr, "usage: tutorial [ROWS COLUMNS], each at least 4\n");
        return result;
    }
    CHECK(clary_default_device(&device));
    CHECK(clary_device_get_info(device, &info));
    printf("%s: two arrays of %lld x %lld float32\n", info.name, (long long)shape[0],
           (long long)shape[1]);
    CHECK(clary_random_uniform(device, CLARY_FLOAT32, 42, 0, 2, shape, &a));
    CHECK(clary_random_uniform(device, CLARY_FLOAT32, 42, words, 2, shape, &b));
    clary_array *inputs[2] = {a, b};
    CHECK(clary_eval(inputs, 2));
    CHECK(clary_synchronize(device));

    for (int run = 1; run <= 2; run++) {
        clary_release(&sum);
        clary_release(&product);
        double start = now();
        CHECK(clary_add(a, b, &sum));
        CHECK(clary_multiply(a, b, &product));
        clary_array *outputs[2] = {sum, product};
        CHECK(clary_eval(outputs, 2)); /* both at once: one kernel, two results */
        CHECK(clary_synchronize(device));
        double seconds = now() - start;
        printf("run %d: a + b and a * b in %.3f ms, %.2f GB/s\n", run, 1e3 * seconds,
               1e-9 * 4 * sizeof(float) * (double)words / seconds);
    }

    CHECK(corner(a, va));
    CHECK(corner(b, vb));
    CHECK(corner(sum, vs));
    CHECK(corner(product, vp));
    for (int i = 0; i < 16; i++)
        if (vs[i] != va[i] + vb[i] || vp[i] != va[i] * vb[i]) {
            fprintf(stderr, "tutorial: element %d is wrong\n", i);
            goto done;
        }
    printf("checked against C: the same bits\n");
    result = EXIT_SUCCESS;
done:
    clary_release(&a);
    clary_release(&b);
    clary_release(&sum);
    clary_release(&product);
    return result;
}
