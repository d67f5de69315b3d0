/* clary/io.h - NumPy's .npy and .npz files.
 *
 * Reading accepts versions 1 to 3, both byte orders and Fortran order, and refuses everything else
 * (object arrays, truncated or oversized members, headers that are not a plain dictionary) with
 * CLARY_BAD_FORMAT and the reason; nothing in a file is evaluated. Bytes after the array of a .npy are
 * ignored, as NumPy does. bfloat16 is written as '<V2', as other libraries do, and read back as such
 * only on request: clary_load_npy_as and clary_load_npz_as with CLARY_BFLOAT16.
 *
 * Saving replaces a file as a whole: readers see the old one or the new one, and a failure leaves the
 * old one. .npz needs libzip at build time; without it these calls return CLARY_UNSUPPORTED.
 */
#ifndef CLARY_IO_H
#define CLARY_IO_H
#include "array.h"
CLARY_BEGIN

CLARY_API clary_status clary_load_npy(clary_device *device, const char *path, clary_array **out);
/* Requires dtype: CLARY_DTYPE_MISMATCH if the file holds another one; nothing is converted, but raw
 * two-byte elements ('V2') are taken for bfloat16. */
CLARY_API clary_status clary_load_npy_as(clary_device *device, const char *path, clary_dtype dtype,
                                         clary_array **out);
CLARY_API clary_status clary_save_npy(const char *path, clary_array *a);

/* One member of an .npz, by name without ".npy". */
CLARY_API clary_status clary_load_npz(clary_device *device, const char *path, const char *name,
                                      clary_array **out);
CLARY_API clary_status clary_load_npz_as(clary_device *device, const char *path, const char *name,
                                         clary_dtype dtype, clary_array **out);
/* Number of members and their names, without ".npy"; *names is one block to free with clary_free. */
CLARY_API clary_status clary_list_npz(const char *path, int *count, char ***names);
CLARY_API clary_status clary_save_npz(const char *path, const char *const *names,
                                      clary_array *const *arrays, int count, bool compress);
CLARY_API void clary_free(void *block);

CLARY_END
#endif
