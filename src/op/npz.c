/* npz.c - NumPy's .npz: a zip archive with one .npy file a member.
 *
 * libzip does the archive: zip64, compression, checksums, and replacing the file as a whole. Arrays
 * are fetched from their device one by one while the archive is written, so that only one at a time
 * is held in host memory. A member must be exactly as long as its header says, and its checksum
 * must be right.
 */
#include "op/npy.h"

#include "core/file.h"

#include <inttypes.h>
#include <string.h>

void clary_free(void *block) {
    clary__dealloc(block);
}

#ifdef CLARY_HAVE_LIBZIP
#include <zip.h>

/* The status for a failure of libzip: who or what is to blame. */
static clary_status status_of(zip_error_t *error) {
    switch (zip_error_code_zip(error)) {
    case ZIP_ER_MEMORY: return CLARY_OUT_OF_MEMORY;
    case ZIP_ER_OPEN:
    case ZIP_ER_READ:
    case ZIP_ER_SEEK:
    case ZIP_ER_NOENT:
    case ZIP_ER_WRITE:
    case ZIP_ER_TMPOPEN:
    case ZIP_ER_RENAME:
    case ZIP_ER_CLOSE: return CLARY_IO_ERROR;
    case ZIP_ER_COMPNOTSUPP:
    case ZIP_ER_ENCRNOTSUPP:
    case ZIP_ER_NOPASSWD: return CLARY_UNSUPPORTED;
    default: return CLARY_BAD_FORMAT;
    }
}

static clary_status fail_zip(zip_error_t *error, const char *what) {
    return clary__fail(status_of(error), "%s: %s", what, zip_error_strerror(error));
}

static clary_status open_archive(const char *path, int flags, zip_t **out) {
    FAIL_IF(!path, CLARY_INVALID_ARGUMENT, "the path is NULL");
    int code;
    *out = zip_open(path, flags, &code);
    if (*out) return CLARY_OK;
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    clary_status status = clary__fail(status_of(&error), "cannot open '%s' as a zip archive: %s",
                                      path, zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
}

static size_t without_extension(const char *name) {
    size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, ".npy") ? length - 4 : length;
}

/* ---- loading ---- */

/* The one member that is called `name` or `name`.npy. */
static clary_status find_member(zip_t *archive, const char *name, uint64_t *index) {
    const size_t length = strlen(name);
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    int found = 0;
    for (zip_int64_t k = 0; k < count; k++) {
        const char *member = zip_get_name(archive, (zip_uint64_t)k, 0);
        if (!member || strncmp(member, name, length)) continue;
        if (member[length] && strcmp(member + length, ".npy")) continue;
        *index = (uint64_t)k;
        found++;
    }
    FAIL_IF(!found, CLARY_INVALID_ARGUMENT, "there is no member '%s' among %" PRId64, name,
            (int64_t)count);
    FAIL_IF(found > 1, CLARY_BAD_FORMAT, "%d members are called '%s'", found, name);
    return CLARY_OK;
}

static clary_status read_member(void *state, void *to, size_t bytes) {
    char *at = to;
    while (bytes) {
        zip_int64_t got = zip_fread(state, at, bytes);
        if (got < 0) return fail_zip(zip_file_get_error(state), "cannot read the member");
        FAIL_IF(!got, CLARY_BAD_FORMAT, "the member is truncated");
        at += got;
        bytes -= (size_t)got;
    }
    return CLARY_OK;
}

static clary_status load_member(clary_device *device, zip_t *archive, uint64_t index,
                                clary_dtype dtype, clary_array **out) {
    zip_stat_t facts;
    if (zip_stat_index(archive, index, 0, &facts) || !(facts.valid & ZIP_STAT_SIZE)) {
        return fail_zip(zip_get_error(archive), "cannot examine the member");
    }
    zip_file_t *member = zip_fopen_index(archive, index, 0);
    if (!member) return fail_zip(zip_get_error(archive), "cannot open the member");
    clary__source source = {read_member, member, facts.size, true};
    clary_array *a = NULL;
    clary_status status = clary__npy_load(device, &source, dtype, &a);
    if (!status) { /* the checksum is compared when the end is met */
        char extra;
        zip_int64_t got = zip_fread(member, &extra, 1);
        if (got < 0) status = fail_zip(zip_file_get_error(member), "the member is damaged");
        if (got > 0)
            status = clary__fail(CLARY_BAD_FORMAT, "the member is longer than the archive says");
    }
    zip_fclose(member);
    if (status) {
        clary_release(&a);
    } else {
        *out = a;
    }
    return status;
}

static clary_status load(clary_device *device, const char *path, const char *name,
                         clary_dtype dtype, clary_array **out) {
    FAIL_IF(!out, CLARY_INVALID_ARGUMENT, "load_npz: out is NULL");
    *out = NULL;
    FAIL_IF(!name, CLARY_INVALID_ARGUMENT, "load_npz: the name is NULL");
    zip_t *archive;
    uint64_t index = 0;
    clary_status status = open_archive(path, ZIP_RDONLY, &archive);
    if (status) return clary__fail_in(status, "load_npz");
    status = find_member(archive, name, &index);
    if (!status) status = load_member(device, archive, index, dtype, out);
    zip_discard(archive);
    return status ? clary__fail_in(status, "load_npz('%s', '%s')", path, name) : CLARY_OK;
}

