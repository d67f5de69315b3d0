/* test_aliasing.c - views alias and overlapping writes behave as in NumPy, over random programs.
 *
 * A program keeps one storage of int64 and writes to random windows of it from random windows of itself
 * (shifted, reversed, transposed, broadcast), evaluated at random times. The model does the same on plain
 * host memory, always reading the whole right side before writing.
 */
#include "check.h"

enum { ROWS = 7, COLS = 9, SIZE = ROWS * COLS };

typedef struct window {
    clary_array *array;
    int ndim;
    int64_t offset, shape[4], strides[4];
} window;

static int64_t at(const window *w, const int64_t *i) {
    int64_t p = w->offset;
    for (int d = 0; d < w->ndim; d++) p += i[d] * w->strides[d];
    return p;
}

/* A random basic index of base, possibly transposed; the model's geometry is computed independently. */
static bool random_window(clary_array *base, window *out) {
    clary_index items[2];
    int64_t start[2], count[2], step[2];
    const int64_t extent[2] = {ROWS, COLS}, stride[2] = {COLS, 1};
    for (int d = 0; d < 2; d++) {
        step[d] = check_random_int(1, 3) * (check_random_int(0, 1) ? 1 : -1);
        start[d] = check_random_int(0, extent[d] - 1);
        int64_t room = step[d] > 0 ? (extent[d] - 1 - start[d]) / step[d] : start[d] / -step[d];
        count[d] = check_random_int(1, room + 1);
        int64_t last = start[d] + (count[d] - 1) * step[d];
        int64_t stop = step[d] > 0 ? last + 1 : last - 1;
        items[d] = (clary_index){.kind = CLARY_INDEX_SLICE,
                                 .has_start = true,
                                 .has_stop = stop >= 0,
                                 .start = start[d],
                                 .stop = stop,
                                 .step = step[d]};
    }
    clary_array *view = NULL;
    if (!CHECK_OK(clary_get(base, 2, items, &view))) return false;
    bool swap = check_random_int(0, 1);
    out->ndim = 2;
    out->offset = start[0] * stride[0] + start[1] * stride[1];
    for (int d = 0; d < 2; d++) {
        int from = swap ? 1 - d : d;
        out->shape[d] = count[from];
        out->strides[d] = step[from] * stride[from];
    }
    bool good = true;
    if (swap)
        good = CHECK_OK(clary_transpose(view, NULL, &out->array));
    else
        out->array = clary_retain(view);
    clary_release(&view);
    return good;
}

/* Makes src's shape fit dst's by cutting or by leaving extents of 1 to broadcast. */
static bool fit(const window *dst, window *src) {
    clary_index items[2];
    for (int d = 0; d < 2; d++) {
        int64_t want = dst->shape[d];
        int64_t n = src->shape[d] >= want && check_random_int(0, 3) ? want : 1;
        items[d] = (clary_index){.kind = CLARY_INDEX_SLICE, .has_stop = true, .stop = n, .step = 1};
        src->shape[d] = n;
        if (n == 1) src->strides[d] = 0;
    }
    clary_array *cut = NULL;
    if (!CHECK_OK(clary_get(src->array, 2, items, &cut))) return false;
    clary_release(&src->array);
    src->array = cut;
    return true;
}

/* dst op= src, in the model. */
static void model_write(int64_t *model, const window *dst, const window *src, int op) {
    int64_t right[SIZE], n = 0;
    for (int64_t i = 0; i < dst->shape[0]; i++)
        for (int64_t j = 0; j < dst->shape[1]; j++) {
            int64_t p[2] = {i, j};
            int64_t x = model[at(src, p)], old = model[at(dst, p)];
            right[n++] = op == 0 ? x : op == 1 ? old + x : (old - 2 * x) % 100003;
        }
    n = 0;
    for (int64_t i = 0; i < dst->shape[0]; i++)
        for (int64_t j = 0; j < dst->shape[1]; j++) {
            int64_t p[2] = {i, j};
            model[at(dst, p)] = right[n++];
        }
}

