/* sort.c - sorts. The algorithms are in cl/sort.cl; here one is chosen and fed.
 *
 * Rows that fit into local memory take one launch. Longer ones take, for every byte of the key, COUNT, SCAN (if
 * there are many parts) and SCATTER. CPUs scatter with one work-item a work-group.
 */
#include "codegen/codegen.h"
#include <stdio.h>
#include <string.h>

#define DIGITS 256
#define GROUP 256
#define HELD 8      /* elements of a work-item in SHORT */
#define UNROLL 16   /* loads in flight in COUNT */
#define ADDED_UP 16 /* so many parts are added up by SCATTER itself */

clary__sort_limits clary__sort_limits_now = {.wide_from = INT64_C(1) << 31, .items = 24};

enum { SHORT = 1, COUNT, SCAN, SCATTER };

/* What a kernel's source depends on; its bytes are its key. */
typedef struct variant {
    char name[4];
    uint8_t kernel, cpu, wide, places;
    uint8_t size, kind; /* of a number, in bytes; 'u' integers, 'f' floats, 'g' bfloat16 */
    uint8_t complex, items;
} variant;

typedef struct params { /* as in cl/sort.cl */
    uint64_t rows, length, parts, part, flip;
    int32_t pass, values, order, scanned, levels, unused;
} params;

typedef struct work {
    clary_device *device;
    const clary__sort *sort;
    clary__launch_fn *launch;
    variant v;
    params p;
} work;

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static size_t element_bytes(const variant *v) {
    return (size_t)v->size << v->complex;
}

static size_t linear_bytes(const variant *v) {
    return v->wide ? 8 : 4;
}

static int group_of(const variant *v) {
    if (v->kernel == SHORT) return element_bytes(v) == 16 ? GROUP / 2 : GROUP;
    return v->cpu ? 1 : GROUP;
}

/* ---- source ---- */

static const char *unsigned_of(size_t bytes) {
    return bytes == 1 ? "uchar" : bytes == 2 ? "ushort" : bytes == 4 ? "uint" : "ulong";
}

static void entry_of(const variant *v, char name[64]) {
    static const char *const kernels[] = {"", "short", "count", "scan", "scatter"};
    int n = snprintf(name, 64, "sort_%s", kernels[v->kernel]);
    if (v->kernel == SCAN) return;
    const char *kind = v->complex ? "c" : v->kind == 'g' ? "bf" : v->kind == 'f' ? "f" : "u";
    snprintf(name + n, 64 - (size_t)n, "_%s%zu", kind, 8 * element_bytes(v));
}

/* The larger of what SCATTER moves. */
static size_t moved_bytes(const variant *v) {
    size_t element = element_bytes(v);
    return v->places && linear_bytes(v) > element ? linear_bytes(v) : element;
}

/* Local memory that SCATTER uses for masks, elements and places in turn. */
static size_t pool_bytes(const variant *v) {
    size_t masks = 2 * GROUP / 32 * DIGITS * 4, tile = GROUP * v->items * moved_bytes(v);
    return tile > masks ? tile : masks;
}

static clary_status write_source(const void *context, clary__text *out) {
    const variant *v = context;
    size_t bytes = element_bytes(v);
    char name[64];
    entry_of(v, name);
    clary__text_add(out, "/* %s */\n%s\n", name, clary__cl_file("prelude.cl"));
    clary__text_add(out, "#define ENTRY %s\n#define GROUP %d\n#define CPU %d\n#define WIDE %d\n",
                    name, group_of(v), v->cpu, v->wide);
    clary__text_add(out, "#define SHORT %d\n#define COUNT %d\n#define SCAN %d\n",
                    v->kernel == SHORT, v->kernel == COUNT, v->kernel == SCAN);
    clary__text_add(out, "#define BITS %s\n#define ELEMENT %s%s\n#define COMPLEX %d\n",
                    unsigned_of(v->size), unsigned_of(v->size), v->complex ? "2" : "", v->complex);
    clary__text_add(out, "#define KEY %s\n#define KEY_BYTES %zu\n",
                    bytes == 16 ? "ulong2" : unsigned_of(bytes), bytes);
    if (v->kind == 'g') clary__text_add(out, "#define INFINITE 0x7f80\n");
    if (v->kind == 'f')
        clary__text_add(out, "#define INFINITE %s\n",
                        v->size == 2   ? "0x7c00"
                        : v->size == 4 ? "0x7f800000u"
                                       : "0x7ff0000000000000ul");
    clary__text_add(out,
                    "#define PLACES %d\n#define ITEMS %d\n#define POOL %zu\n#define UNROLL %d\n",
                    v->places, v->items, pool_bytes(v), UNROLL);
    clary__text_add(out, "%s", clary__cl_file("sort.cl"));
    FAIL_IF(out->failed, CLARY_OUT_OF_MEMORY, "no memory for the source of a kernel");
    return CLARY_OK;
}