clary_status clary_list_npz(const char *path, int *count, char ***names) {
    FAIL_IF(!count || !names, CLARY_INVALID_ARGUMENT, "list_npz: count or names is NULL");
    *count = 0;
    *names = NULL;
    zip_t *archive;
    clary_status status = open_archive(path, ZIP_RDONLY, &archive);
    if (status) return clary__fail_in(status, "list_npz");

    /* One block: the pointers, then the texts. */
    const zip_int64_t members = zip_get_num_entries(archive, 0);
    size_t bytes = 1;
    for (zip_int64_t k = 0; k < members; k++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)k, 0);
        bytes += sizeof(char *) + (name ? without_extension(name) : 0) + 1;
    }
    char **list = members <= INT32_MAX ? clary__malloc(bytes) : NULL;
    if (list) {
        char *text = (char *)(list + members);
        for (zip_int64_t k = 0; k < members; k++) {
            const char *name = zip_get_name(archive, (zip_uint64_t)k, 0);
            const size_t length = name ? without_extension(name) : 0;
            list[k] = text;
            if (length) memcpy(text, name, length);
            text[length] = '\0';
            text += length + 1;
        }
        *count = (int)members;
        *names = list;
    } else {
        status = clary__fail(CLARY_OUT_OF_MEMORY, "list_npz('%s'): no memory for %" PRId64 " names",
                             path, (int64_t)members);
    }
    zip_discard(archive);
    return status;
}

/* ---- saving ---- */

/* One member on its way into the archive: libzip opens, reads and closes it when it writes. */
typedef struct member {
    clary_array *array; /* borrowed */
    clary__npy_image image;
    size_t at;           /* next byte of the image */
    clary_status status; /* why opening failed */
    zip_error_t error;
} member;

static size_t image_size(const member *m) {
    char header[CLARY__NPY_WRITE_MAX];
    return clary__npy_write(clary_array_dtype(m->array), clary_array_ndim(m->array),
                            clary_array_shape(m->array), header) +
           (size_t)clary_array_size(m->array) * clary_dtype_size(clary_array_dtype(m->array));
}

static size_t read_image(member *m, char *to, size_t bytes) {
    size_t done = 0;
    if (m->at < m->image.header_bytes) {
        done = m->image.header_bytes - m->at < bytes ? m->image.header_bytes - m->at : bytes;
        memcpy(to, m->image.header + m->at, done);
        m->at += done;
    }
    if (done < bytes) {
        const size_t skip = m->at - m->image.header_bytes, left = m->image.data_bytes - skip;
        const size_t now = left < bytes - done ? left : bytes - done;
        memcpy(to + done, (const char *)m->image.data + skip, now);
        m->at += now;
        done += now;
    }
    return done;
}

static void drop_image(member *m) {
    clary__dealloc(m->image.data);
    m->image.data = NULL;
}

static zip_int64_t serve(void *state, void *data, zip_uint64_t bytes, zip_source_cmd_t command) {
    member *m = state;
    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
    case ZIP_SOURCE_OPEN:
        drop_image(m);
        m->at = 0;
        m->status = clary__npy_image_make(m->array, &m->image);
        if (!m->status) return 0;
        zip_error_set(&m->error, ZIP_ER_INTERNAL, 0);
        return -1;
    case ZIP_SOURCE_READ: return (zip_int64_t)read_image(m, data, (size_t)bytes);
    case ZIP_SOURCE_STAT: {
        zip_stat_t *facts = data;
        if (bytes < sizeof *facts) {
            zip_error_set(&m->error, ZIP_ER_INVAL, 0);
            return -1;
        }
        zip_stat_init(facts);
        facts->size = image_size(m);
        facts->valid |= ZIP_STAT_SIZE;
        return sizeof *facts;
    }
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&m->error, data, bytes);
    case ZIP_SOURCE_CLOSE: drop_image(m); return 0;
    case ZIP_SOURCE_FREE: return 0; /* members are one block of the caller */
    default: zip_error_set(&m->error, ZIP_ER_OPNOTSUPP, 0); return -1;
    }
}

