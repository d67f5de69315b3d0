/* dlpack.c - arrays to and from DLPack's structures: see clary/interop.h.
 *
 * An export holds its array and a pin on the storage (array/share.h); deleting it gives both back. An
 * import lays a storage on the foreign memory: from its lowest element to its highest, so that any strides
 * are a layout on it.
 */
#include "array/share.h"
#include "clary/interop.h"
#include <string.h>

enum { KIND_INT, KIND_UINT, KIND_FLOAT, KIND_BFLOAT = 4, KIND_COMPLEX, KIND_BOOL };

/* What kernels may assume of an address. */
#define ALIGNMENT 16

static int kind_of(clary_dtype dtype) {
    switch (clary_dtype_kind(dtype)) {
    case 'b': return KIND_BOOL;
    case 'i': return KIND_INT;
    case 'u': return KIND_UINT;
    case 'c': return KIND_COMPLEX;
    default: return dtype == CLARY_BFLOAT16 ? KIND_BFLOAT : KIND_FLOAT;
    }
}

/* ---- export ---- */

typedef struct exported {
    union {
        clary_dl_managed legacy;
        clary_dl_versioned versioned;
    } as;
    clary_array *array; /* pinned */
    int64_t geometry[]; /* shape, strides */
} exported;

void clary_dlpack_device(const clary_device *device, int32_t *type, int32_t *id) {
    bool host = device->info.shares_host_memory;
    *type = host ? CLARY_DL_CPU : CLARY_DL_OPENCL;
    *id = host ? 0 : device->index;
}

static void let_go(exported *e) {
    if (e->array) clary__storage_unpin(e->array->storage);
    clary_release(&e->array);
    clary__dealloc(e);
}

static void delete_legacy(clary_dl_managed *self) {
    let_go(self->manager_ctx);
}

static void delete_versioned(clary_dl_versioned *self) {
    let_go(self->manager_ctx);
}

static clary_status export(clary_array *a, exported **out, clary_dl_tensor *t) {
    const clary_device *device = clary__device_of(a);
    size_t geometry = (size_t)a->ndim * sizeof(int64_t);
    *out = NULL;
    FAIL_IF(a->weak, CLARY_INVALID_ARGUMENT, "to_dlpack: a weak scalar has no memory");
    FAIL_IF(!device->info.shares_host_memory, CLARY_UNSUPPORTED,
            "to_dlpack: the memory of '%s' has no address on the host; copy the array to the "
            "reference device",
            device->info.name);
    exported *e = clary__calloc(1, sizeof *e + 2 * geometry);
    FAIL_IF(!e, CLARY_OUT_OF_MEMORY, "to_dlpack: no host memory");
    clary_status status = clary__storage_pin(a->storage);
    if (status != CLARY_OK) {
        clary__dealloc(e);
        return status;
    }
    e->array = clary_retain(a);
    memcpy(e->geometry, a->geometry, 2 * geometry);
    size_t item = clary_dtype_size((clary_dtype)a->dtype);
    *t = (clary_dl_tensor){
        .data = (char *)a->storage->current->buffer->host + (size_t)a->offset * item,
        .device_type = CLARY_DL_CPU,
        .ndim = a->ndim,
        .code = (uint8_t)kind_of((clary_dtype)a->dtype),
        .bits = (uint8_t)(8 * item),
        .lanes = 1,
        .shape = e->geometry,
        .strides = e->geometry + a->ndim,
    };
    *out = e;
    return CLARY_OK;
}

clary_status clary_to_dlpack(clary_array *a, clary_dl_managed **out) {
    exported *e;
    clary_dl_tensor t;
    *out = NULL;
    FAIL_IF(a->read_only, CLARY_READ_ONLY,
            "to_dlpack: the array is read-only, which only the versioned form can say");
    TRY(export(a, &e, &t));
    e->as.legacy = (clary_dl_managed){.tensor = t, .manager_ctx = e, .deleter = delete_legacy};
    *out = &e->as.legacy;
    return CLARY_OK;
}

clary_status clary_to_dlpack_versioned(clary_array *a, clary_dl_versioned **out) {
    exported *e;
    clary_dl_tensor t;
    *out = NULL;
    TRY(export(a, &e, &t));
    e->as.versioned = (clary_dl_versioned){.major = 1,
                                           .minor = 1,
                                           .manager_ctx = e,
                                           .deleter = delete_versioned,
                                           .flags = a->read_only ? CLARY_DL_READ_ONLY : 0,
                                           .tensor = t};
    *out = &e->as.versioned;
    return CLARY_OK;
}

/* ---- import ---- */

typedef struct imported {
    const clary_dl_tensor *tensor;
    clary_dtype dtype;
    int64_t size;
    clary__layout layout; /* on the elements from `first` on */
    char *first;
    int64_t count;
} imported;

