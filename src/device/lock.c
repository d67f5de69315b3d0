/* lock.c - the engine lock, and what happens to it in a fork.
 *
 * One plain mutex; a thread-local depth makes it recursive, so that a nested call costs an increment.
 * A fork waits until the engine is between two calls: the child then finds it in order, and holds
 * the lock by itself.
 */
#include "device/device.h"
#include <pthread.h>

static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local unsigned depth;
static unsigned forks; /* written in a child while it has one thread */

void clary__lock(void) {
    if (depth++ == 0) pthread_mutex_lock(&engine);
}

void clary__unlock(void) {
    if (--depth == 0) pthread_mutex_unlock(&engine);
}

unsigned clary__forks(void) {
    return forks;
}

static void in_child(void) {
    forks++;
    clary__unlock();
}

static void watch(void) {
    pthread_atfork(clary__lock, clary__unlock, in_child);
}

void clary__watch_forks(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}
