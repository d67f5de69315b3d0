/* scan.c - scans. The algorithms are in cl/scan.cl; here one is chosen and fed.
 *
 * Stream: a work-item scans a row (on CPUs neighbouring rows) by itself; for CPUs, short rows, and many
 * columns. Tiles: a work-group scans 4096 points; rows longer than that take three passes: what each tile
 * hands on; a scan of the tile totals, by this same rule; every tile again, knowing what came before.
 */
#include "codegen/spec.h"
#include <string.h>

#define TILE 4096

static uint64_t all_operands(const clary__spec *s) {
    return (1ull << clary__noperands(s)) - 1;
}

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* Whether memory is consecutive along the last kept dim, not along the scanned one. */
static bool is_columnar(const clary__job *job) {
    const clary__spec *s = &job->spec;
    int columns = 0, rows = 0, last = s->ndim - 1;
    for (int i = 0; i < s->ninputs + s->noutputs && s->nkeep > 0; i++) {
        columns += job->frame.strides[i][s->nkeep - 1] == 1;
        rows += job->frame.strides[i][last] == 1;
    }
    return columns > rows;
}

/* Enough rows to keep a device busy with one work-item each, or rows too short for anything else. */
static bool prefers_stream(const clary__job *job, bool columnar) {
    enum { SHORT = 128, MANY = 8192 };
    return job->frame.length <= SHORT || (columnar && job->frame.kept >= MANY);
}

static int columns_width(const clary__spec *s) {
    return (int)(512 / clary__acc_bytes(s));
}

/* Local memory holds 4096 points, padded, and a little more. */
static bool fits_exchange(const clary__job *job) {
    enum { MOST = 40960 };
    uint64_t room = job->device->info.local_memory,
             need = (TILE + TILE / 16 + 320) * clary__acc_bytes(&job->spec);
    return need <= (room < MOST ? room : MOST);
}

static clary_status run_stream(clary__job *job, bool columnar) {
    enum { NARROW = 8 };
    clary__spec *s = &job->spec;
    const clary__frame *f = &job->frame;
    s->kernel = CLARY__K_SCAN_STREAM;
    s->exchange = !s->cpu && !columnar && fits_exchange(job);
    s->columns = s->cpu && columnar && f->shape[s->nkeep - 1] >= NARROW;
    clary__set_pack(job, s->columns ? s->nkeep - 1 : s->ndim - 1, 1, 0);
    int64_t row = s->columns ? f->shape[s->nkeep - 1] : 1;
    int64_t units = s->columns ? f->kept / row * divide_up(row, columns_width(s)) : f->kept;
    int64_t groups = s->cpu ? clary__cpu_groups(job, units) : divide_up(units, CLARY__GROUP_SIZE);
    return clary__enqueue(job, 0, NULL, groups, clary__traffic(job));
}

/* The scan of tile totals: nothing of the group is left but the operation and its dtype. */
static void stage(const clary__job *job, clary__job *next) {
    const clary__spec *s = &job->spec;
    next->device = job->device;
    next->group = job->group;
    next->launch = job->launch;
    memset(&next->spec, 0, offsetof(clary__spec, instr));
    next->spec.fp64 = s->fp64;
    next->spec.wide = s->wide;
    next->spec.staged = 1;
    next->spec.exchange = s->exchange;
    next->spec.pack = next->spec.unroll = 1;
    next->spec.reduce_op = s->reduce_op;
    next->spec.reduce_dtype = s->reduce_dtype;
    next->frame.kept = job->frame.kept;
    next->frame.length = job->frame.parts;
    next->frame.size = next->frame.kept * next->frame.length;
}

/* Tiles of the job's rows. from and into: rows of an earlier stage, else NULL. */
static clary_status run_tiles(clary__job *job, clary__buffer *from, clary__buffer *into) {
    clary__spec *s = &job->spec;
    clary__frame *f = &job->frame;
    clary_status status = CLARY_OK;
    clary__buffer *totals = NULL, *scanned = NULL;
    clary__buffer *unused = into ? into : job->group->outputs[0].buffer;
    size_t acc = clary__acc_bytes(s);
    uint64_t bytes = s->staged ? 2 * (uint64_t)f->size * acc : clary__traffic(job);
    f->parts = divide_up(f->length, TILE);
    int64_t units = f->kept * f->parts;
    if (f->parts > 1) {
        TRY_GOTO(done, clary__buffer_new(job->device, 3 * (size_t)units * acc, &totals));
        TRY_GOTO(done, clary__buffer_new(job->device, (size_t)units * acc, &scanned));
        clary__buffer *extra[] = {totals, scanned, from, into};
        s->kernel = CLARY__K_SCAN_TOTALS;
        TRY_GOTO(done, clary__enqueue(job, s->staged ? 4 : 2, extra, units, bytes / 2));
        clary__job next;
        stage(job, &next);
        TRY_GOTO(done, run_tiles(&next, totals, scanned));
    }
    clary__buffer *extra[] = {totals ? totals : unused, scanned ? scanned : unused, from, into};
    s->kernel = CLARY__K_SCAN_TILES;
    TRY_GOTO(done, clary__enqueue(job, s->staged ? 4 : 2, extra, units, bytes));
done:
    if (totals) clary__buffer_release(totals);
    if (scanned) clary__buffer_release(scanned);
    return status;
}

