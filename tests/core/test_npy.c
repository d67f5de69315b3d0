/* test_npy.c - .npy and .npz files: round trips, the layouts NumPy writes, and damaged files.
 *
 * Damaged archives are made by the small zip writer below, because libzip makes only good ones.
 * Files carry the process id: variants of a test run side by side in one folder.
 */
#include "check.h"
#include "core/core.h"
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static void write_file(const void *data, size_t bytes) {
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, bytes, f) == bytes);
    if (f) fclose(f);
}

static size_t read_file(char **data) {
    FILE *f = fopen(path, "rb");
    *data = calloc(1, 1 << 20);
    size_t bytes = f ? fread(*data, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    return bytes;
}

/* A .npy image: header of this version with `text`, padded to `align`, then the data. */
static size_t npy_image(char *out, int version, const char *text, size_t align, const void *data,
                        size_t bytes) {
    const size_t offset = version == 1 ? 10 : 12, length = strlen(text);
    const size_t total = (offset + length + 1 + align - 1) / align * align;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t k = 8; k < offset; k++) out[k] = (char)((total - offset) >> 8 * (k - 8));
    memset(out + offset, ' ', total - offset);
    memcpy(out + offset, text, length);
    out[total - 1] = '\n';
    if (bytes) memcpy(out + total, data, bytes);
    return total + bytes;
}

static void write_npy(int version, const char *text, size_t align, const void *data, size_t bytes) {
    char *image = malloc(1000 + bytes);
    write_file(image, npy_image(image, version, text, align, data, bytes));
    free(image);
}

/* ---- .npy ---- */

static void test_layouts(void) {
    SECTION("layouts that NumPy writes");
    clary_array *a = NULL;
    const float plain[6] = {0, 1, 2, 3, 4, 5}, fortran[6] = {0, 3, 1, 4, 2, 5};
    unsigned char big[24];
    for (int k = 0; k < 6; k++) {
        for (int b = 0; b < 4; b++) big[4 * k + b] = ((const unsigned char *)&plain[k])[3 - b];
    }
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 64, plain, 24);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_FLOAT32, 2, ((int64_t[]){2, 3}), plain);
    clary_release(&a);
    write_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 64, fortran, 24);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_FLOAT32, 2, ((int64_t[]){2, 3}), plain);
    clary_release(&a);
    write_npy(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }", 64, big, 24);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_FLOAT32, 1, ((int64_t[]){6}), plain);
    clary_release(&a);
    write_npy(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (3,), }", 64, big, 24);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_COMPLEX64, 1, ((int64_t[]){3}), plain);
    clary_release(&a);
    for (int version = 2; version <= 3; version++) { /* data at a multiple of 16, not 64 */
        write_npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }     ", 16,
                  plain, 24);
        CHECK_OK(clary_load_npy(NULL, path, &a));
        CHECK_ARRAY(a, CLARY_FLOAT32, 1, ((int64_t[]){6}), plain);
        clary_release(&a);
    }
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 64, plain + 5, 4);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_FLOAT32, 0, NULL, plain + 5);
    clary_release(&a);
    write_npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (0, 3), }", 64, NULL, 0);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_FLOAT32, 2, ((int64_t[]){0, 3}), plain);
    clary_release(&a);
    write_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", 64, "\0\1\2\xff", 4);
    CHECK_OK(clary_load_npy(NULL, path, &a));
    CHECK_ARRAY(a, CLARY_BOOL, 1, ((int64_t[]){4}), "\0\1\1\1");
    clary_release(&a);
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 64, plain, 24);
    CHECK_OK(clary_load_npy(NULL, path, &a)); /* another array may follow in the file */
    CHECK_ARRAY(a, CLARY_FLOAT32, 1, ((int64_t[]){2}), plain);
    clary_release(&a);

    SECTION("bfloat16 and the dtype asked for");
    const uint16_t halves[3] = {0x3f80, 0xc000, 0x7fc1};
    write_npy(1, "{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }", 64, halves, 6);
    CHECK_ERROR(clary_load_npy(NULL, path, &a), CLARY_BAD_FORMAT, "bfloat16");
    CHECK_STATUS(clary_load_npy_as(NULL, path, CLARY_FLOAT16, &a), CLARY_DTYPE_MISMATCH);
    CHECK_OK(clary_load_npy_as(NULL, path, CLARY_BFLOAT16, &a));
    CHECK_ARRAY(a, CLARY_BFLOAT16, 1, ((int64_t[]){3}), halves);
    CHECK_OK(clary_save_npy(path, a));
    clary_release(&a);
    CHECK_OK(clary_load_npy_as(NULL, path, CLARY_BFLOAT16, &a));
    CHECK_ARRAY(a, CLARY_BFLOAT16, 1, ((int64_t[]){3}), halves);
    clary_release(&a);
    CHECK_STATUS(clary_load_npy_as(NULL, path, (clary_dtype)99, &a), CLARY_INVALID_ARGUMENT);
    write_npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 64, plain, 24);
    CHECK_ERROR(clary_load_npy_as(NULL, path, CLARY_FLOAT64, &a), CLARY_DTYPE_MISMATCH, "float32");
    CHECK(a == NULL);
}

