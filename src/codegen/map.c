/* map.c - element-wise groups. The kernel's frame is cl/map.cl.
 *
 * Dims come ordered by the memory of the first output (the planner sees to it), so stores are
 * consecutive wherever they can be. Packs are along the last dim; where packs of some operand would not
 * be aligned, elements are moved one by one, neighbours by neighbouring work-items.
 */
#include "codegen/spec.h"

static uint64_t memory_operands(const clary__spec *s) {
    return (1ull << (s->ninputs + s->noutputs)) - 1;
}

static uint64_t all_operands(const clary__spec *s) {
    return (1ull << clary__noperands(s)) - 1;
}

/* Long expressions get smaller packs: the code of a pack is as many copies of the expression. */
static void choose_pack(clary__job *job) {
    enum { MOST_CODE = 160 };
    clary__spec *s = &job->spec;
    bool used[CLARY__MAX_INSTR];
    clary__mark_outer(s, used);
    int last = s->ndim - 1, price = clary__price(s, used), moving = 0;
    int pack = clary__best_pack(job, last, memory_operands(s));
    while (pack > 1 && pack * price > MOST_CODE) pack /= 2;
    if ((s->ndim > 1 && job->frame.shape[last] % pack) ||
        !clary__set_pack(job, last, pack, memory_operands(s)))
        clary__set_pack(job, last, pack = 1, memory_operands(s));
    for (int i = 0; i < s->ninputs; i++) moving += s->operands[i].access != CLARY__HOLD;
    s->unroll = (moving <= 3 ? 2 : 1) * (pack == 1 ? 2 : 1);
    while (s->unroll > 1 && s->unroll * pack * price > MOST_CODE) s->unroll /= 2;
}

clary_status clary__launch_map(clary__job *job) {
    clary__spec *s = &job->spec;
    s->kernel = CLARY__K_MAP;
    int64_t groups;
    if (s->cpu) {
        clary__set_pack(job, s->ndim - 1, 1, memory_operands(s));
        groups = clary__cpu_groups(job, job->frame.size);
    } else {
        choose_pack(job);
        int64_t tile = (int64_t)CLARY__GROUP_SIZE * s->pack * s->unroll;
        groups = (job->frame.size + tile - 1) / tile;
    }
    return clary__enqueue(job, 0, NULL, groups, clary__traffic(job));
}

/* ---- source ---- */

/* results r = compute(...); */
static void emit_call(const clary__spec *s, const bool *used, clary__pass how, clary__text *out) {
    clary__text_add(out, "    const results r = compute(p");
    clary__emit_passed(s, clary__operands_of(s, used), how, out);
    clary__text_add(out, ");\n");
}

static void emit_transform(const clary__spec *s, const bool *used, clary__text *out) {
    clary__text_add(
        out,
        "static inline void transform(BUFFERS, params_ref p, place at, const fetched *in)\n{\n");
    for (int i = 0; i < s->noutputs; i++)
        clary__text_add(out, "    %s to%d[PACK];\n",
                        clary__cl_storage(s->operands[s->ninputs + i].dtype), i);
    clary__text_add(out, "    #pragma unroll\n    for (int e = 0; e < PACK; ++e) {\n    ");
    emit_call(s, used, CLARY__PASS_PACK, out);
    for (int i = 0; i < s->noutputs; i++)
        clary__text_add(out, "        to%d[e] = r.out%d;\n", i, i);
    clary__text_add(out, "    }\n");
    for (int i = 0; i < s->noutputs; i++) {
        const clary__spec_operand *o = &s->operands[s->ninputs + i];
        if (s->pack == 1)
            clary__text_add(out, "    out%d[at.out%d] = to%d[0];\n", i, i, i);
        else if (o->access == CLARY__UNIT)
            clary__text_add(out, "    store_pack_%s(out%d + at.out%d, to%d);\n",
                            clary__dtype_suffix((clary_dtype)o->dtype), i, i, i);
        else if (o->access == CLARY__HOLD)
            clary__text_add(out, "    out%d[at.out%d] = to%d[PACK - 1];\n", i, i, i);
        else
            clary__text_add(out,
                            "    #pragma unroll\n    for (int e = 0; e < PACK; ++e)"
                            " out%d[at.out%d + e * p->out%d_s%d] = to%d[e];\n",
                            i, i, i, s->packdim, i);
    }
    clary__text_add(out, "}\n\n");
}

void clary__source_map(const clary__spec *s, clary__text *out) {
    bool used[CLARY__MAX_INSTR];
    clary__mark_outer(s, used);
    clary__emit_head(s, used, out);
    clary__emit_buffers(s, "", "", out);
    clary__emit_place(s, out);
    clary__emit_locate(s, "locate", 0, s->ndim, all_operands(s), true, out);
    clary__emit_compute(s, used, "", out);
    if (s->cpu) {
        clary__text_add(out, "#define ROW(p) (p)->n%d\n\n", s->ndim - 1);
        clary__text_add(out, "static inline void run(BUFFERS, params_ref p, place at, linear "
                             "count)\n{\n    VECTORIZE\n"
                             "    for (linear e = 0; e < count; ++e) {\n");
        emit_call(s, used, CLARY__PASS_RUN, out);
        clary__emit_put(s, true, out);
        clary__text_add(out, "    }\n}\n\n");
    } else {
        clary__emit_fetch(s, memory_operands(s), out);
        emit_transform(s, used, out);
        clary__text_add(out, "static inline void point(BUFFERS, params_ref p, linear i)\n{\n"
                             "    const place at = locate(p, i);\n");
        emit_call(s, used, CLARY__PASS_POINT, out);
        clary__emit_put(s, false, out);
        clary__text_add(out, "}\n\n");
    }
    clary__text_add(out, "%s", clary__cl_file("map.cl"));
}