clary_status clary__launch_scan(clary__job *job) {
    bool columnar = is_columnar(job);
    if (job->spec.cpu || prefers_stream(job, columnar)) return run_stream(job, columnar);
    clary__set_pack(job, job->spec.ndim - 1, 1, 0);
    job->spec.exchange = fits_exchange(job);
    return run_tiles(job, NULL, NULL);
}

/* ---- source ---- */

static void emit_staged(clary__text *out) {
    clary__text_add(
        out,
        "static inline acc point(BUFFERS, params_ref p, place row, linear k)\n{\n"
        "    return from[row.row + k];\n}\n\n"
        "static inline void finish(BUFFERS, params_ref p, place row, linear k, acc result)\n{\n"
        "    into[row.row + k] = result;\n}\n\n");
}

static void emit_point(const clary__spec *s, uint64_t inner, clary__text *out) {
    clary__text_add(out, "static inline acc point(BUFFERS, params_ref p, place row, linear k)\n{\n"
                         "    const place at = advance(p, row, k);\n    return value(p");
    clary__emit_passed(s, inner, CLARY__PASS_POINT, out);
    clary__text_add(out, ", k);\n}\n\n");
}

static void emit_finish(const clary__spec *s, uint64_t outer, clary__text *out) {
    clary__text_add(
        out,
        "static inline void finish(BUFFERS, params_ref p, place row, linear k, acc result)\n{\n"
        "    const place at = advance(p, row, k);\n    const results r = compute(p, result");
    clary__emit_passed(s, outer, CLARY__PASS_POINT, out);
    clary__text_add(out, ");\n");
    clary__emit_put(s, false, out);
    clary__text_add(out, "}\n\n");
}

/* run() and finish_run(): point k of neighbouring rows. */
static void emit_columns(const clary__spec *s, uint64_t inner, uint64_t outer, clary__text *out) {
    clary__text_add(out,
                    "#define WIDTH %d\n#define ROW(p) (p)->n%d\n\n"
                    "static inline void run(BUFFERS, params_ref p, place row, linear k, int count, "
                    "acc *to)\n{\n"
                    "    const place at = advance(p, row, k);\n    VECTORIZE\n"
                    "    for (int e = 0; e < count; ++e) to[e] = value(p",
                    columns_width(s), s->nkeep - 1);
    clary__emit_passed(s, inner, CLARY__PASS_RUN, out);
    clary__text_add(
        out, ", k);\n}\n\n"
             "static inline void finish_run(BUFFERS, params_ref p, place row, linear k, int count, "
             "const acc *got)\n{\n"
             "    const place at = advance(p, row, k);\n    VECTORIZE\n"
             "    for (int e = 0; e < count; ++e) {\n        const results r = compute(p, got[e]");
    clary__emit_passed(s, outer, CLARY__PASS_RUN, out);
    clary__text_add(out, ");\n");
    clary__emit_put(s, true, out);
    clary__text_add(out, "    }\n}\n\n");
}

static void emit_buffers(const clary__spec *s, clary__text *out) {
#define CARRIES "__global acc *restrict totals, const __global acc *restrict scanned"
    if (s->kernel == CLARY__K_SCAN_STREAM)
        clary__emit_buffers(s, "", "", out);
    else if (s->staged)
        clary__emit_buffers(
            s, CARRIES ", const __global acc *restrict from, __global acc *restrict into",
            "totals, scanned, from, into", out);
    else
        clary__emit_buffers(s, CARRIES, "totals, scanned", out);
#undef CARRIES
}

void clary__source_scan(const clary__spec *s, clary__text *out) {
    bool inner[CLARY__MAX_INSTR] = {false}, outer[CLARY__MAX_INSTR] = {false},
         used[CLARY__MAX_INSTR];
    if (!s->staged) clary__mark_inner(s, inner);
    if (!s->staged) clary__mark_outer(s, outer);
    for (int i = 0; i < s->ninstr; i++) used[i] = outer[i] || inner[i];
    bool stream = s->kernel == CLARY__K_SCAN_STREAM;
    clary__emit_head(s, used, out);
    clary__emit_acc(s, out);
    emit_buffers(s, out);
    clary__emit_place(s, out);
    clary__emit_locate(s, "start", 0, s->nkeep, all_operands(s), true, out);
    clary__text_add(
        out, "#define STREAM %d\n#define TOTALS %d\n#define EXCHANGE %d\n#define COLUMNS %d\n",
        stream, s->kernel == CLARY__K_SCAN_TOTALS, s->exchange, s->columns);
    if (s->staged) {
        emit_staged(out);
    } else {
        uint64_t in = clary__operands_of(s, inner), after = clary__operands_of(s, outer);
        clary__emit_locate(s, "advance", s->nkeep, s->ndim, all_operands(s), false, out);
        clary__emit_acc_value(s, out);
        clary__emit_compute(s, outer, ", const acc result", out);
        if (s->columns) {
            emit_columns(s, in, after, out);
        } else {
            emit_point(s, in, out);
            emit_finish(s, after, out);
        }
    }
    clary__text_add(out, "%s", clary__cl_file("scan.cl"));
}