static clary_status dtype_of(const clary_dl_tensor *t, clary_dtype *out) {
    for (int d = 0; d < CLARY_DTYPE_COUNT && t->lanes == 1; d++)
        if (kind_of((clary_dtype)d) == t->code &&
            8 * clary_dtype_size((clary_dtype)d) == (size_t)t->bits) {
            *out = (clary_dtype)d;
            return CLARY_OK;
        }
    return clary__fail(CLARY_UNSUPPORTED,
                       "from_dlpack: no dtype for elements of code %d, %d bits and %d lanes",
                       t->code, t->bits, t->lanes);
}

static clary_status describe(const clary_dl_tensor *t, imported *in) {
    int64_t low = 0, high = 0;
    FAIL_IF(t->device_type != CLARY_DL_CPU && t->device_type != CLARY_DL_CUDA_HOST &&
                t->device_type != CLARY_DL_ROCM_HOST,
            CLARY_UNSUPPORTED,
            "from_dlpack: the tensor is not in the host's memory (device type %d)",
            (int)t->device_type);
    TRY(dtype_of(t, &in->dtype));
    TRY(clary__check_shape("from_dlpack", in->dtype, t->ndim, t->shape));
    in->tensor = t;
    clary__layout_contiguous(&in->layout, t->ndim, t->shape);
    if (t->strides && t->ndim)
        memcpy(in->layout.strides, t->strides, (size_t)t->ndim * sizeof *t->strides);
    in->size = clary__size_of(t->ndim, t->shape);
    for (int d = 0; d < t->ndim && in->size; d++) {
        int64_t reach = (t->shape[d] - 1) * in->layout.strides[d];
        *(reach < 0 ? &low : &high) += reach;
    }
    in->first = (char *)t->data + t->byte_offset + low * (int64_t)clary_dtype_size(in->dtype);
    in->layout.offset = -low;
    in->count = high - low + 1;
    return CLARY_OK;
}

static clary_status copy_in(clary_device *device, const imported *in, clary_array **out) {
    int64_t strides[CLARY_MAX_NDIM], item = (int64_t)clary_dtype_size(in->dtype);
    for (int d = 0; d < in->layout.ndim; d++) strides[d] = in->layout.strides[d] * item;
    return clary_from_host(device, in->dtype, in->layout.ndim, in->layout.shape, strides,
                           in->first + in->layout.offset * item, out);
}

/* Kernels want the base of a buffer aligned: start a few elements before the first, which nobody reads. */
static clary_status lay_on(clary_device *device, const imported *in, bool read_only,
                           void (*farewell)(void *), void *context, clary_array **out) {
    size_t item = clary_dtype_size(in->dtype), beyond = (uintptr_t)in->first % ALIGNMENT;
    FAIL_IF(beyond % item, CLARY_UNSUPPORTED,
            "from_dlpack: elements of %zu bytes at address %p are not aligned", item,
            (void *)in->first);
    int64_t before = (int64_t)(beyond / item);
    clary__layout layout = in->layout;
    layout.offset += before;
    return clary__array_on(device, in->dtype, in->first - beyond, in->count + before, &layout,
                           read_only, farewell, context, out);
}

static clary_status import(clary_device *device, const clary_dl_tensor *t, bool read_only,
                           clary_copy_rule rule, void (*farewell)(void *), void *context,
                           clary_array **out) {
    imported in;
    *out = NULL;
    TRY(clary__device_or_default(device, &device));
    TRY(describe(t, &in));
    clary_status status = CLARY_UNSUPPORTED;
    if (rule != CLARY_COPY_ALWAYS && in.size)
        status = lay_on(device, &in, read_only, farewell, context, out);
    if (status != CLARY_UNSUPPORTED || (rule == CLARY_COPY_NEVER && in.size)) return status;
    TRY(copy_in(device, &in, out));
    farewell(context);
    return CLARY_OK;
}

static void done_legacy(void *context) {
    clary_dl_managed *m = context;
    if (m->deleter) m->deleter(m);
}

static void done_versioned(void *context) {
    clary_dl_versioned *m = context;
    if (m->deleter) m->deleter(m);
}

clary_status clary_from_dlpack(clary_device *device, clary_dl_managed *tensor, clary_copy_rule rule,
                               clary_array **out) {
    return import(device, &tensor->tensor, false, rule, done_legacy, tensor, out);
}

clary_status clary_from_dlpack_versioned(clary_device *device, clary_dl_versioned *tensor,
                                         clary_copy_rule rule, clary_array **out) {
    *out = NULL;
    FAIL_IF(tensor->major != 1, CLARY_UNSUPPORTED,
            "from_dlpack: version %u.%u of DLPack is not known", (unsigned)tensor->major,
            (unsigned)tensor->minor);
    return import(device, &tensor->tensor, tensor->flags & CLARY_DL_READ_ONLY, rule, done_versioned,
                  tensor, out);
}
