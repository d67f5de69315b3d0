/* clary/io.h - NumPy's .npy and .npz files.
 *
 * Reading accepts versions 1 to 3, both byte orders and Fortran order, and refuses everything else
 * (object arrays, truncated or oversized members, headers that are not a plain dictionary) with
 * CLARY_BAD_FORMAT and the reason; nothing in a file is evaluated. bfloat16 is written as '<V2',
 * as other libraries do, and read back as such only on request of dtype.
 */
#ifndef CLARY_IO_H
#define CLARY_IO_H
#include "array.h"
CLARY_BEGIN

CLARY_API clary_status clary_load_npy(clary_device *device, const char *path, clary_array **out);
CLARY_API clary_status clary_save_npy(const char *path, clary_array *a);

/* One member of an .npz, by name without ".npy". */
CLARY_API clary_status clary_load_npz(clary_device *device, const char *path, const char *name,
                                      clary_array **out);
/* Number of members and their names; *names is one block to free with clary_free. */
CLARY_API clary_status clary_list_npz(const char *path, int *count, char ***names);
CLARY_API clary_status clary_save_npz(const char *path, const char *const *names,
                                      clary_array *const *arrays, int count, bool compress);
CLARY_API void clary_free(void *block);

CLARY_END
#endif
