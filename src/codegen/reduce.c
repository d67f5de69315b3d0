/* reduce.c - reductions. The algorithm is in cl/reduce.cl; here a variant is chosen and fed.
 *
 * The first stage leaves one value per block of 16384 points; more stages reduce those by the same rule,
 * from a temporary of (kept points, blocks). Whether a kernel finishes or hands on is decided as it runs,
 * by the number of blocks, so two kernels serve all lengths.
 *
 * Note [Rows or columns]. Neighbouring work-items should read neighbouring memory. Where most inputs are
 * consecutive along the last reduced dim, work-items share a row; where they are consecutive along a
 * kept dim, each has its own column, and that dim becomes the last kept one (their order is free).
 */
#include "codegen/spec.h"

#define BLOCK 16384
#define LANES 1024

/* How many points there may be, by spec.brief; class 0 takes any number. */
enum { CLASSES = 5 };
static const int reach[CLASSES] = {LANES, 16, 64, 256, LANES};

static uint64_t inner_operands(const clary__spec *s) {
    bool used[CLARY__MAX_INSTR];
    clary__mark_inner(s, used);
    return clary__operands_of(s, used);
}

/* Bytes per point that are consecutive along a dim. */
static size_t consecutive(const clary__job *job, int dim, uint64_t which) {
    size_t bytes = 0;
    for (int i = 0; i < job->spec.ninputs; i++) {
        int64_t stride = job->frame.strides[i][dim];
        if ((which >> i & 1) && (stride == 1 || stride == -1))
            bytes += clary_dtype_size((clary_dtype)job->spec.operands[i].dtype);
    }
    return bytes;
}

/* See Note [Rows or columns]. */
static bool choose_columns(clary__job *job, uint64_t which) {
    enum { NARROW = 16 };
    clary__spec *s = &job->spec;
    size_t best = consecutive(job, s->ndim - 1, which);
    int column = -1;
    for (int d = s->nkeep - 1; d >= 0; d--) {
        size_t bytes = consecutive(job, d, which);
        if (bytes <= best || job->frame.shape[d] < NARROW) continue;
        best = bytes;
        column = d;
    }
    if (column < 0) return false;
    clary__swap_dims(job, column, s->nkeep - 1);
    return true;
}

static int at_most(int a, int b) {
    return a < b ? a : b;
}

static void choose_class(clary__job *job) {
    int class = CLASSES - 1;
    while (class > 1 && job->frame.length <= reach[class - 1]) class --;
    job->spec.brief = (uint8_t)(job->frame.length > LANES ? 0 : class);
}

static void choose_pack(clary__job *job, uint64_t which) {
    clary__spec *s = &job->spec;
    const int64_t *shape = job->frame.shape;
    int dim = s->columns ? s->nkeep - 1 : s->ndim - 1, acc = (int)clary__acc_bytes(s);
    int pack = at_most(clary__best_pack(job, dim, which), (s->columns ? 16 : 64) / acc);
    if (pack < 1) pack = 1;
    bool whole = s->columns || s->brief || s->ndim - s->nkeep > 1; /* the dim must be whole packs */
    if ((whole && shape[dim] % pack) || !clary__set_pack(job, dim, pack, which))
        clary__set_pack(job, dim, pack = 1, which);
    if (s->columns)
        s->unroll = (uint8_t)at_most(64 / (pack * acc), 16);
    else
        s->unroll = pack * acc <= 32 ? 4 : 2;
}

/* How many work-items share a kept point: so many that each has several loads in flight. Few columns are
 * split among more, to fill the device. */
static int choose_workers(const clary__job *job) {
    static const int lanewise[CLASSES] = {CLARY__GROUP_SIZE, 1, 4, 16, 32},
                     packed[CLASSES] = {CLARY__GROUP_SIZE, 1, 4, 8, 32};
    const clary__spec *s = &job->spec;
    if (s->brief) return (s->columns || s->pack == 1 ? lanewise : packed)[s->brief];
    if (!s->columns) return s->pack > 4 ? LANES / s->pack : CLARY__GROUP_SIZE;
    int64_t groups = job->frame.kept / (32 * s->pack) * job->frame.parts;
    return groups < 2 * (int64_t)job->device->info.units ? 32 : 8;
}

