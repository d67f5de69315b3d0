/* log.c - the environment, and logging to stderr for those who ask.
 *
 * $CLARY_LOG is read once, at the first question, so that asking costs a load and a branch when it
 * is unset; launches ask, too.
 */
#include "core/core.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clary__env(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static pthread_once_t topics_once = PTHREAD_ONCE_INIT;
static char topics[256]; /* a copy: the environment may change under us */

static void read_topics(void) {
    const char *value = clary__env("CLARY_LOG");
    if (value) snprintf(topics, sizeof topics, "%s", value);
}

/* Whether the comma list has the word. */
static bool listed(const char *list, const char *word) {
    const size_t length = strlen(word);
    while (*list) {
        size_t item = strcspn(list, ", ");
        if (item == length && !memcmp(list, word, length)) return true;
        list += item;
        list += strspn(list, ", ");
    }
    return false;
}

bool clary__log_on(const char *topic) {
    pthread_once(&topics_once, read_topics);
    return topics[0] && (listed(topics, topic) || listed(topics, "all"));
}

void clary__log(const char *topic, const char *format, ...) {
    if (!clary__log_on(topic)) return;
    va_list args;
    va_start(args, format);
    flockfile(stderr); /* lines of several threads stay whole */
    fprintf(stderr, "clary: %s: ", topic);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(args);
}