/* ---- launches ---- */

static clary_status enqueue(work *w, int kernel, int nbuffers, clary__buffer *const *buffers,
                            int64_t groups, uint64_t bytes) {
    variant v = w->v;
    char entry[64];
    clary__launch l = {0};
    v.kernel = (uint8_t)kernel;
    if (kernel != SCATTER) v.places = v.items = 0;
    if (kernel == SHORT) v.cpu = v.wide = 0;
    if (kernel == SCAN) v.size = v.kind = 1, v.complex = 0;
    entry_of(&v, entry);
    for (int i = 0; i < nbuffers; i++) l.buffers[l.nbuffers++] = buffers[i];
    l.key = &v;
    l.key_bytes = sizeof v;
    l.source = write_source;
    l.context = &v;
    l.entry = entry;
    l.params = &w->p;
    l.params_bytes = sizeof w->p;
    l.dims = 1;
    l.local[0] = (size_t)group_of(&v);
    l.global[0] = (size_t)groups * l.local[0];
    l.global[1] = l.global[2] = l.local[1] = l.local[2] = 1;
    l.bytes = bytes;
    l.what = w->sort->what;
    return w->launch(w->device, &l);
}

static clary_status sort_short(work *w) {
    const clary__sort *s = w->sort;
    clary__buffer *any = s->values ? s->values : s->order;
    variant v = w->v;
    v.kernel = SHORT;
    int64_t capacity = (int64_t)group_of(&v) * HELD;
    uint64_t count = (uint64_t)(s->rows * s->length), bytes = element_bytes(&v);
    while (INT64_C(1) << w->p.levels < s->length) w->p.levels++;
    return enqueue(
        w, SHORT, 3,
        (clary__buffer *const[]){s->keys, s->values ? s->values : any, s->order ? s->order : any},
        divide_up(s->rows, capacity >> w->p.levels),
        count * (bytes * (s->values ? 2 : 1) + (s->order ? 8 : 0)));
}

/* Parts are whole tiles, and enough of them to fill the device. */
static void cut(work *w) {
    const clary__sort *s = w->sort;
    int64_t units = w->device->info.units ? w->device->info.units : 1;
    int64_t tile = w->v.cpu ? 16384 : (int64_t)GROUP * w->v.items;
    int64_t wanted = divide_up((w->v.cpu ? 4 : 64) * units, s->rows);
    int64_t tiles = divide_up(s->length, tile);
    w->p.part = (uint64_t)(divide_up(tiles, wanted) * tile);
    w->p.parts = (uint64_t)divide_up(s->length, (int64_t)w->p.part);
    w->p.scanned = !w->v.cpu && w->p.parts > ADDED_UP;
}

/* A large tile makes long runs of a digit, so that writes are consecutive; but local memory holds it, beside the
 * counts and, for places, the digits. */
static int items_of(const work *w) {
    enum { MOST = 24576, LEAST_ROOM = 32768 };
    enum { BESIDE = GROUP / 32 * DIGITS * 4 + 544 * 8 };
    uint64_t room = w->device->info.local_memory;
    if (room < LEAST_ROOM) room = LEAST_ROOM;
    size_t moved = moved_bytes(&w->v), items = (room - BESIDE) / GROUP / (moved + w->v.places);
    if (items > MOST / GROUP / moved) items = MOST / GROUP / moved;
    const size_t most = (size_t)clary__sort_limits_now.items;
    return (int)(items < most ? items : most);
}

typedef struct buffers {
    clary__buffer *spare, *result, *counts, *totals, *state, *spare_places;
} buffers;

