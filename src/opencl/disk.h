/* disk.h - the disk cache: byte strings under byte-string keys. */
#ifndef CLARY_DISK_H
#define CLARY_DISK_H
#include "core/core.h"

/* false: $CLARY_CACHE says "off", so data need not even be made. */
bool clary__disk_on(void);
/* The data stored under a key, in a block to free with clary__dealloc. false: there is none, or it does
 * not verify. */
bool clary__disk_load(const void *key, size_t key_bytes, unsigned char **data, size_t *bytes);
/* Stores data under a key, replacing what was there. Failing is no error: the cache is only slower then. */
void clary__disk_save(const void *key, size_t key_bytes, const void *data, size_t bytes);

#endif
