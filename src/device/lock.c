/* lock.c - the engine lock, what is called when it is given back, and what happens to it in a fork.
 *
 * One plain mutex; a thread-local depth makes it recursive, so that a nested call costs an increment.
 * A fork waits until the engine is between two calls: the child then finds it in order, and holds
 * the lock by itself.
 */
#include "device/device.h"
#include <pthread.h>

static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local unsigned depth;
static clary__farewell *farewells; /* under the lock */
static unsigned forks;             /* written in a child while it has one thread */

void clary__lock(void) {
    if (depth++ == 0) pthread_mutex_lock(&engine);
}

/* Foreign code may wait for a lock that another thread holds while it waits for this one. */
void clary__call_unlocked(clary__farewell *farewell) {
    farewell->next = farewells;
    farewells = farewell;
}

void clary__unlock(void) {
    if (--depth > 0) return;
    clary__farewell *list = farewells;
    farewells = NULL;
    pthread_mutex_unlock(&engine);
    while (list) {
        clary__farewell *next = list->next;
        void *block = list->block;
        if (list->call) list->call(list->context);
        clary__dealloc(block);
        list = next;
    }
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