static clary_status make(work *w, buffers *b) {
    static const uint64_t zero;
    const clary__sort *s = w->sort;
    const variant *v = &w->v;
    clary_device *d = w->device;
    size_t count = (size_t)(s->rows * s->length), several = element_bytes(v) > 1;
    TRY(clary__buffer_new(d, 8, &b->state));
    TRY(d->backend->upload(d, b->state, 0, &zero, sizeof zero));
    if (several) TRY(clary__buffer_new(d, count * element_bytes(v), &b->spare));
    if (several && !s->values) TRY(clary__buffer_new(d, count * element_bytes(v), &b->result));
    if (several && s->order) TRY(clary__buffer_new(d, count * linear_bytes(v), &b->spare_places));
    size_t digits = (size_t)s->rows * DIGITS * linear_bytes(v);
    TRY(clary__buffer_new(d, digits * w->p.parts, &b->counts));
    return w->p.scanned ? clary__buffer_new(d, digits, &b->totals) : CLARY_OK;
}

static clary_status run_passes(work *w, const buffers *b) {
    const clary__sort *s = w->sort;
    size_t element = element_bytes(&w->v), linear = linear_bytes(&w->v);
    int64_t groups = s->rows * (int64_t)w->p.parts, digits = s->rows * DIGITS;
    uint64_t count = (uint64_t)(s->rows * s->length);
    clary__buffer *result = s->values ? s->values : b->result ? b->result : s->order;
    clary__buffer *spare = b->spare ? b->spare : result,
                  *totals = b->totals ? b->totals : b->counts;
    clary__buffer *spare_places = b->spare_places ? b->spare_places : s->order;
    for (int pass = 0; pass < (int)element; pass++) {
        w->p.pass = pass;
        TRY(enqueue(w, COUNT, 5,
                    (clary__buffer *const[]){s->keys, spare, result, b->counts, b->state}, groups,
                    count * element));
        if (w->p.scanned)
            TRY(enqueue(w, SCAN, 3, (clary__buffer *const[]){b->counts, b->totals, b->state},
                        digits, 2 * (uint64_t)digits * w->p.parts * linear));
        TRY(enqueue(w, SCATTER, s->order ? 8 : 6,
                    (clary__buffer *const[]){s->keys, spare, result, b->counts, totals, b->state,
                                             spare_places, s->order},
                    groups, 2 * count * (element + (s->order ? linear : 0))));
    }
    return CLARY_OK;
}

static clary_status sort_long(work *w) {
    buffers b = {0};
    w->v.items = (uint8_t)items_of(w);
    cut(w);
    clary_status status = make(w, &b);
    if (status == CLARY_OK) status = run_passes(w, &b);
    clary__buffer *made[] = {b.spare, b.result, b.counts, b.totals, b.state, b.spare_places};
    for (int i = 0; i < 6; i++)
        if (made[i]) clary__buffer_release(made[i]);
    return status;
}

clary_status clary__codegen_sort(clary_device *device, const clary__sort *sort,
                                 clary__launch_fn *launch) {
    const clary_dtype t = sort->dtype, real = clary__real_of(t);
    const char *type = device->info.type;
    work w = {.device = device, .sort = sort, .launch = launch};
    variant *v = &w.v;
    memcpy(v->name, "sort", 4);
    v->cpu = type && !strcmp(type, "cpu");
    v->wide = sort->length >= clary__sort_limits_now.wide_from;
    v->places = sort->order != NULL;
    v->size = (uint8_t)clary_dtype_size(real);
    v->kind = t == CLARY_BFLOAT16 ? 'g' : clary_dtype_kind(real) == 'f' ? 'f' : 'u';
    v->complex = clary__is_complex(t);
    w.p.rows = (uint64_t)sort->rows;
    w.p.length = (uint64_t)sort->length;
    w.p.flip = sort->descending ? ~UINT64_C(0) : 0;
    if (clary__is_signed(t)) w.p.flip ^= UINT64_C(1) << (8 * v->size - 1);
    w.p.values = sort->values != NULL;
    w.p.order = sort->order != NULL;
    variant brief = *v;
    brief.kernel = SHORT;
    bool is_short = sort->length <= (int64_t)group_of(&brief) * HELD;
    return is_short ? sort_short(&w) : sort_long(&w);
}
