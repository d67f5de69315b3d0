/* test_dlpack.c - memory shared with foreign code: both sides see each other's writes, whatever is pending;
 * nothing leaks and nothing is deleted twice, on any path. */
#include "check.h"
#include "core/core.h"

static const int64_t SHAPE[2] = {3, 4};

static clary_array *ramp(clary_device *device) {
    clary_array *flat = NULL, *a = NULL;
    CHECK_OK(clary_arange(device, CLARY_FLOAT64, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 0},
                          (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 12},
                          (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 1}, &flat));
    CHECK_OK(clary_reshape(flat, 2, SHAPE, &a));
    clary_release(&flat);
    return a;
}

static double item_at(clary_array *a, int64_t i, int64_t j) {
    clary_index at[2] = {{.kind = CLARY_INDEX_INTEGER, .start = i},
                         {.kind = CLARY_INDEX_INTEGER, .start = j}};
    clary_array *one = NULL;
    clary_scalar s = {0};
    CHECK_OK(clary_get(a, 2, at, &one));
    CHECK_OK(clary_item(one, &s));
    clary_release(&one);
    return s.re;
}

static void exporting(clary_device *device) {
    SECTION("export");
    clary_array *a = ramp(device), *copy = NULL, *sum = NULL, *before = NULL;
    clary_dl_versioned *t = NULL, *again = NULL;
    CHECK_OK(clary_copy(a, &copy));
    CHECK_OK(clary_add(a, a, &before)); /* pending when the export is made */
    if (!CHECK_OK(clary_to_dlpack_versioned(a, &t))) return;
    CHECK(t->major == 1 && !t->flags && t->tensor.device_type == CLARY_DL_CPU);
    CHECK(t->tensor.ndim == 2 && t->tensor.code == 2 && t->tensor.bits == 64);
    CHECK(t->tensor.shape[1] == 4 && t->tensor.strides[0] == 4 && !t->tensor.byte_offset);
    double *data = t->tensor.data;
    CHECK(data[11] == 11);
    data[5] = 100;
    CHECK(item_at(a, 1, 1) == 100 && item_at(copy, 1, 1) == 5 && item_at(before, 1, 1) == 10);
    CHECK_OK(clary_add(a, a, &sum)); /* done when the call returns */
    data[5] = 7;
    CHECK(item_at(sum, 1, 1) == 200);
    CHECK_OK(clary_assign(a, sum));
    CHECK(data[5] == 200 && data[11] == 22);
    CHECK_OK(clary_to_dlpack_versioned(a, &again));
    CHECK(again->tensor.data == data);
    t->deleter(t);
    CHECK_OK(clary_assign(a, copy));
    CHECK(data[5] == 5);
    clary_release(&a); /* the export keeps the memory */
    CHECK(data[5] == 5 && data[0] == 0);
    again->deleter(again);
    clary_release(&copy);
    clary_release(&before);
    clary_release(&sum);
}

static void ordinary_again(clary_device *device) {
    SECTION("ordinary again when the consumer lets go");
    clary_array *a = ramp(device), *sum = NULL, *scale = NULL;
    clary_dl_managed *t = NULL;
    clary_counters before, after;
    CHECK_OK(clary_to_dlpack(a, &t));
    t->deleter(t);
    clary_get_counters(&before);
    CHECK_OK(clary_add(a, a, &sum));
    CHECK_OK(clary_multiply(sum, sum, &scale));
    clary_get_counters(&after);
    CHECK_INT((int64_t)(after.launches - before.launches), 0);
    CHECK(item_at(scale, 1, 0) == 64);
    clary_release(&a);
    clary_release(&sum);
    clary_release(&scale);
}

static void read_only(clary_device *device) {
    SECTION("read-only");
    clary_array *a = ramp(device), *b = NULL;
    clary_dl_managed *legacy = NULL;
    clary_dl_versioned *t = NULL;
    CHECK_OK(clary_set_writable(a, false));
    CHECK_STATUS(clary_to_dlpack(a, &legacy), CLARY_READ_ONLY);
    CHECK_OK(clary_to_dlpack_versioned(a, &t));
    CHECK_INT((int64_t)t->flags, CLARY_DL_READ_ONLY);
    CHECK_OK(clary_from_dlpack_versioned(device, t, CLARY_COPY_NEVER, &b));
    CHECK(!clary_array_is_writable(b));
    CHECK_STATUS(clary_assign(b, b), CLARY_READ_ONLY);
    CHECK_STATUS(clary_set_writable(b, true), CLARY_READ_ONLY);
    clary_release(&a);
    CHECK(item_at(b, 2, 3) == 11);
    clary_release(&b);
}

/* ---- importing memory of our own ---- */