static void test_round_trips(void) {
    SECTION("round trips");
    static const struct {
        int ndim;
        int64_t shape[4];
    } shapes[] = {{0, {0}},      {1, {0}},    {1, {1}},         {1, {184}},
                  {2, {31, 33}}, {2, {0, 3}}, {3, {2, 3, 257}}, {4, {3, 1, 5, 7}}};
    for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const clary_dtype dtype = (clary_dtype)t;
            int64_t size = 1;
            for (int k = 0; k < shapes[s].ndim; k++) size *= shapes[s].shape[k];
            const size_t bytes = (size_t)size * clary_dtype_size(dtype);
            unsigned char *data = malloc(bytes + 1);
            for (size_t k = 0; k < bytes; k++) data[k] = (unsigned char)check_random();
            for (size_t k = 0; k < bytes && dtype == CLARY_BOOL; k++) data[k] &= 1;
            clary_array *a = NULL, *b = NULL;
            CHECK_OK(clary_from_host(NULL, dtype, shapes[s].ndim, shapes[s].shape, NULL, data, &a));
            CHECK_OK(clary_save_npy(path, a));
            CHECK_OK(clary_load_npy_as(NULL, path, dtype, &b));
            CHECK_ARRAY(b, dtype, shapes[s].ndim, shapes[s].shape, data);
            clary_release(&a);
            clary_release(&b);
            free(data);
        }
    }
    SECTION("views");
    const int32_t plain[6] = {0, 1, 2, 3, 4, 5}, turned[6] = {0, 3, 1, 4, 2, 5},
                  back[6] = {5, 4, 3, 2, 1, 0};
    clary_array *a = NULL, *view = NULL, *b = NULL;
    CHECK_OK(clary_from_host(NULL, CLARY_INT32, 2, (int64_t[]){2, 3}, NULL, plain, &a));
    CHECK_OK(clary_transpose(a, NULL, &view));
    CHECK_OK(clary_save_npy(path, view));
    CHECK_OK(clary_load_npy(NULL, path, &b));
    CHECK_ARRAY(b, CLARY_INT32, 2, ((int64_t[]){3, 2}), turned);
    clary_release(&b);
    clary_release(&view);
    CHECK_OK(clary_flip(a, 0, NULL, &view));
    CHECK_OK(clary_save_npy(path, view));
    CHECK_OK(clary_load_npy(NULL, path, &b));
    CHECK_ARRAY(b, CLARY_INT32, 2, ((int64_t[]){2, 3}), back);
    clary_release(&b);
    clary_release(&view);
    clary_release(&a);
}

