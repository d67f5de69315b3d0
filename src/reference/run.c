/* run.c - runs a group on host memory: clary__run_on_host, and the MAP pattern.
 *
 * Work is cut into strips of 1024 points (machine.h). Which thread computes a strip never matters: every
 * point of a MAP is its own, and reductions and scans combine in an order that depends on lengths alone.
 */
#include "reference/machine.h"

/* Below this many points times instructions a second thread costs more than it brings. */
#define PARALLEL_WORK 200000

typedef struct map {
    const clary__program *program;
    int64_t per_task;
} map;

static clary_status map_task(void *context, int64_t number) {
    const map *job = context;
    const clary__program *p = job->program;
    const clary__group *g = p->group;
    int64_t start = number * job->per_task, end = start + job->per_task;
    if (end > g->points) end = g->points;

    clary__space space = {.ndim = g->ndim, .rank = g->ndim};
    for (int d = 0; d < g->ndim; d++) {
        space.dim[d] = d;
        space.shape[d] = g->shape[d];
    }
    clary__machine machine;
    clary__walks walks;
    TRY(clary__machine_open(&machine, p));
    clary__walks_init(&walks, g, &space, 0, g->ninstr, true);
    for (int64_t point = start; point < end; point += p->strip) {
        size_t n = (size_t)(end - point < p->strip ? end - point : p->strip);
        clary__machine_run(&machine, &walks, 0, g->ninstr, point, n);
        clary__machine_store(&machine, &walks, point, n);
    }
    clary__machine_close(&machine);
    return CLARY_OK;
}

static clary_status run_map(const clary__program *p) {
    const clary__group *g = p->group;
    int64_t strips = (g->points + p->strip - 1) / p->strip,
            tasks = p->threads > 1 ? 4 * p->threads : 1;
    map job = {p, (strips + tasks - 1) / tasks * p->strip};
    return clary__parallel(p->threads, (g->points + job.per_task - 1) / job.per_task, map_task,
                           &job);
}

/* Bytes that the operand's elements take, each counted once. */
static uint64_t operand_bytes(const clary__group *g, const clary__operand *operand) {
    uint64_t bytes = clary_dtype_size(operand->dtype);
    for (int d = 0; d < g->ndim; d++)
        if (operand->strides[d] != 0) bytes *= (uint64_t)g->shape[d];
    return bytes;
}

static void count(const clary__group *g) {
    uint64_t bytes = 0;
    for (int i = 0; i < g->ninputs; i++) bytes += operand_bytes(g, &g->inputs[i]);
    for (int o = 0; o < g->noutputs; o++) bytes += operand_bytes(g, &g->outputs[o]);
    CLARY__COUNT(launches, 1);
    CLARY__COUNT(host_runs, 1);
    CLARY__COUNT(bytes_kernels, bytes);
}

static clary_status run(const clary__program *program) {
    switch (program->group->pattern) {
    case CLARY__REDUCE: return clary__run_reduce(program);
    case CLARY__SCAN: return clary__run_scan(program);
    default: return run_map(program);
    }
}

clary_status clary__run_noting(const clary__group *group, const clary__host_bases *bases,
                               int threads, clary__fault *fault) {
    if (group->pattern == CLARY__PRODUCT)
        return clary__run_product(group, bases, threads, fault, clary__reference_product);
    clary__program program;
    if (group->points * group->ninstr < PARALLEL_WORK) threads = 1;
    TRY(clary__program_init(&program, group, bases, threads));
    count(group);
    clary__fault first = {0};
    program.fault = &first;
    clary_status status = run(&program);
    clary__fault_note(fault, &first);
    return status;
}

clary_status clary__run_on_host(const clary__group *group, const clary__host_bases *bases,
                                int threads) {
    clary__fault fault = {0};
    TRY(clary__run_noting(group, bases, threads, &fault));
    return clary__fault_tell(&fault);
}
