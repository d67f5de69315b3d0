/* text.c - growing strings, shapes as text, byte counts, hashing. */
#include "core/core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Makes room for `more` characters and the final NUL. */
static bool reserve(clary__text *t, size_t more) {
    if (more >= SIZE_MAX / 2 - t->size) return false;
    size_t needed = t->size + more + 1;
    if (needed <= t->capacity) return true;
    size_t capacity = t->capacity ? t->capacity : 256;
    while (capacity < needed) capacity *= 2;
    char *data = clary__realloc(t->data, capacity);
    if (!data) return false;
    t->data = data;
    t->capacity = capacity;
    return true;
}

void clary__text_add(clary__text *t, const char *format, ...) {
    if (t->failed) return;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(t, (size_t)length)) {
        t->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(t->data + t->size, (size_t)length + 1, format, args);
    va_end(args);
    t->size += (size_t)length;
}

void clary__text_free(clary__text *t) {
    clary__dealloc(t->data);
    *t = (clary__text){0};
}

/* As Python prints a tuple. A shape too long for the buffer ends in "...)". */
const char *clary__shape_text(int ndim, const int64_t *shape, char buffer[CLARY__SHAPE_TEXT]) {
    const size_t room = CLARY__SHAPE_TEXT - 32; /* one more extent and the closing always fit */
    size_t used = (size_t)snprintf(buffer, CLARY__SHAPE_TEXT, "(");
    for (int k = 0; k < ndim; k++) {
        if (used > room) {
            used += (size_t)snprintf(buffer + used, CLARY__SHAPE_TEXT - used, ", ...");
            break;
        }
        used += (size_t)snprintf(buffer + used, CLARY__SHAPE_TEXT - used, "%s%" PRId64,
                                 k ? ", " : "", shape[k]);
    }
    snprintf(buffer + used, CLARY__SHAPE_TEXT - used, ndim == 1 ? ",)" : ")");
    return buffer;
}

bool clary__parse_bytes(const char *text, uint64_t *out) {
    if (!text || *text < '0' || *text > '9') return false;
    uint64_t bytes = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (bytes > (UINT64_MAX - digit) / 10) return false;
        bytes = bytes * 10 + digit;
    }
    int shift = 0;
    switch (*text) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    case 't':
    case 'T': shift = 40; break;
    default: break;
    }
    if (shift) text++;
    if (*text || bytes > UINT64_MAX >> shift) return false;
    *out = bytes << shift;
    return true;
}

uint64_t clary__hash(const void *data, size_t bytes, uint64_t seed) {
    const unsigned char *p = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (size_t k = 0; k < bytes; k++) hash = (hash ^ p[k]) * UINT64_C(0x100000001b3);
    return hash;
}
