/* test_npyheader.c - the .npy header parser alone: what it accepts, what it refuses, and that no
 * input makes it read outside its block (run under AddressSanitizer: every block is exactly as
 * large as said).
 */
#include "check.h"
#include "core/npyheader.h"

/* A header of this version around `text` in a block of its own. */
static uint8_t *build(int version, const char *text, size_t length, size_t *bytes) {
    const size_t offset = version == 1 ? 10 : 12;
    uint8_t *block = malloc(offset + length);
    memcpy(block, "\x93NUMPY", 6);
    block[6] = (uint8_t)version;
    block[7] = 0;
    for (size_t k = 8; k < offset; k++) block[k] = (uint8_t)(length >> 8 * (k - 8));
    memcpy(block + offset, text, length);
    *bytes = offset + length;
    return block;
}

static clary_status parse(int version, const char *text, clary__npy_header *h) {
    size_t bytes;
    uint8_t *block = build(version, text, strlen(text), &bytes);
    memset(h, 0xa5, sizeof *h);
    clary_status status = clary__npy_parse(block, bytes, h);
    free(block);
    return status;
}

static void test_accepted(void) {
    SECTION("accepted");
    clary__npy_header h;
    for (int version = 1; version <= 3; version++) {
        if (!CHECK_OK(parse(
                version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", &h))) {
            continue;
        }
        CHECK_INT(h.dtype, CLARY_FLOAT32);
        CHECK(!h.raw && !h.swapped && !h.fortran);
        CHECK_INT(h.ndim, 2);
        CHECK(h.shape[0] == 2 && h.shape[1] == 3);
        CHECK_INT((int64_t)h.data_bytes, 24);
        CHECK_INT((int64_t)h.header_bytes, (version == 1 ? 10 : 12) + 63);
    }
    static const struct {
        const char *text;
        clary_dtype dtype;
        bool swapped, fortran;
        int ndim;
        int64_t bytes;
    } good[] = {
        {"{'descr':'>f4','fortran_order':True,'shape':(7,)}", CLARY_FLOAT32, true, true, 1, 28},
        {"{\"shape\": (), \"fortran_order\": False, \"descr\": \"<c16\"}", CLARY_COMPLEX128, false,
         false, 0, 16},
        {" {'descr': '|b1', 'fortran_order': False, 'shape': (0, 3), } ", CLARY_BOOL, false, false,
         2, 0},
        {"{'descr': '>u1', 'fortran_order': False, 'shape': (5L, 2L,), }", CLARY_UINT8, true, false,
         2, 10},
        {"{ 'descr' : '=i8' ,\n'fortran_order' : False , 'shape' : ( 1 , 2 ) }", CLARY_INT64, false,
         false, 2, 16},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (3,)}", CLARY_BFLOAT16, false, false, 1,
         6},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693951, 0)}",
         CLARY_FLOAT32, false, false, 2, 0},
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        if (!CHECK_OK(parse(1, good[k].text, &h))) continue;
        CHECK_MSG(h.dtype == good[k].dtype && h.fortran == good[k].fortran &&
                      h.ndim == good[k].ndim && h.swapped == good[k].swapped &&
                      (int64_t)h.data_bytes == good[k].bytes &&
                      h.raw == (good[k].dtype == CLARY_BFLOAT16),
                  "%s", good[k].text);
    }
}

