/* clblast.c - matrix products by CLBlast, where it is found at run time (Debian: libclblast1).
 *
 * Its routines want one of an operand's last two strides to be 1 and the other not less than a row, so
 * that an operand is a matrix or a transposed one. $CLARY_CLBLAST names the library to load instead of the
 * usual names. It is never unloaded.
 */
#include "opencl/product.h"
#include <dlfcn.h>
#include <pthread.h>

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 }; /* of CLBlast's C interface */

/* X<t>gemmStridedBatched; scalars go by value. */
#define GEMM(name, scalar)                                                                         \
    typedef int name(int layout, int x_transpose, int y_transpose, size_t m, size_t n, size_t k,   \
                     scalar alpha, cl_mem x, size_t x_offset, size_t x_row, size_t x_matrix,       \
                     cl_mem y, size_t y_offset, size_t y_row, size_t y_matrix, scalar beta,        \
                     cl_mem z, size_t z_offset, size_t z_row, size_t z_matrix, size_t batch,       \
                     cl_command_queue *queue, cl_event *event);
GEMM(sgemm, float)
GEMM(dgemm, double)
GEMM(cgemm, cl_float2)
GEMM(zgemm, cl_double2)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    sgemm *s;
    dgemm *d;
    cgemm *c;
    zgemm *z;
} clblast;

static void load(void) {
    static const char *const names[] = {"libclblast.so.1", "libclblast.so"};
    const char *chosen = clary__env("CLARY_CLBLAST");
    void *library = chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library && !chosen; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&clblast.s = dlsym(library, "CLBlastSgemmStridedBatched");
    *(void **)&clblast.d = dlsym(library, "CLBlastDgemmStridedBatched");
    *(void **)&clblast.c = dlsym(library, "CLBlastCgemmStridedBatched");
    *(void **)&clblast.z = dlsym(library, "CLBlastZgemmStridedBatched");
}

typedef struct matrix {
    int transpose;
    size_t row; /* elements from a row to the next, as it lies in memory */
} matrix;

/* strides[0] crosses rows, strides[1] columns of a (rows, columns) matrix. */
static bool as_matrix(const int64_t *strides, int64_t rows, int64_t columns, matrix *out) {
    bool plain = (strides[1] == 1 || columns == 1) && (rows == 1 || strides[0] >= columns);
    bool turned = (strides[0] == 1 || rows == 1) && (columns == 1 || strides[1] >= rows);
    if (!plain && !turned) return false;
    int64_t row = plain ? (rows == 1 ? columns : strides[0]) : (columns == 1 ? rows : strides[1]);
    *out = (matrix){plain ? PLAIN : TRANSPOSED, (size_t)row};
    return true;
}

static bool has_routine(clary_dtype dtype) {
    pthread_once(&once, load);
    return (dtype == CLARY_FLOAT32 && clblast.s) || (dtype == CLARY_FLOAT64 && clblast.d) ||
           (dtype == CLARY_COMPLEX64 && clblast.c) || (dtype == CLARY_COMPLEX128 && clblast.z);
}

const char *clary__cl_clblast_lacks(const clary__group *group) {
    const clary__product *p = &group->product;
    matrix x, y;
    if (!has_routine(p->dtype))
        return clblast.s ? "CLBlast has no routine for the dtype" : "CLBlast was not found";
    if (!as_matrix(p->x.strides + 2, group->shape[2], p->inner, &x) ||
        !as_matrix(p->y.strides + 2, p->inner, group->shape[3], &y) || p->x.strides[1] < 0 ||
        p->y.strides[1] < 0)
        return "CLBlast cannot read an operand's strides";
    return NULL;
}

clary_status clary__cl_clblast(clary_device *device, const clary__group *group,
                               clary__buffer *out) {
    clary__cl_state *s = clary__cl_state_of(device);
    const clary__product *p = &group->product;
    const int64_t *shape = group->shape;
    const size_t m = (size_t)shape[2], n = (size_t)shape[3], k = (size_t)p->inner;
    cl_mem x = clary__cl_memory_of(p->x.buffer)->memory;
    cl_mem y = clary__cl_memory_of(p->y.buffer)->memory;
    cl_mem z = clary__cl_memory_of(out)->memory;
    matrix a = {0}, b = {0};
    TRY(clary__cl_alive(device));
    as_matrix(p->x.strides + 2, shape[2], p->inner, &a);
    as_matrix(p->y.strides + 2, p->inner, shape[3], &b);
    for (int64_t outer = 0; outer < shape[0]; outer++) {
        size_t at_x = (size_t)(p->x.offset + outer * p->x.strides[0]);
        size_t at_y = (size_t)(p->y.offset + outer * p->y.strides[0]);
        size_t at_z = (size_t)outer * (size_t)shape[1] * m * n;
        int code = 0;
#define RUN(routine, one, zero)                                                                    \
    code = routine(ROW_MAJOR, a.transpose, b.transpose, m, n, k, one, x, at_x, a.row,              \
                   (size_t)p->x.strides[1], y, at_y, b.row, (size_t)p->y.strides[1], zero, z,      \
                   at_z, n, m * n, (size_t)shape[1], &s->queue, NULL)
        switch (p->dtype) {
        case CLARY_FLOAT32: RUN(clblast.s, 1.0f, 0.0f); break;
        case CLARY_FLOAT64: RUN(clblast.d, 1.0, 0.0); break;
        case CLARY_COMPLEX64: RUN(clblast.c, ((cl_float2){{1, 0}}), ((cl_float2){{0, 0}})); break;
        default: RUN(clblast.z, ((cl_double2){{1, 0}}), ((cl_double2){{0, 0}})); break;
        }
#undef RUN
        FAIL_IF(code, CLARY_DEVICE_ERROR, "%s: %s: CLBlast fails with code %d", device->info.name,
                group->what, code);
        clary__cl_issued(s);
        CLARY__COUNT(launches, 1);
    }
    clary__cl_memory_of(p->x.buffer)->last_use = clary__cl_memory_of(p->y.buffer)->last_use =
        clary__cl_memory_of(out)->last_use = s->issued;
    return CLARY_OK;
}