static void test_bad_npy(void) {
    SECTION("damaged .npy");
    clary_array *a = NULL;
    const double data[3] = {1, 2, 3};
    char image[1000];
    const size_t bytes = npy_image(
        image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 64, data, 24);
    for (size_t length = 0; length < bytes; length++) { /* cut at every length */
        write_file(image, length);
        a = (clary_array *)image; /* must be overwritten */
        CHECK_ERROR(clary_load_npy(NULL, path, &a), CLARY_BAD_FORMAT, path);
        CHECK(a == NULL);
    }
    write_npy(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 64, data, 24);
    CHECK_ERROR(clary_load_npy(NULL, path, &a), CLARY_BAD_FORMAT, "object");
    write_npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }", 64,
              data, 24);
    CHECK_ERROR(clary_load_npy(NULL, path, &a), CLARY_BAD_FORMAT,
                "(1000000000000000,)"); /* not allocated */

    SECTION("files and arguments");
    remove(path);
    CHECK_ERROR(clary_load_npy(NULL, path, &a), CLARY_IO_ERROR, path);
    CHECK_STATUS(clary_load_npy(NULL, ".", &a), CLARY_IO_ERROR);
    CHECK_STATUS(clary_load_npy(NULL, NULL, &a), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_load_npy(NULL, path, NULL), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npy(path, NULL), CLARY_INVALID_ARGUMENT);
    CHECK_OK(clary_from_host(NULL, CLARY_FLOAT64, 1, (int64_t[]){3}, NULL, data, &a));
    CHECK_STATUS(clary_save_npy(NULL, a), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npy("no/such/folder/x.npy", a), CLARY_IO_ERROR);
    CHECK_OK(clary_save_npy("/dev/null", a)); /* written to, not replaced */
    struct stat facts;
    CHECK(!stat("/dev/null", &facts) && S_ISCHR(facts.st_mode));
    if (!access("/dev/full", W_OK))
        CHECK_ERROR(clary_save_npy("/dev/full", a), CLARY_IO_ERROR, "/dev/full");

    char link[80];
    snprintf(link, sizeof link, "%s.link", path);
    CHECK_OK(clary_save_npy(path, a));
    CHECK(!chmod(path, 0640) && !symlink(path, link));
    CHECK_OK(clary_save_npy(link, a)); /* the file behind the link, and its mode stays */
    CHECK(!lstat(link, &facts) && S_ISLNK(facts.st_mode));
    CHECK(!stat(path, &facts) && (facts.st_mode & 0777) == 0640);
    CHECK_INT(facts.st_size, 128 + 24);
    remove(link);
    remove(path);
    clary_release(&a);
}

/* Every allocation fails in turn: an error, nothing lost, and the old file is still there. */
static void test_out_of_memory(void) {
    SECTION("out of memory");
    clary_array *a = NULL, *b = NULL;
    const double data[3] = {1, 2, 3};
    CHECK_OK(clary_from_host(NULL, CLARY_FLOAT64, 1, (int64_t[]){3}, NULL, data, &a));
    CHECK_OK(clary_save_npy(path, a));
    for (int save = 0; save < 2; save++) {
        bool done = false;
        for (int nth = 1; nth < 1000 && !done; nth++) {
            clary__alloc_fail_at(nth);
            clary_status status = save ? clary_save_npy(path, a) : clary_load_npy(NULL, path, &b);
            clary__alloc_fail_at(0);
            done = status == CLARY_OK;
            CHECK_MSG(done || status == CLARY_OUT_OF_MEMORY, "allocation %d: %s", nth,
                      clary_last_error());
            clary_release(&b);
        }
        CHECK(done);
    }
    CHECK_OK(clary_load_npy(NULL, path, &b));
    CHECK_ARRAY(b, CLARY_FLOAT64, 1, ((int64_t[]){3}), data);
    clary_release(&a);
    clary_release(&b);
}

/* ---- .npz ---- */

typedef struct zip_member {
    const char *name, *data;
    size_t bytes;
    bool wrong_checksum;
} zip_member;

