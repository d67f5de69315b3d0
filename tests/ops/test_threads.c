/* test_threads.c - eight threads record, evaluate, write and release at once, over shared arrays too. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 150, SIZE = 257 };

static clary_array
    *shared; /* pending when the threads start: the first that needs it computes it */
static int wrong[THREADS], failed[THREADS];

static clary_status round_of(int id, int round, double *sum) {
    clary_array *k = NULL, *scaled = NULL, *own = NULL, *half = NULL, *total = NULL;
    clary_index tail = {.kind = CLARY_INDEX_SLICE, .has_start = true, .start = 1, .step = 1};
    clary_scalar factor = {.kind = CLARY_SCALAR_FLOAT, .re = id + round % 5}, result = {0};
    clary_status status;
    int64_t size = SIZE;
    if ((status = clary_scalar_array(NULL, factor, &k)) == CLARY_OK &&
        (status = clary_multiply(shared, k, &scaled)) == CLARY_OK &&
        (status = clary_zeros(NULL, CLARY_FLOAT64, 1, &size, &own)) == CLARY_OK &&
        (status = clary_assign(own, scaled)) == CLARY_OK &&
        (status = clary_get(own, 1, &tail, &half)) == CLARY_OK) {
        clary_array *pair[2] = {half, k};
        if ((status = clary_apply_into(CLARY_OP_add, pair, half)) == CLARY_OK &&
            (status = clary_sum(own, 0, NULL, false, &total)) == CLARY_OK)
            status = clary_item(total, &result);
    }
    *sum = result.re;
    clary_release(&k);
    clary_release(&scaled);
    clary_release(&own);
    clary_release(&half);
    clary_release(&total);
    return status;
}

static void *work(void *argument) {
    int id = *(int *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0, k = id + round % 5;
        failed[id] += round_of(id, round, &sum) != CLARY_OK;
        /* shared is 0, 2, 4, ...; every element but the first gets k more. */
        wrong[id] += sum != k * SIZE * (SIZE - 1) + k * (SIZE - 1);
    }
    return NULL;
}

int main(void) {
    SECTION("threads");
    pthread_t threads[THREADS];
    int ids[THREADS];
    clary_array *half = NULL;
    clary_scalar zero = {.kind = CLARY_SCALAR_INT}, one = {.kind = CLARY_SCALAR_INT, .i = 1},
                 end = {.kind = CLARY_SCALAR_INT, .i = SIZE};
    CHECK_OK(clary_arange(NULL, CLARY_FLOAT64, zero, end, one, &half));
    CHECK_OK(clary_add(half, half, &shared));
    clary_release(&half);
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        if (!CHECK(pthread_create(&threads[i], NULL, work, &ids[i]) == 0)) return check_done();
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(failed[i], 0);
        CHECK_INT(wrong[i], 0);
    }
    clary_release(&shared);
    CHECK_NO_LEAKS();
    return check_done();
}