static bool device_write(window *dst, window *src, int op) {
    clary_array *twice = NULL, *two = NULL, *modulus = NULL, *difference = NULL, *result = NULL;
    bool good = true;
    clary_array *pair[2] = {dst->array, src->array};
    if (op == 0) return CHECK_OK(clary_assign(dst->array, src->array));
    if (op == 1) return CHECK_OK(clary_apply_into(CLARY_OP_add, pair, dst->array));
    good = CHECK_OK(
               clary_scalar_array(NULL, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 2}, &two)) &&
           CHECK_OK(clary_scalar_array(NULL, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 100003},
                                       &modulus)) &&
           CHECK_OK(clary_multiply(src->array, two, &twice)) &&
           CHECK_OK(clary_subtract(dst->array, twice, &difference)) &&
           CHECK_OK(clary_fmod(difference, modulus, &result)) &&
           CHECK_OK(clary_assign(dst->array, result));
    clary_release(&twice);
    clary_release(&two);
    clary_release(&modulus);
    clary_release(&difference);
    clary_release(&result);
    return good;
}

/* With `shared`, foreign code sees the memory all the time. */
static void random_program(int steps, bool shared) {
    int64_t model[SIZE];
    clary_dl_managed *foreign = NULL;
    const int64_t shape[2] = {ROWS, COLS};
    clary_array *base = NULL, *snapshot = NULL;
    int64_t snapshot_model[SIZE];
    for (int i = 0; i < SIZE; i++) model[i] = check_random_int(-1000, 1000);
    if (!CHECK_OK(clary_from_host(NULL, CLARY_INT64, 2, shape, NULL, model, &base))) return;
    if (shared && !CHECK_OK(clary_to_dlpack(base, &foreign))) return;
    for (int s = 0; s < steps; s++) {
        window dst = {0}, src = {0};
        int op = (int)check_random_int(0, 2);
        bool good = random_window(base, &dst) && random_window(base, &src) && fit(&dst, &src) &&
                    device_write(&dst, &src, op);
        if (good) model_write(model, &dst, &src, op);
        clary_release(&dst.array);
        clary_release(&src.array);
        if (!good) break;
        if (foreign) {
            int64_t *memory = foreign->tensor.data, at = check_random_int(0, SIZE - 1);
            CHECK_BYTES(memory, model, sizeof model);
            memory[at] = model[at] = check_random_int(-1000, 1000);
            if (s == steps / 2) foreign->deleter(foreign), foreign = NULL;
        }
        if (check_random_int(0, 5) == 0) { /* a copy keeps the values of now */
            clary_release(&snapshot);
            CHECK_OK(clary_copy(base, &snapshot));
            memcpy(snapshot_model, model, sizeof model);
        }
        if (check_random_int(0, 3) == 0) CHECK_OK(clary_eval(&base, 1));
        if (check_random_int(0, 7) == 0 && !CHECK_ARRAY(base, CLARY_INT64, 2, shape, model)) break;
    }
    CHECK_ARRAY(base, CLARY_INT64, 2, shape, model);
    if (snapshot) CHECK_ARRAY(snapshot, CLARY_INT64, 2, shape, snapshot_model);
    clary_release(&base);
    clary_release(&snapshot);
    if (foreign) foreign->deleter(foreign);
}

int main(void) {
    SECTION("random programs");
    for (int i = 0; i < 300; i++) random_program(12, false);
    int32_t type, id;
    clary_device *device = NULL;
    CHECK_OK(clary_device_open(NULL, &device));
    clary_dlpack_device(device, &type, &id);
    clary_device_release(&device);
    SECTION("random programs on shared memory");
    for (int i = 0; i < 200 && type == CLARY_DL_CPU; i++) random_program(12, true);
    CHECK_NO_LEAKS();
    return check_done();
}