typedef struct foreign {
    clary_dl_managed managed;
    int64_t shape[2], strides[2];
    double block[64] __attribute__((aligned(16)));
    int deleted;
} foreign;

static void count_deletion(clary_dl_managed *self) {
    ((foreign *)self->manager_ctx)->deleted++;
}

/* A transposed and reversed window whose lowest element is not at an aligned address. */
static void make_foreign(foreign *f) {
    *f = (foreign){.shape = {3, 4}, .strides = {-1, 5}};
    for (int i = 0; i < 64; i++) f->block[i] = i;
    f->managed = (clary_dl_managed){.tensor = {.data = f->block + 2,
                                               .device_type = CLARY_DL_CPU,
                                               .ndim = 2,
                                               .code = 2,
                                               .bits = 64,
                                               .lanes = 1,
                                               .shape = f->shape,
                                               .strides = f->strides,
                                               .byte_offset = 8},
                                    .manager_ctx = f,
                                    .deleter = count_deletion};
}

static void importing(clary_device *device) {
    SECTION("import");
    foreign f;
    clary_array *a = NULL, *sum = NULL, *view = NULL, *bytes = NULL;
    clary_dl_managed *t = NULL;
    make_foreign(&f);
    if (!CHECK_OK(clary_from_dlpack(device, &f.managed, CLARY_COPY_NEVER, &a))) return;
    CHECK(item_at(a, 0, 0) == 3 && item_at(a, 2, 3) == 16);
    CHECK_OK(clary_add(a, a, &sum));
    f.block[16] = -1;
    CHECK(item_at(a, 2, 3) == -1 && item_at(sum, 2, 3) == 32);
    CHECK_OK(clary_assign(a, sum));
    CHECK(f.block[16] == 32 && f.block[3] == 6 && f.block[0] == 0 && f.block[4] == 4);
    CHECK_OK(clary_transpose(a, NULL, &view));
    CHECK_OK(clary_to_dlpack(view, &t));
    CHECK(t->tensor.data == f.block + 3 && t->tensor.strides[0] == 5 && t->tensor.strides[1] == -1);
    CHECK_OK(clary_view(a, CLARY_INT64, &bytes));
    clary_release(&a);
    clary_release(&view);
    CHECK_INT(f.deleted, 0);
    t->deleter(t);
    CHECK_INT(f.deleted, 0);
    clary_release(&bytes);
    CHECK_INT(f.deleted, 1);
    clary_release(&sum);
}

static void copying(clary_device *device) {
    SECTION("import by copy");
    foreign f;
    clary_array *a = NULL;
    make_foreign(&f);
    CHECK_OK(clary_from_dlpack(device, &f.managed, CLARY_COPY_ALWAYS, &a));
    CHECK_INT(f.deleted, 1);
    f.block[3] = 9;
    CHECK(item_at(a, 0, 0) == 3 && item_at(a, 2, 3) == 16);
    clary_release(&a);
    f.managed.tensor.byte_offset = 4; /* not aligned */
    CHECK_STATUS(clary_from_dlpack(device, &f.managed, CLARY_COPY_NEVER, &a), CLARY_UNSUPPORTED);
    CHECK_OK(clary_from_dlpack(device, &f.managed, CLARY_COPY_IF_NEEDED, &a));
    CHECK_INT(f.deleted, 2);
    clary_release(&a);
    f.managed.tensor.byte_offset = 8;
    f.managed.tensor.code = 3;
    CHECK_ERROR(clary_from_dlpack(device, &f.managed, CLARY_COPY_IF_NEEDED, &a), CLARY_UNSUPPORTED,
                "code 3");
    f.managed.tensor.code = 2;
    f.managed.tensor.device_type = 2;
    CHECK_ERROR(clary_from_dlpack(device, &f.managed, CLARY_COPY_IF_NEEDED, &a), CLARY_UNSUPPORTED,
                "host");
    clary_dl_versioned later = {.major = 2};
    CHECK_ERROR(clary_from_dlpack_versioned(device, &later, CLARY_COPY_NEVER, &a),
                CLARY_UNSUPPORTED, "2.0");
    CHECK_INT(f.deleted, 2);
}

/* ---- views of other dtypes ---- */