static void test_refused(void) {
    SECTION("refused");
    static const char *const wrong[] = {
        "",
        " ",
        "{}",
        "{",
        "[]",
        "None",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,),, }",
        "{, 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shapes': (1,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': false, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (+1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1_0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0x1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1+1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (np.int64(1),)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ((1,),)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': 'O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|S4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|V4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4 ', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4\", 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f\xc3\xa4', 'fortran_order': False, 'shape': (1,)}",
        "{u'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'fortran_order': False, "
        "'shape': (1,)}",
        "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,)}",
        "{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (1,)}",
    };
    clary__npy_header h;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        for (int version = 1; version <= 3; version++) {
            clary_status status = parse(version, wrong[k], &h);
            CHECK_MSG(status == CLARY_BAD_FORMAT, "%s gives %s", wrong[k],
                      clary_status_name(status));
        }
    }
    CHECK_ERROR(parse(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", &h),
                CLARY_BAD_FORMAT, "object");
    CHECK_ERROR(parse(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", &h),
                CLARY_BAD_FORMAT, "structured");
}

static void test_limits(void) {
    SECTION("limits");
    clary__npy_header h;
    char text[400] = "{'descr': '|u1', 'fortran_order': False, 'shape': (1";
    for (int k = 1; k < 32; k++) strcat(text, ",1");
    char *end = text + strlen(text);
    strcpy(end, ")}");
    CHECK_OK(parse(1, text, &h));
    CHECK_INT(h.ndim, 32);
    strcpy(end, ",1)}");
    CHECK_ERROR(parse(1, text, &h), CLARY_BAD_FORMAT, "32 axes");

    CHECK_OK(
        parse(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)}", &h));
    CHECK(h.data_bytes == INT64_MAX);

    const size_t many = 100000; /* brackets: no recursion, no time */
    char *brackets = malloc(many);
    size_t bytes;
    memset(brackets, '(', many);
    memcpy(brackets, "{'shape': ", 10);
    uint8_t *block = build(2, brackets, 65536, &bytes);
    CHECK_STATUS(clary__npy_parse(block, bytes, &h), CLARY_BAD_FORMAT);
    free(block);
    block = build(2, brackets, many, &bytes);
    CHECK_ERROR(clary__npy_parse(block, bytes, &h), CLARY_BAD_FORMAT, "100000");
    free(block);
    free(brackets);

    uint8_t prefix[12] = "\x93NUMPY\2\0\xff\xff\xff\xff";
    CHECK_STATUS(clary__npy_parse(prefix, sizeof prefix, &h), CLARY_BAD_FORMAT);
    uint8_t short_member[12] = "\x93NUMPY\1\0\xff\xff{}";
    CHECK_ERROR(clary__npy_parse(short_member, sizeof short_member, &h), CLARY_BAD_FORMAT, "ends");
    const uint8_t versions[][2] = {{0, 0}, {4, 0}, {1, 1}, {2, 255}, {255, 0}};
    for (int k = 0; k < 5; k++) {
        memcpy(short_member + 6, versions[k], 2);
        CHECK_ERROR(clary__npy_parse(short_member, sizeof short_member, &h), CLARY_BAD_FORMAT,
                    "version");
    }
    CHECK_ERROR(clary__npy_parse("PK\3\4 is a zip archive", 21, &h), CLARY_BAD_FORMAT,
                "not a .npy");
}

static void test_written(void) {
    SECTION("written");
    char buffer[CLARY__NPY_WRITE_MAX];
    clary__npy_header h;
    size_t bytes = clary__npy_write(CLARY_FLOAT32, 1, (int64_t[]){184}, buffer);
    CHECK(memcmp(buffer, "\x93NUMPY\1\0", 8) == 0);
    CHECK(bytes % 64 == 0 && buffer[bytes - 1] == '\n');
    CHECK(strstr(buffer + 10, "'shape': (184,), }") != NULL);
    int64_t shape[CLARY_MAX_NDIM];
    for (int ndim = 0; ndim <= CLARY_MAX_NDIM; ndim++) {
        for (int t = 0; t < CLARY_DTYPE_COUNT; t++) {
            for (int k = 0; k < ndim; k++) shape[k] = k == 20 ? 0 : check_random_int(1, 5);
            bytes = clary__npy_write((clary_dtype)t, ndim, shape, buffer);
            if (!CHECK_OK(clary__npy_parse(buffer, bytes, &h))) continue;
            CHECK(bytes % 64 == 0 && h.header_bytes == bytes);
            CHECK(h.dtype == (clary_dtype)t && !h.swapped && !h.fortran && h.ndim == ndim);
            CHECK_BYTES(h.shape, shape, (size_t)ndim * sizeof *shape);
        }
    }
    for (int k = 0; k < CLARY_MAX_NDIM; k++) shape[k] = INT64_MAX; /* the longest text fits */
    CHECK(clary__npy_write(CLARY_COMPLEX128, CLARY_MAX_NDIM, shape, buffer) < sizeof buffer);
}

/* Random damage to good headers: the parser says yes or no, and what it says yes to makes sense. */
static void test_damaged(void) {
    SECTION("damaged");
    static const char alphabet[] = "{}()[]'\":, <>|=0123456789LVfiucbTrueFalsdhporn_\\\n";
    for (int n = 0; n < 200000; n++) {
        char text[200];
        snprintf(
            text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%" PRId64 "%s), }",
            "<>|=" [check_random() % 4],
            (const char *[]) { "f4", "i8", "c16", "b1" }[check_random() % 4],
            check_random() % 2 ? "True" : "False",
            check_random_int(0, INT64_MAX) >> check_random() % 63,
            check_random() % 2 ? "," : ", 3");
        size_t bytes;
        uint8_t *block = build((int)(1 + check_random() % 3), text, strlen(text), &bytes);
        for (uint64_t k = check_random() % 4; k > 0; k--) {
            const uint64_t r = check_random();
            block[check_random() % bytes] =
                r & 1 ? (uint8_t)(r >> 8) : (uint8_t)alphabet[(r >> 8) % (sizeof alphabet - 1)];
        }
        if (check_random() % 4 == 0) {
            bytes = check_random() % (bytes + 1);
            block = realloc(block, bytes ? bytes : 1);
        }
        clary__npy_header h;
        clary_status status = clary__npy_parse(block, bytes, &h);
        if (status) {
            CHECK(status == CLARY_BAD_FORMAT);
        } else {
            uint64_t wanted = clary_dtype_size(h.dtype);
            CHECK(wanted && h.header_bytes <= bytes && h.ndim >= 0 && h.ndim <= CLARY_MAX_NDIM);
            for (int k = 0; k < h.ndim; k++) wanted *= (uint64_t)h.shape[k];
            CHECK(h.data_bytes == wanted && h.data_bytes <= INT64_MAX);
        }
        free(block);
    }
}

int main(void) {
    test_accepted();
    test_refused();
    test_limits();
    test_written();
    test_damaged();
    return check_done();
}