/* Adds `m` under `name`.npy with NumPy's fixed date, so that equal arrays give equal files. */
static clary_status add_member(zip_t *archive, const char *name, member *m, bool compress) {
    enum { FIRST_OF_JANUARY_1980 = 1 << 5 | 1 };
    zip_int64_t index = -1;
    clary__text full = {0};
    clary__text_add(&full, "%s.npy", name);
    zip_source_t *source = full.failed ? NULL : zip_source_function(archive, serve, m);
    if (source) {
        index = zip_file_add(archive, full.data, source, ZIP_FL_ENC_UTF_8);
        if (index < 0) zip_source_free(source);
    }
    const bool failed = full.failed;
    clary__text_free(&full);
    FAIL_IF(failed, CLARY_OUT_OF_MEMORY, "no memory for the name '%s'", name);
    if (index >= 0 &&
        !zip_set_file_compression(archive, (zip_uint64_t)index,
                                  compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) &&
        !zip_file_set_dostime(archive, (zip_uint64_t)index, 0, FIRST_OF_JANUARY_1980, 0)) {
        return CLARY_OK;
    }
    zip_error_t *error = zip_get_error(archive);
    return clary__fail(zip_error_code_zip(error) == ZIP_ER_MEMORY ? CLARY_OUT_OF_MEMORY
                                                                  : CLARY_INVALID_ARGUMENT,
                       "cannot add '%s': %s", name, zip_error_strerror(error));
}

static clary_status write_archive(const char *path, const char *const *names, member *members,
                                  int count, bool compress) {
    zip_t *archive;
    TRY(open_archive(path, ZIP_CREATE | ZIP_TRUNCATE, &archive));
    for (int k = 0; k < count; k++) {
        clary_status status = add_member(archive, names[k], &members[k], compress);
        if (status) {
            zip_discard(archive);
            return status;
        }
    }
    if (!zip_close(archive)) return CLARY_OK;
    clary_status status = CLARY_OK;
    for (int k = 0; k < count && !status; k++)
        status = members[k].status; /* its message is the last */
    if (!status) status = fail_zip(zip_get_error(archive), "cannot write the archive");
    zip_discard(archive);
    return status;
}

/* libzip has no archives without members; this is the end record that all others have, too. */
static clary_status write_empty_archive(const char *path) {
    static const char end[22] = {'P', 'K', 5, 6};
    clary__writer writer;
    TRY(clary__writer_open(&writer, path));
    clary_status status = clary__writer_write(&writer, end, sizeof end);
    if (!status) return clary__writer_commit(&writer);
    clary__writer_abandon(&writer);
    return status;
}

static clary_status save(const char *path, const char *const *names, clary_array *const *arrays,
                         int count, bool compress) {
    FAIL_IF(!path || count < 0 || (count && (!names || !arrays)), CLARY_INVALID_ARGUMENT,
            "path, names or arrays is NULL, or count %d is negative", count);
    for (int k = 0; k < count; k++) {
        FAIL_IF(!names[k] || !*names[k] || !arrays[k], CLARY_INVALID_ARGUMENT,
                "name or array %d is missing", k);
    }
    if (!count) return write_empty_archive(path);
    member *members = clary__calloc((size_t)count, sizeof *members);
    FAIL_IF(!members, CLARY_OUT_OF_MEMORY, "no memory for %d members", count);
    for (int k = 0; k < count; k++) {
        members[k].array = arrays[k];
        zip_error_init(&members[k].error);
    }
    clary_status status = write_archive(path, names, members, count, compress);
    for (int k = 0; k < count; k++) {
        drop_image(&members[k]);
        zip_error_fini(&members[k].error);
    }
    clary__dealloc(members);
    return status;
}

clary_status clary_save_npz(const char *path, const char *const *names, clary_array *const *arrays,
                            int count, bool compress) {
    clary_status status = save(path, names, arrays, count, compress);
    return status ? clary__fail_in(status, "save_npz('%s')", path ? path : "NULL") : CLARY_OK;
}

#else /* without libzip */

static clary_status unsupported(const char *what) {
    return clary__fail(
        CLARY_UNSUPPORTED,
        "%s: this build cannot read or write .npz; install libzip (libzip-dev on Debian, "
        "libzip-devel on Fedora, libzip in Homebrew) and build again",
        what);
}

static clary_status load(clary_device *device, const char *path, const char *name,
                         clary_dtype dtype, clary_array **out) {
    (void)device, (void)path, (void)name, (void)dtype;
    if (out) *out = NULL;
    return unsupported("load_npz");
}

clary_status clary_list_npz(const char *path, int *count, char ***names) {
    (void)path;
    if (count) *count = 0;
    if (names) *names = NULL;
    return unsupported("list_npz");
}

clary_status clary_save_npz(const char *path, const char *const *names, clary_array *const *arrays,
                            int count, bool compress) {
    (void)path, (void)names, (void)arrays, (void)count, (void)compress;
    return unsupported("save_npz");
}

#endif

clary_status clary_load_npz(clary_device *device, const char *path, const char *name,
                            clary_array **out) {
    return load(device, path, name, CLARY_DTYPE_COUNT, out);
}

clary_status clary_load_npz_as(clary_device *device, const char *path, const char *name,
                               clary_dtype dtype, clary_array **out) {
    if (out) *out = NULL;
    FAIL_IF(!clary_dtype_size(dtype), CLARY_INVALID_ARGUMENT, "load_npz_as: unknown dtype %d",
            (int)dtype);
    return load(device, path, name, dtype, out);
}
