/* batch.c - cuts the kept points of a reduction or scan into boxes, the units of work. */
#include "reference/machine.h"

void clary__batches_init(clary__batches *b, const clary__group *group, bool columns, int64_t most) {
    int dim = group->nkeep - 1;
    int64_t inner = 1, outer = 1, reduced = 1;
    for (int d = group->nkeep; d < group->ndim; d++) reduced *= group->shape[d];
    while (dim > 0 && inner * group->shape[dim] < most) inner *= group->shape[dim--];
    if (dim < 0) { /* a single kept point */
        *b = (clary__batches){group, reduced, 0, 1, 1, 1, 1, 1, columns};
        return;
    }
    int64_t chunk = most / inner;
    if (chunk < 1) chunk = 1;
    if (chunk > group->shape[dim]) chunk = group->shape[dim];
    int64_t chunks = (group->shape[dim] + chunk - 1) / chunk;
    for (int d = 0; d < dim; d++) outer *= group->shape[d];
    *b = (clary__batches){group, reduced,        dim,           chunk,  chunks,
                          inner, outer * chunks, chunk * inner, columns};
}

int64_t clary__batch_spaces(const clary__batches *b, int64_t number, clary__space *all,
                            clary__space *kept) {
    const clary__group *g = b->group;
    kept->ndim = all->ndim = 0;
    kept->rank = all->rank = g->ndim;
    for (int d = 0; d < g->ndim; d++) kept->start[d] = all->start[d] = 0;

    int64_t width = 1;
    if (g->nkeep > 0) {
        int64_t start = number % b->chunks * b->chunk;
        int64_t extent = g->shape[b->dim] - start < b->chunk ? g->shape[b->dim] - start : b->chunk;
        int64_t outer = number / b->chunks;
        kept->start[b->dim] = start;
        for (int d = b->dim - 1; d >= 0; d--) {
            kept->start[d] = outer % g->shape[d];
            outer /= g->shape[d];
        }
        for (int d = b->dim; d < g->nkeep; d++) {
            kept->dim[kept->ndim] = d;
            kept->shape[kept->ndim++] = d == b->dim ? extent : g->shape[d];
        }
        width = extent * b->inner;
    }
    for (int half = 0; half < 2; half++) {
        if ((half == 0) == b->columns) {
            for (int d = g->nkeep; d < g->ndim; d++) {
                all->dim[all->ndim] = d;
                all->shape[all->ndim++] = g->shape[d];
            }
        } else {
            for (int i = 0; i < kept->ndim; i++) {
                all->dim[all->ndim] = kept->dim[i];
                all->shape[all->ndim++] = kept->shape[i];
            }
        }
    }
    for (int d = 0; d < g->nkeep; d++) all->start[d] = kept->start[d];
    return width;
}

bool clary__prefers_columns(const clary__group *g) {
    if (g->nkeep == 0) return false;
    int votes = 0;
    for (int i = 0; i < g->split; i++) {
        if (g->instr[i].code != CLARY__I_LOAD) continue;
        const int64_t *strides = g->inputs[g->instr[i].a].strides;
        int64_t kept = strides[g->nkeep - 1], reduced = strides[g->ndim - 1];
        if (kept == 0 || reduced == 0) continue;
        votes += (kept < 0 ? -kept : kept) < (reduced < 0 ? -reduced : reduced) ? 1 : -1;
    }
    return votes > 0;
}