static int columns_width(const clary__spec *s) {
    return (int)(1024 / clary__acc_bytes(s));
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static int64_t count_groups(const clary__job *job) {
    const clary__spec *s = &job->spec;
    const clary__frame *f = &job->frame;
    if (s->cpu) {
        int64_t row = s->columns ? f->shape[s->nkeep - 1] : 1;
        int64_t units = s->columns ? f->kept / row * divide_up(row, columns_width(s)) : f->kept;
        return clary__cpu_groups(job, units * f->parts);
    }
    int64_t side = CLARY__GROUP_SIZE / s->workers;
    return s->columns ? divide_up(f->kept, side * s->pack) * f->parts
                      : divide_up(f->kept * f->parts, side);
}

/* Turns the job into the next stage: it reduces what the last one left, one row per kept point. */
static void stage(clary__job *job) {
    clary__spec *s = &job->spec;
    clary__frame *f = &job->frame;
    f->length = f->parts;
    f->size = f->kept * f->length;
    f->parts = divide_up(f->length, BLOCK);
    s->staged = 1;
    s->columns = s->brief = 0;
    s->ndim = s->nkeep;
    s->pack = 1;
    s->unroll = 4;
    s->workers = CLARY__GROUP_SIZE;
    s->packdim = CLARY_MAX_NDIM; /* none */
    for (int i = 0; i < clary__noperands(s); i++)
        if (s->operands[i].access != CLARY__RANDOM) s->operands[i].access = CLARY__STEP;
}

clary_status clary__launch_reduce(clary__job *job) {
    clary__spec *s = &job->spec;
    clary__frame *f = &job->frame;
    clary__buffer *from = NULL, *part = NULL;
    clary_status status = CLARY_OK;
    uint64_t which = inner_operands(s), bytes = clary__traffic(job);
    s->kernel = CLARY__K_REDUCE;
    f->parts = divide_up(f->length, BLOCK);
    s->columns = choose_columns(job, which);
    if (s->cpu) {
        clary__set_pack(job, s->columns ? s->nkeep - 1 : s->ndim - 1, 1, which);
    } else {
        choose_class(job);
        choose_pack(job, which);
        s->workers = (uint16_t)choose_workers(job);
    }
    for (;;) {
        bool last = f->parts == 1;
        clary__buffer *unused = job->group->outputs[0].buffer;
        if (!last)
            TRY_GOTO(done,
                     clary__buffer_new(job->device,
                                       (size_t)(f->kept * f->parts) * clary__acc_bytes(s), &part));
        clary__buffer *extra[] = {from ? from : unused, part ? part : unused};
        TRY_GOTO(done, clary__enqueue(job, 2, extra, count_groups(job), bytes));
        if (last) break;
        if (from) clary__buffer_release(from);
        from = part;
        part = NULL;
        bytes = (uint64_t)(f->kept * f->parts) * clary__acc_bytes(s);
        stage(job);
    }
done:
    if (from) clary__buffer_release(from);
    if (part) clary__buffer_release(part);
    return status;
}

/* ---- source ---- */

static int log2_of(int n) {
    int log = 0;
    while (n > 1 << log) log++;
    return log;
}

/* The constants of cl/reduce.cl. */
static void emit_variant(const clary__spec *s, clary__text *out) {
    clary__text_add(out, "#define COLUMNS %d\n", s->columns);
    if (s->cpu) {
        if (s->columns)
            clary__text_add(out, "#define WIDTH %d\n#define ROW(p) (p)->n%d\n", columns_width(s),
                            s->nkeep - 1);
        return;
    }
    int held = s->columns ? s->workers : s->workers * s->pack;
    int own = held < reach[s->brief] ? reach[s->brief] / held : 1;
    int leaf = s->brief ? at_most(own, 16) : 1, leaves = own / leaf;
    clary__text_add(out,
                    "#define BRIEF %d\n#define WORKERS %d\n#define SIDE %d\n#define HELD %d\n"
                    "#define LEAF %d\n#define LEAVES %d\n#define LEVELS %d\n",
                    s->brief > 0, s->workers, CLARY__GROUP_SIZE / s->workers, held, leaf, leaves,
                    log2_of(leaves));
}

static void emit_staged_points(clary__text *out) {
    clary__text_add(
        out, "static inline acc point(BUFFERS, params_ref p, place row, linear k)\n{\n"
             "    return from[row.row + k];\n}\n\n"
             "static inline void points(BUFFERS, params_ref p, place row, linear k, acc *to)\n{\n"
             "    to[0] = from[row.row + k];\n}\n\n");
}

static void emit_staged_run(clary__text *out) {
    clary__text_add(out, "static inline void run(BUFFERS, params_ref p, place row, linear k, int "
                         "count, acc *to, int first)\n{\n"
                         "    for (int e = 0; e < count; ++e)\n"
                         "        to[e] = first ? from[row.row + k + e] : fold(to[e], from[row.row "
                         "+ k + e]);\n}\n\n");
}

static void emit_points(const clary__spec *s, uint64_t which, clary__text *out) {
    clary__emit_fetch(s, which, out);
    clary__text_add(out, "static inline acc point(BUFFERS, params_ref p, place row, linear k)\n{\n"
                         "    const place at = advance(p, row, k);\n    return value(p");
    clary__emit_passed(s, which, CLARY__PASS_POINT, out);
    clary__text_add(
        out, ", k);\n}\n\n"
             "static inline void points(BUFFERS, params_ref p, place row, linear k, acc *to)\n{\n"
             "    const place at = advance(p, row, k);\n    fetched got;\n"
             "    const fetched *in = &got;\n    fetch(PASS, p, at, &got);\n"
             "    #pragma unroll\n    for (int e = 0; e < PACK; ++e)\n        to[e] = value(p");
    clary__emit_passed(s, which, CLARY__PASS_PACK, out);
    clary__text_add(out, ", %s);\n}\n\n", s->columns ? "k" : "k + e");
}

/* run(): by rows it crosses the ends of the last reduced dim; by columns it stays at point k. */
static void emit_run(const clary__spec *s, uint64_t which, clary__text *out) {
    clary__text_add(out, "static inline void run(BUFFERS, params_ref p, place row, linear k, int "
                         "count, acc *to, int first)\n{\n");
    if (s->columns)
        clary__text_add(
            out, "    const place at = advance(p, row, k);\n    const int n = count;\n    {\n");
    else
        clary__text_add(out,
                        "    for (int n; count > 0; count -= n, k += n, to += n) {\n"
                        "        const place at = advance(p, row, k);\n"
                        "        n = (int)min((linear)count, p->n%d - at.inner);\n",
                        s->ndim - 1);
    for (int first = 1; first >= 0; first--) {
        clary__text_add(out,
                        "        if (%sfirst) {\n            VECTORIZE\n"
                        "            for (int e = 0; e < n; ++e) to[e] = %svalue(p",
                        first ? "" : "!", first ? "" : "fold(to[e], ");
        clary__emit_passed(s, which, CLARY__PASS_RUN, out);
        clary__text_add(out, ", k%s)%s;\n        }\n", s->columns ? "" : " + e", first ? "" : ")");
    }
    clary__text_add(out, "    }\n}\n\n");
}

static void emit_finish(const clary__spec *s, const bool *outer, clary__text *out) {
    clary__emit_compute(s, outer, ", const acc result", out);
    clary__text_add(
        out, "static inline void finish(BUFFERS, params_ref p, linear output, acc result)\n{\n"
             "    const place at = start(p, output);\n    const results r = compute(p, result");
    clary__emit_passed(s, clary__operands_of(s, outer), CLARY__PASS_POINT, out);
    clary__text_add(out, ");\n");
    clary__emit_put(s, false, out);
    clary__text_add(out, "}\n\n");
}

void clary__source_reduce(const clary__spec *s, clary__text *out) {
    bool inner[CLARY__MAX_INSTR], outer[CLARY__MAX_INSTR], used[CLARY__MAX_INSTR];
    const uint64_t outputs = ((1ull << s->noutputs) - 1) << s->ninputs;
    clary__mark_inner(s, inner);
    clary__mark_outer(s, outer);
    for (int i = 0; i < s->ninstr; i++) used[i] = outer[i] || (inner[i] && !s->staged);
    uint64_t which = clary__operands_of(s, inner);
    clary__emit_head(s, used, out);
    clary__emit_acc(s, out);
    clary__emit_buffers(s, "const __global acc *restrict from, __global acc *restrict part",
                        "from, part", out);
    clary__emit_place(s, out);
    clary__emit_locate(s, "start", 0, s->nkeep, clary__operands_of(s, used) | outputs, true, out);
    emit_variant(s, out);
    if (!s->staged) {
        clary__emit_locate(s, "advance", s->nkeep, s->ndim, which, false, out);
        clary__emit_acc_value(s, out);
    }
    if (s->staged)
        s->cpu ? emit_staged_run(out) : emit_staged_points(out);
    else
        s->cpu ? emit_run(s, which, out) : emit_points(s, which, out);
    emit_finish(s, outer, out);
    clary__text_add(out, "%s", clary__cl_file("reduce.cl"));
}