static uint32_t crc32_of(const char *data, size_t bytes) {
    uint32_t crc = ~0u;
    for (size_t k = 0; k < bytes; k++) {
        crc ^= (unsigned char)data[k];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static char *put(char *at, uint64_t value, int bytes) {
    while (bytes--) {
        *at++ = (char)value;
        value >>= 8;
    }
    return at;
}

/* The fields that the local and the central header share. */
static char *put_facts(char *at, const zip_member *m) {
    at = put(at, 20, 2); /* version needed; no flags, stored, midnight of 1 January 1980 */
    at = put(at, 0, 6);
    at = put(at, 33, 2);
    at = put(at, crc32_of(m->data, m->bytes) ^ m->wrong_checksum, 4);
    at = put(at, m->bytes, 4);
    at = put(at, m->bytes, 4);
    at = put(at, strlen(m->name), 2);
    return put(at, 0, 2);
}

static void write_zip(const zip_member *members, int count) {
    char *image = calloc(1, 100000), *at = image;
    size_t offsets[8];
    for (int k = 0; k < count; k++) {
        offsets[k] = (size_t)(at - image);
        at = put(at, 0x04034b50, 4);
        at = put_facts(at, &members[k]);
        memcpy(at, members[k].name, strlen(members[k].name));
        at += strlen(members[k].name);
        memcpy(at, members[k].data, members[k].bytes);
        at += members[k].bytes;
    }
    const size_t directory = (size_t)(at - image);
    for (int k = 0; k < count; k++) {
        at = put(at, 0x02014b50, 4);
        at = put(at, 20, 2);
        at = put_facts(at, &members[k]);
        at = put(at, 0, 10);
        at = put(at, offsets[k], 4);
        memcpy(at, members[k].name, strlen(members[k].name));
        at += strlen(members[k].name);
    }
    const size_t end = (size_t)(at - image);
    at = put(at, 0x06054b50, 4);
    at = put(at, 0, 4);
    at = put(at, (uint64_t)count, 2);
    at = put(at, (uint64_t)count, 2);
    at = put(at, end - directory, 4);
    at = put(at, directory, 4);
    at = put(at, 0, 2);
    write_file(image, (size_t)(at - image));
    free(image);
}

static void test_npz(void) {
    SECTION("npz");
    clary_array *arrays[3] = {0}, *a = NULL;
    const char *const names[3] = {"x", "weights/0", "\xc3\xa4"};
    int64_t counting[1000];
    const int64_t shapes[3][3] = {{1000}, {10, 0}, {2, 3, 4}};
    for (int k = 0; k < 1000; k++) counting[k] = k * k;
    CHECK_OK(clary_from_host(NULL, CLARY_INT64, 1, shapes[0], NULL, counting, &arrays[0]));
    CHECK_OK(clary_from_host(NULL, CLARY_BOOL, 2, shapes[1], NULL, counting, &arrays[1]));
    CHECK_OK(clary_from_host(NULL, CLARY_COMPLEX64, 3, shapes[2], NULL, counting, &arrays[2]));
    char **list = NULL;
    int count = -1;
    for (int compress = 0; compress < 2; compress++) {
        remove(path);
        for (int again = 0; again < 2; again++) { /* again: over an existing file */
            CHECK_OK(clary_save_npz(path, names, arrays, 3, compress));
            CHECK_OK(clary_list_npz(path, &count, &list));
            CHECK_INT(count, 3);
            for (int k = 0; k < count; k++) CHECK_TEXT(list[k], names[k]);
            clary_free(list);
            CHECK_OK(clary_load_npz(NULL, path, "x", &a));
            CHECK_ARRAY(a, CLARY_INT64, 1, shapes[0], counting);
            clary_release(&a);
            CHECK_OK(clary_load_npz(NULL, path, "weights/0.npy", &a));
            CHECK_ARRAY(a, CLARY_BOOL, 2, shapes[1], counting);
            clary_release(&a);
            CHECK_OK(clary_load_npz_as(NULL, path, names[2], CLARY_COMPLEX64, &a));
            CHECK_ARRAY(a, CLARY_COMPLEX64, 3, shapes[2], counting);
            clary_release(&a);
        }
        char *image;
        size_t bytes = read_file(&image);
        CHECK(compress ? bytes < 8000 : bytes > 8000);
        free(image);
    }
    CHECK_STATUS(clary_load_npz_as(NULL, path, "x", CLARY_FLOAT32, &a), CLARY_DTYPE_MISMATCH);
    CHECK_ERROR(clary_load_npz(NULL, path, "y", &a), CLARY_INVALID_ARGUMENT, "'y'");
    CHECK_STATUS(clary_load_npz(NULL, path, NULL, &a), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_load_npz(NULL, path, "x", NULL), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_list_npz(path, NULL, &list), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_list_npz(NULL, &count, &list), CLARY_INVALID_ARGUMENT);

    SECTION("npz that cannot be written");
    const char *const twice[2] = {"x", "x"}, *const invalid[1] = {"\xff\xfe"},
                      *const nameless[1] = {""};
    CHECK_ERROR(clary_save_npz(path, twice, arrays, 2, false), CLARY_INVALID_ARGUMENT, "'x'");
    CHECK_STATUS(clary_save_npz(path, invalid, arrays, 1, false), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npz(path, nameless, arrays, 1, false), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npz(path, names, (clary_array *const[]){NULL}, 1, false),
                 CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npz(path, names, arrays, -1, false), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npz(NULL, names, arrays, 3, false), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_save_npz("no/such/folder/x.npz", names, arrays, 3, false), CLARY_IO_ERROR);
    CHECK_OK(clary_load_npz(NULL, path, "x", &a)); /* the old file is whole */
    CHECK_ARRAY(a, CLARY_INT64, 1, shapes[0], counting);
    clary_release(&a);
    bool done = false;
    for (int nth = 1; nth < 1000 && !done; nth++) {
        clary__alloc_fail_at(nth);
        clary_status status = clary_save_npz(path, names, arrays, 3, true);
        clary__alloc_fail_at(0);
        done = status == CLARY_OK;
        CHECK_MSG(done || status == CLARY_OUT_OF_MEMORY, "allocation %d: %s", nth,
                  clary_last_error());
        if (!done) CHECK_OK(clary_load_npz(NULL, path, "x", &a));
        clary_release(&a);
    }
    CHECK(done);

    SECTION("empty npz");
    CHECK_OK(clary_save_npz(path, NULL, NULL, 0, false));
    CHECK_OK(clary_list_npz(path, &count, &list));
    CHECK_INT(count, 0);
    clary_free(list);
    CHECK_STATUS(clary_load_npz(NULL, path, "x", &a), CLARY_INVALID_ARGUMENT);
    for (int k = 0; k < 3; k++) clary_release(&arrays[k]);
}

static void test_bad_npz(void) {
    SECTION("damaged npz");
    clary_array *a = NULL;
    char **list = NULL;
    int count = -1;
    const int16_t data[4] = {1, -2, 3, 4};
    char image[1000];
    const size_t bytes = npy_image(
        image, 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", 64, data, 8);
    const zip_member members[] = {
        {"good.npy", image, bytes - 2, false},
        {"short.npy", image, bytes - 3, false},
        {"long.npy", image, bytes, false},
        {"damaged.npy", image, bytes - 2, true},
        {"header.npy", "\x93NUMPY\1\0\xff\xff", 10, false},
        {"header12.npy", "\x93NUMPY\1\0\xff\xff{}", 12, false},
        {"bare", image, bytes - 2, false},
        {"empty.npy", "", 0, false},
    };
    write_zip(members, 8);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(clary_load_npz(NULL, path, k ? "bare" : "good", &a));
        CHECK_ARRAY(a, CLARY_INT16, 1, ((int64_t[]){3}), data);
        clary_release(&a);
    }
    const char *const bad[] = {"short", "long", "damaged", "header", "header12", "empty"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK_ERROR(clary_load_npz(NULL, path, bad[k], &a), CLARY_BAD_FORMAT, bad[k]);
        CHECK(a == NULL);
    }
    const zip_member doubled[] = {{"x.npy", image, bytes - 2, false},
                                  {"x.npy", image, bytes - 2, false}};
    write_zip(doubled, 2);
    CHECK_ERROR(clary_load_npz(NULL, path, "x", &a), CLARY_BAD_FORMAT, "2 members");

    SECTION("no npz");
    write_file(image, bytes);
    CHECK_STATUS(clary_load_npz(NULL, path, "x", &a), CLARY_BAD_FORMAT);
    CHECK_STATUS(clary_list_npz(path, &count, &list), CLARY_BAD_FORMAT);
    CHECK(count == 0 && list == NULL);
    remove(path);
    CHECK_ERROR(clary_load_npz(NULL, path, "x", &a), CLARY_IO_ERROR, path);

    SECTION("random damage to npz");
    write_zip(members, 8);
    char *whole;
    const size_t size = read_file(&whole);
    for (int n = 0; n < 300; n++) {
        char *copy = malloc(size);
        memcpy(copy, whole, size);
        for (int k = 0; k < 3; k++) copy[check_random() % size] = (char)check_random();
        write_file(copy, n % 3 ? size : check_random() % size);
        free(copy);
        if (!clary_load_npz(NULL, path, "good", &a)) CHECK(clary_array_size(a) == 3);
        clary_release(&a);
        if (!clary_list_npz(path, &count, &list)) CHECK(count >= 0);
        clary_free(list);
    }
    free(whole);
}

int main(void) {
    snprintf(path, sizeof path, "test_npy.%ld.tmp", (long)getpid());
    test_layouts();
    test_round_trips();
    test_bad_npy();
    test_out_of_memory();
    char **list;
    int count;
    if (clary_list_npz("no such file", &count, &list) == CLARY_UNSUPPORTED) {
        printf("npz: %s\n", clary_last_error());
    } else {
        test_npz();
        test_bad_npz();
    }
    remove(path);
    CHECK_NO_LEAKS();
    return check_done();
}