static void views(clary_device *device) {
    SECTION("parts and bytes");
    clary_array *z = NULL, *re = NULL, *im = NULL, *words = NULL, *back = NULL, *three = NULL;
    clary_scalar s;
    CHECK_OK(clary_full(device, CLARY_COMPLEX64, 2, SHAPE,
                        (clary_scalar){.kind = CLARY_SCALAR_COMPLEX, .re = 1, .im = 2}, &z));
    CHECK_OK(clary_part(z, false, &re));
    CHECK_OK(clary_part(z, true, &im));
    CHECK(clary_array_dtype(im) == CLARY_FLOAT32 && !clary_array_is_contiguous(im));
    CHECK_OK(
        clary_scalar_array(device, (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = 3}, &three));
    CHECK_OK(clary_assign(im, three));
    CHECK_OK(clary_assign(re, im));
    CHECK(item_at(z, 2, 3) == 3 && item_at(re, 2, 3) == 3 && item_at(im, 0, 0) == 3);
    clary_release(&three);
    CHECK_OK(clary_view(z, CLARY_INT32, &words));
    CHECK(clary_array_shape(words)[1] == 8);
    CHECK_OK(clary_view(words, CLARY_COMPLEX64, &back));
    CHECK(clary_array_shape(back)[1] == 4 && item_at(back, 1, 1) == 3);
    clary_release(&z);
    clary_release(&re);
    clary_release(&im);
    clary_release(&back);
    CHECK_OK(clary_view(words, CLARY_FLOAT32, &back));
    CHECK(item_at(back, 2, 7) == 3);
    CHECK_OK(clary_scalar_array(device, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 0}, &three));
    CHECK_OK(clary_assign(words, three));
    CHECK(item_at(back, 2, 7) == 0);
    clary_release(&three);
    clary_release(&back);
    CHECK_OK(clary_transpose(words, NULL, &re));
    CHECK_ERROR(clary_view(re, CLARY_INT8, &z), CLARY_INVALID_ARGUMENT, "contiguous");
    clary_release(&re);
    CHECK_ERROR(clary_part(words, true, &z), CLARY_DTYPE_MISMATCH, "int32");
    CHECK_OK(clary_scalar_array(device, (clary_scalar){.kind = CLARY_SCALAR_INT, .i = 0}, &three));
    CHECK_STATUS(clary_view(three, CLARY_INT8, &z), CLARY_INVALID_ARGUMENT);
    CHECK(clary_item(three, &s) == CLARY_OK && s.i == 0);
    clary_release(&three);
    clary_release(&words);
}

/* ---- allocations fail ---- */

static void failures(clary_device *device) {
    SECTION("each allocation fails in turn");
    clary_counters start, now;
    clary_array *a = ramp(device), *b = NULL;
    clary_get_counters(&start);
    for (int64_t nth = 1, ok = 0; nth < 100 && !ok; nth++) { /* export */
        clary_array *fresh = ramp(device);
        clary_dl_versioned *t = NULL;
        clary__alloc_fail_at(nth);
        ok = clary_to_dlpack_versioned(fresh, &t) == CLARY_OK;
        clary__alloc_fail_at(0);
        CHECK(ok || !t);
        CHECK(item_at(fresh, 2, 1) == 9);
        if (ok) t->deleter(t);
        clary_release(&fresh);
        CHECK(nth < 99);
    }
    for (int64_t nth = 1, ok = 0; nth < 100 && !ok; nth++) { /* import */
        foreign f;
        make_foreign(&f);
        clary__alloc_fail_at(nth);
        ok = clary_from_dlpack(device, &f.managed, CLARY_COPY_NEVER, &b) == CLARY_OK;
        clary__alloc_fail_at(0);
        CHECK_INT(f.deleted, 0);
        clary_release(&b);
        CHECK_INT(f.deleted, ok);
    }
    for (int64_t nth = 1, ok = 0; nth < 100 && !ok; nth++) { /* view, and a write through it */
        clary_array *fresh = ramp(device);
        clary__alloc_fail_at(nth);
        ok = clary_view(fresh, CLARY_INT64, &b) == CLARY_OK && clary_assign(b, b) == CLARY_OK;
        clary__alloc_fail_at(0);
        CHECK(item_at(fresh, 2, 1) == 9);
        clary_release(&fresh);
        clary_release(&b);
    }
    clary_get_counters(&now);
    CHECK_INT((int64_t)now.live_arrays, (int64_t)start.live_arrays);
    CHECK_INT((int64_t)now.live_values, (int64_t)start.live_values);
    CHECK_INT((int64_t)now.live_bytes, (int64_t)start.live_bytes);
    clary_release(&a);
}

int main(void) {
    clary_device *device = NULL;
    int32_t type, id;
    if (!CHECK_OK(clary_device_open(NULL, &device))) return check_done();
    clary_dlpack_device(device, &type, &id);
    if (type == CLARY_DL_CPU) {
        exporting(device);
        ordinary_again(device);
        read_only(device);
        importing(device);
        copying(device);
        failures(device);
    }
    views(device);
    clary_device_release(&device);
    CHECK_NO_LEAKS();
    return check_done();
}
