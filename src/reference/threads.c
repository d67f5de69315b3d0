/* threads.c - a small pool. Workers sleep until a job is posted, take task numbers from a shared
 * counter, and sleep again. One job at a time: a second caller does its work alone.
 *
 * After a fork the child has no workers: it forgets them and makes its own when it needs some. Workers
 * end when the library is unloaded or the process exits.
 */
#include "reference/threads.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define MAX_WORKERS 63

typedef struct job {
    clary__task *task;
    void *context;
    int64_t count;
    _Atomic int64_t next;
    pthread_mutex_t lock; /* of what follows */
    clary_status status;
    char message[512];
} job;

static struct pool {
    pthread_mutex_t busy; /* held for a whole job */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t posted, finished;
    pthread_t threads[MAX_WORKERS];
    int workers;
    job *job;
    int wanted, active; /* workers that may still join the job; that are on it */
    bool quit, prepared;
} pool = {.busy = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .posted = PTHREAD_COND_INITIALIZER,
          .finished = PTHREAD_COND_INITIALIZER};

static void take_tasks(job *j) {
    for (;;) {
        int64_t number = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
        if (number >= j->count) return;
        clary_status status = j->task(j->context, number);
        if (status == CLARY_OK) continue;
        pthread_mutex_lock(&j->lock);
        if (j->status == CLARY_OK) {
            j->status = status;
            strncpy(j->message, clary_last_error(), sizeof j->message - 1);
        }
        pthread_mutex_unlock(&j->lock);
        atomic_store_explicit(&j->next, j->count, memory_order_relaxed);
    }
}

static void *worker(void *unused) {
    pthread_mutex_lock(&pool.lock);
    while (!pool.quit) {
        if (!pool.job || pool.wanted == 0) {
            pthread_cond_wait(&pool.posted, &pool.lock);
            continue;
        }
        job *j = pool.job;
        pool.wanted--;
        pool.active++;
        pthread_mutex_unlock(&pool.lock);
        take_tasks(j);
        pthread_mutex_lock(&pool.lock);
        if (--pool.active == 0) pthread_cond_signal(&pool.finished);
    }
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

static void forget_workers(void) {
    pool.busy = pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.posted = pool.finished = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.workers = pool.wanted = pool.active = 0;
    pool.job = NULL;
}

__attribute__((destructor)) static void end_workers(void) {
    pthread_mutex_lock(&pool.lock);
    pool.quit = true;
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.workers; i++) pthread_join(pool.threads[i], NULL);
    pool.workers = 0;
}

/* With pool.lock held. */
static void make_workers(int count) {
    if (!pool.prepared) pool.prepared = pthread_atfork(NULL, NULL, forget_workers) == 0;
    if (!pool.prepared) return;
    while (pool.workers < count && pool.workers < MAX_WORKERS &&
           pthread_create(&pool.threads[pool.workers], NULL, worker, NULL) == 0)
        pool.workers++;
}

clary_status clary__parallel(int threads, int64_t count, clary__task *task, void *context) {
    if (threads > count) threads = (int)count;
    if (threads <= 1 || pthread_mutex_trylock(&pool.busy) != 0) {
        for (int64_t i = 0; i < count; i++) TRY(task(context, i));
        return CLARY_OK;
    }
    job j = {.task = task, .context = context, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_lock(&pool.lock);
    make_workers(threads - 1);
    pool.job = &j;
    pool.wanted = threads - 1;
    pthread_cond_broadcast(&pool.posted);
    pthread_mutex_unlock(&pool.lock);

    take_tasks(&j);

    pthread_mutex_lock(&pool.lock);
    pool.job = NULL;
    while (pool.active > 0) pthread_cond_wait(&pool.finished, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.busy);
    pthread_mutex_destroy(&j.lock);
    return j.status == CLARY_OK ? CLARY_OK : clary__fail(j.status, "%s", j.message);
}
