/* test_core.c - src/core: dtypes, halves, scalars, errors, texts, allocation.
 *
 * The tables of promotion and casting are NumPy 2's, one character a dtype in the order of
 * CLARY_DTYPE_LIST. Halves are compared with a slow definition, for all of them and for every tie.
 */
#include "check.h"
#include "core/core.h"
#include "core/file.h"
#include <pthread.h>
#include <unistd.h>

/* ---- dtypes ---- */

#define LETTERS "?bhiqBHIQeEfdFD" /* NumPy's type characters; E for bfloat16 */

static const char *const promotion[CLARY_DTYPE_COUNT] = {
    "?bhiqBHIQeEfdFD", "bbhiqhiqdeEfdFD", "hhhiqhiqdfffdFD", "iiiiqiiqdddddDD", "qqqqqqqqdddddDD",
    "BhhiqBHIQeEfdFD", "HiiiqHHIQfffdFD", "IqqqqIIIQddddDD", "QddddQQQQddddDD", "eefddefddeffdFD",
    "EEfddEfddfEfdFD", "fffddffddfffdFD", "dddddddddddddDD", "FFFDDFFDDFFFDFD", "DDDDDDDDDDDDDDD",
};

static const char *const safe[CLARY_DTYPE_COUNT] = {
    "111111111111111", "011110000111111", "001110000001111", "000110000000101", "000010000000101",
    "001111111111111", "000110111001111", "000010011000101", "000000001000101", "000000000101111",
    "000000000011111", "000000000001111", "000000000000101", "000000000000011", "000000000000001",
};

static const char *const same_kind[CLARY_DTYPE_COUNT] = {
    "111111111111111", "011110000111111", "011110000111111", "011110000111111", "011110000111111",
    "011111111111111", "011111111111111", "011111111111111", "011111111111111", "000000000111111",
    "000000000111111", "000000000111111", "000000000111111", "000000000000011", "000000000000011",
};

static void test_dtype_facts(void) {
    SECTION("dtype facts");
#define X(NAME, name, suffix, bytes, kind)                                                         \
    CHECK_TEXT(clary_dtype_name(CLARY_##NAME), #name);                                             \
    CHECK_TEXT(clary__dtype_suffix(CLARY_##NAME), #suffix);                                        \
    CHECK_INT(clary_dtype_size(CLARY_##NAME), bytes);                                              \
    CHECK_INT(clary_dtype_kind(CLARY_##NAME), kind);
    CLARY_DTYPE_LIST(X)
#undef X
    const clary_dtype beyond[] = {CLARY_DTYPE_COUNT, (clary_dtype)-1, (clary_dtype)1000};
    for (int k = 0; k < 3; k++) {
        CHECK_TEXT(clary_dtype_name(beyond[k]), "?");
        CHECK_INT(clary_dtype_size(beyond[k]), 0);
        CHECK_INT(clary_dtype_kind(beyond[k]), 0);
        CHECK_INT(clary_promote(beyond[k], CLARY_INT8), CLARY_DTYPE_COUNT);
        CHECK(!clary_can_cast(beyond[k], CLARY_INT8, CLARY_CAST_UNSAFE));
        CHECK(!clary_can_cast(CLARY_INT8, beyond[k], CLARY_CAST_UNSAFE));
    }
    CHECK_INT(clary__real_of(CLARY_COMPLEX64), CLARY_FLOAT32);
    CHECK_INT(clary__real_of(CLARY_COMPLEX128), CLARY_FLOAT64);
    CHECK_INT(clary__real_of(CLARY_INT16), CLARY_INT16);
}

static void test_dtype_names(void) {
    SECTION("dtype names");
    clary_dtype t;
    for (int k = 0; k < CLARY_DTYPE_COUNT; k++) {
        CHECK_OK(clary_dtype_parse(clary_dtype_name((clary_dtype)k), &t));
        CHECK_INT(t, k);
    }
    static const struct {
        const char *name;
        clary_dtype dtype;
    } good[] = {
        {"f32", CLARY_FLOAT32},   {"<f4", CLARY_FLOAT32},        {"|b1", CLARY_BOOL},
        {"=i2", CLARY_INT16},     {"<i8", CLARY_INT64},          {"i8", CLARY_INT64},
        {"u8", CLARY_UINT64},     {"i16", CLARY_INT16},          {"bf16", CLARY_BFLOAT16},
        {"c64", CLARY_COMPLEX64}, {"<c8", CLARY_COMPLEX64},      {">u1", CLARY_UINT8},
        {"?", CLARY_BOOL},        {"d", CLARY_FLOAT64},          {"float", CLARY_FLOAT64},
        {"int", CLARY_INT64},     {"complex", CLARY_COMPLEX128}, {"f16", CLARY_FLOAT16},
        {"half", CLARY_FLOAT16},
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        if (CHECK_OK(clary_dtype_parse(good[k].name, &t))) {
            CHECK_MSG(t == good[k].dtype, "%s is %s", good[k].name, clary_dtype_name(t));
        }
    }
    static const char *const wrong[] = {"",    "<",       "float31", "<f3", "object",    "O", "U4",
                                        ">f4", "Float32", " f4",     "f4 ", "<bfloat16", "V2"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK_STATUS(clary_dtype_parse(wrong[k], &t), CLARY_INVALID_ARGUMENT);
    }
    CHECK_STATUS(clary_dtype_parse(NULL, &t), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary_dtype_parse("f4", NULL), CLARY_INVALID_ARGUMENT);
}

static void test_promotion(void) {
    SECTION("promotion and casting");
    for (int a = 0; a < CLARY_DTYPE_COUNT; a++) {
        for (int b = 0; b < CLARY_DTYPE_COUNT; b++) {
            const clary_dtype x = (clary_dtype)a, y = (clary_dtype)b;
            const char *from = clary_dtype_name(x), *to = clary_dtype_name(y);
            CHECK_MSG(LETTERS[clary_promote(x, y)] == promotion[a][b], "promote(%s, %s) is %s",
                      from, to, clary_dtype_name(clary_promote(x, y)));
            CHECK_MSG(clary_can_cast(x, y, CLARY_CAST_NO) == (a == b), "%s to %s", from, to);
            CHECK_MSG(clary_can_cast(x, y, CLARY_CAST_SAFE) == (safe[a][b] == '1'), "%s to %s",
                      from, to);
            CHECK_MSG(clary_can_cast(x, y, CLARY_CAST_SAME_KIND) == (same_kind[a][b] == '1'),
                      "%s to %s", from, to);
            CHECK_MSG(clary_can_cast(x, y, CLARY_CAST_UNSAFE), "%s to %s", from, to);
        }
    }
}

/* ---- halves ---- */

/* The value of a finite half, or of what would be one step past the largest: by definition. */
static double half_value(uint32_t h, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(h >> mantissa_bits);
    const double fraction = h & ((1u << mantissa_bits) - 1);
    if (!exponent) return ldexp(fraction, 1 - bias - mantissa_bits);
    return ldexp(fraction + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

typedef struct half_format {
    const char *name;
    int exponent_bits, mantissa_bits;
    float (*widen)(uint16_t);
    uint16_t (*of_float)(float), (*of_double)(double);
} half_format;

static const half_format halves[2] = {
    {"float16", 5, 10, clary__f16_to_f32, clary__f32_to_f16, clary__f64_to_f16},
    {"bfloat16", 8, 7, clary__bf16_to_f32, clary__f32_to_bf16, clary__f64_to_bf16},
};

static void expect_half(const half_format *f, double d, uint32_t wanted) {
    for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000) {
        const double x = sign ? -d : d;
        CHECK_MSG(f->of_double(x) == (wanted | sign), "%s of double %a is %04x, not %04x", f->name,
                  x, f->of_double(x), wanted | sign);
        const float narrow = (float)x;
        if ((double)narrow == x) {
            CHECK_MSG(f->of_float(narrow) == (wanted | sign), "%s of float %a is %04x, not %04x",
                      f->name, x, f->of_float(narrow), wanted | sign);
        }
    }
}

static void test_half(const half_format *f) {
    SECTION(f->name);
    const uint32_t infinity = ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
    for (uint32_t h = 0; h < infinity; h++) {
        const double value = half_value(h, f->exponent_bits, f->mantissa_bits);
        CHECK_MSG(f->widen((uint16_t)h) == value, "%04x", h);
        CHECK_MSG(f->widen((uint16_t)(h | 0x8000)) == -value, "%04x", h | 0x8000);
        CHECK(!!signbit(f->widen((uint16_t)(h | 0x8000))));
        expect_half(f, value, h);
        /* The next half, or the value that infinity stands for in rounding, and the tie between. */
        const double tie =
            value + (half_value(h + 1, f->exponent_bits, f->mantissa_bits) - value) / 2;
        expect_half(f, tie, h + (h & 1));
        expect_half(f, nextafter(tie, 0), h);
        expect_half(f, nextafter(tie, INFINITY), h + 1);
        expect_half(f, (double)nextafterf((float)tie, 0), h);
        if ((double)(float)tie == tie)
            expect_half(f, (double)nextafterf((float)tie, INFINITY), h + 1);
    }
    expect_half(f, INFINITY, infinity);
    expect_half(f, 1e308, infinity);
    expect_half(f, 5e-324, 0);
    expect_half(f, 1e-60, 0);
    for (uint32_t h = infinity + 1; h < 0x8000; h++) { /* NaN stays NaN, with its sign */
        CHECK(isnan(f->widen((uint16_t)h)));
        const uint16_t back = f->of_float(f->widen((uint16_t)(h | 0x8000)));
        CHECK((back & 0x7fff) > infinity && back & 0x8000);
        CHECK((f->of_double((double)f->widen((uint16_t)h)) & 0x7fffu) > infinity);
    }
    /* A NaN whose payload lies in the bits that are dropped must not become infinity. */
    uint64_t bits = UINT64_C(0x7ff0000000000001);
    double d;
    memcpy(&d, &bits, 8);
    CHECK((f->of_double(d) & 0x7fffu) > infinity);
    uint32_t low = 0x7f800001;
    float s;
    memcpy(&s, &low, 4);
    CHECK((f->of_float(s) & 0x7fffu) > infinity);
}

static void test_half_random(void) {
    SECTION("halves of random numbers");
    for (int n = 0; n < 200000; n++) {
        uint32_t bits = (uint32_t)check_random();
        float x;
        memcpy(&x, &bits, 4);
        for (int k = 0; k < 2; k++) {
            const half_format *f = &halves[k];
            const uint32_t infinity = ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
            const uint32_t h = f->of_float(x) & 0x7fffu;
            CHECK_MSG(f->of_float(x) == f->of_double((double)x), "%s of %a", f->name, (double)x);
            if (isnan(x) || h >= infinity) continue;
            /* The neighbours are not nearer. */
            const double a = fabs((double)x),
                         off = fabs(half_value(h, f->exponent_bits, f->mantissa_bits) - a);
            CHECK(fabs(half_value(h + 1, f->exponent_bits, f->mantissa_bits) - a) >= off);
            if (h) CHECK(fabs(half_value(h - 1, f->exponent_bits, f->mantissa_bits) - a) >= off);
        }
    }
}

/* ---- scalars ---- */

static clary_scalar integer(int64_t i) {
    return (clary_scalar){.kind = CLARY_SCALAR_INT, .i = i};
}
static clary_scalar big(uint64_t u) {
    return (clary_scalar){.kind = CLARY_SCALAR_UINT, .u = u};
}
static clary_scalar real(double re) {
    return (clary_scalar){.kind = CLARY_SCALAR_FLOAT, .re = re};
}
static clary_scalar complex_of(double re, double im) {
    return (clary_scalar){.kind = CLARY_SCALAR_COMPLEX, .re = re, .im = im};
}
static clary_scalar boolean(bool b) {
    return (clary_scalar){.kind = CLARY_SCALAR_BOOL, .i = b};
}

/* Stores and loads again. */
static clary_scalar through(clary_scalar s, clary_dtype t) {
    unsigned char element[16], fence[16];
    memset(element, 0xa5, sizeof element);
    memset(fence, 0xa5, sizeof fence);
    clary__scalar_store(s, t, element);
    const size_t bytes = clary_dtype_size(t);
    CHECK_BYTES(element + bytes, fence, sizeof element - bytes);
    return clary__scalar_load(element, t);
}

static void test_scalars(void) {
    SECTION("scalars");
    for (int k = CLARY_INT8; k <= CLARY_UINT64; k++) {
        const clary_dtype t = (clary_dtype)k;
        const int bits = 8 * (int)clary_dtype_size(t), value_bits = bits - clary__is_signed(t);
        const uint64_t greatest = UINT64_MAX >> (64 - value_bits);
        const int64_t least = clary__is_signed(t) ? -(int64_t)greatest - 1 : 0;
        CHECK_INT(through(integer(least), t).i, least);
        clary_scalar top = through(big(greatest), t);
        CHECK(top.kind == CLARY_SCALAR_UINT ? top.u == greatest : (uint64_t)top.i == greatest);
        CHECK_INT(through(integer(7), t).i, 7);
        CHECK_INT(through(real(-0.75), t).i, 0);
        CHECK_INT(through(real(99.99), t).i, 99);
        CHECK_INT(through(real(NAN), t).i, 0);
        CHECK_INT(through(real(-INFINITY), t).i, least);
        CHECK_INT(through(real(-1e30), t).i, least);
        CHECK_INT(through(real(ldexp(1, value_bits)), t).i, top.i);
        CHECK(through(real(1e30), t).u == top.u);
        CHECK_INT(through(boolean(true), t).i, 1);
        CHECK_INT(through(complex_of(5.5, 8), t).i, 5);
        CHECK(clary__scalar_fits(integer(least), t) && clary__scalar_fits(big(greatest), t));
        if (bits < 64) CHECK(!clary__scalar_fits(integer((int64_t)greatest + 1), t));
        if (t != CLARY_INT64) CHECK(!clary__scalar_fits(integer(least - 1), t));
        CHECK(clary__scalar_fits(big(UINT64_MAX), t) == (t == CLARY_UINT64));
        CHECK(clary__scalar_fits(real(1e300), t) && clary__scalar_fits(boolean(true), t));
    }
    CHECK(clary__scalar_fits(big(UINT64_MAX), CLARY_FLOAT16) &&
          clary__scalar_fits(integer(2), CLARY_BOOL));
    CHECK_INT(through(integer(300), CLARY_INT8).i, 44); /* wraps */
    CHECK_INT(through(integer(-1), CLARY_UINT16).i, 65535);
    CHECK(through(integer(-1), CLARY_UINT64).u == UINT64_MAX);
    CHECK_INT(through(big(UINT64_MAX), CLARY_INT64).i, -1);

    CHECK_INT(through(real(NAN), CLARY_BOOL).i, 1);
    CHECK_INT(through(real(-0.0), CLARY_BOOL).i, 0);
    CHECK_INT(through(complex_of(0, 1e-300), CLARY_BOOL).i, 1);
    CHECK_INT(through(integer(256), CLARY_BOOL).i, 1);
    CHECK_INT(through(big(UINT64_C(1) << 63), CLARY_BOOL).i, 1);
    CHECK_INT(clary__scalar_load(&(uint8_t){2}, CLARY_BOOL).i, 1);

    CHECK(through(real(0.1), CLARY_FLOAT64).re == 0.1);
    CHECK(through(real(0.1), CLARY_FLOAT32).re == (double)0.1f);
    CHECK(signbit(through(real(-0.0), CLARY_FLOAT16).re));
    CHECK(through(integer(65504), CLARY_FLOAT16).re == 65504);
    CHECK(isinf(through(integer(65520), CLARY_FLOAT16).re));
    CHECK(through(boolean(true), CLARY_BFLOAT16).re == 1);
    clary_scalar z = through(complex_of(1.5, -2.5), CLARY_COMPLEX64);
    CHECK(z.kind == CLARY_SCALAR_COMPLEX && z.re == 1.5 && z.im == -2.5);
    z = through(integer(-3), CLARY_COMPLEX128);
    CHECK(z.re == -3 && z.im == 0);
    CHECK(through(complex_of(4, 5), CLARY_FLOAT32).re == 4);

    /* Rounded once: just above a tie by a bit that double cannot hold. */
    const int64_t tie = INT64_C(0x4040000000000000);
    CHECK(through(integer(tie), CLARY_BFLOAT16).re == ldexp(1, 62));
    CHECK(through(integer(tie + 1), CLARY_BFLOAT16).re == ldexp(1.0078125, 62));
    CHECK(through(integer(-tie - 1), CLARY_BFLOAT16).re == -ldexp(1.0078125, 62));
    CHECK(through(big((uint64_t)tie * 2 + 1), CLARY_BFLOAT16).re == ldexp(1.0078125, 63));
    CHECK(through(integer(INT64_C(0x4000004000000001)), CLARY_FLOAT32).re ==
          ldexp(1 + 0x1p-23, 62));
}

/* ---- errors ---- */

static void *other_thread(void *result) {
    *(bool *)result = *clary_last_error() == '\0';
    clary__fail(CLARY_INTERNAL, "from the other thread");
    return NULL;
}

static void test_errors(void) {
    SECTION("errors");
    CHECK_TEXT(clary_last_error(), "");
    CHECK_TEXT(clary_status_name(CLARY_OK), "CLARY_OK");
    CHECK_TEXT(clary_status_name(CLARY_SHAPE_MISMATCH), "CLARY_SHAPE_MISMATCH");
    CHECK_TEXT(clary_status_text(CLARY_OUT_OF_MEMORY), "out of memory");
    for (int k = 0; k < CLARY_STATUS_COUNT; k++) CHECK(*clary_status_text((clary_status)k));
    CHECK(*clary_status_name((clary_status)-5) && *clary_status_text((clary_status)999));
    CHECK(clary_version()[0] >= '0' && clary_version()[0] <= '9');

    CHECK_INT(clary__fail(CLARY_OVERFLOW, "%d is too much", 42), CLARY_OVERFLOW);
    CHECK_TEXT(clary_last_error(), "42 is too much");
    CHECK_INT(clary__fail_in(CLARY_OVERFLOW, "add(%s)", "x"), CLARY_OVERFLOW);
    CHECK_TEXT(clary_last_error(), "add(x): 42 is too much");
    clary__fail(CLARY_OVERFLOW, "again %s", clary_last_error()); /* an argument inside the buffer */
    CHECK_TEXT(clary_last_error(), "again add(x): 42 is too much");

    char *text = malloc(20001);
    memset(text, 'x', 20000);
    text[20000] = '\0';
    clary__fail(CLARY_INTERNAL, "%s", text);
    CHECK(strlen(clary_last_error()) > 1000 && strlen(clary_last_error()) < 20000);
    clary__fail_in(CLARY_INTERNAL, "op");
    CHECK(!strncmp(clary_last_error(), "op: xxx", 7));
    clary__fail_in(CLARY_INTERNAL, "%s", text);
    free(text);

    clary__fail(CLARY_INTERNAL, "mine");
    bool was_empty = false;
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, other_thread, &was_empty));
    pthread_join(thread, NULL);
    CHECK(was_empty);
    CHECK_TEXT(clary_last_error(), "mine");
}

/* ---- texts, bytes, hashes, memory, files ---- */

static void test_texts(void) {
    SECTION("texts");
    char buffer[CLARY__SHAPE_TEXT];
    CHECK_TEXT(clary__shape_text(0, NULL, buffer), "()");
    CHECK_TEXT(clary__shape_text(1, (int64_t[]){184}, buffer), "(184,)");
    CHECK_TEXT(clary__shape_text(3, (int64_t[]){2, 0, -1}, buffer), "(2, 0, -1)");
    int64_t longest[CLARY_MAX_NDIM];
    for (int k = 0; k < CLARY_MAX_NDIM; k++) longest[k] = INT64_MIN;
    clary__shape_text(CLARY_MAX_NDIM, longest, buffer);
    CHECK_TEXT(buffer + strlen(buffer) - 6, ", ...)");

    clary__text t = {0};
    for (int k = 0; k < 1000; k++) clary__text_add(&t, "%d,", k);
    CHECK(!t.failed && t.size == 3890 && !strncmp(t.data, "0,1,2,", 6) && !t.data[t.size]);
    clary__alloc_fail_at(1);
    for (int k = 0; k < 10000 && !t.failed; k++) clary__text_add(&t, "%d", k);
    CHECK(t.failed);
    const size_t size = t.size;
    clary__text_add(&t, "more");
    CHECK(t.size == size);
    clary__text_free(&t);
    CHECK(!t.data && !t.size && !t.failed);

    SECTION("byte counts");
    static const struct {
        const char *text;
        bool good;
        uint64_t bytes;
    } counts[] = {
        {"0", true, 0},
        {"123", true, 123},
        {"64K", true, 65536},
        {"512M", true, 536870912},
        {"2G", true, 2147483648},
        {"1T", true, UINT64_C(1) << 40},
        {"2g", true, 2147483648},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"16777216T", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"G", false, 0},
        {"1.5G", false, 0},
        {"1GB", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
    };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        uint64_t bytes = 77;
        const bool good = clary__parse_bytes(counts[k].text, &bytes);
        CHECK_MSG(good == counts[k].good && bytes == (good ? counts[k].bytes : 77), "%s",
                  counts[k].text);
    }
    CHECK(!clary__parse_bytes(NULL, &(uint64_t){0}));

    SECTION("hash");
    CHECK(clary__hash("", 0, 0) == UINT64_C(0xcbf29ce484222325));
    CHECK(clary__hash("foobar", 6, 0) == UINT64_C(0x85944171f73967e8)); /* published value */
    CHECK(clary__hash("foobar", 6, 1) != clary__hash("foobar", 6, 0));
}

static void test_memory(void) {
    SECTION("memory");
    void *p = clary__malloc(0);
    CHECK(p != NULL);
    clary__dealloc(p);
    CHECK(!clary__calloc(SIZE_MAX / 2, 4));
    clary__alloc_fail_at(2);
    p = clary__malloc(8);
    CHECK(p && !clary__realloc(p, 16));
    char *copy = clary__strdup("copy");
    CHECK_TEXT(copy, "copy");
    clary__alloc_fail_at(1);
    CHECK(!clary__strdup("copy") && !clary__env("CLARY_NO_SUCH_VARIABLE"));
    clary__alloc_fail_at(1);
    clary__alloc_fail_at(0);
    clary__dealloc(copy);
    copy = clary__calloc(3, 5);
    CHECK(copy && !copy[0] && !copy[14]);
    clary__dealloc(copy);
    clary__dealloc(p);
    clary__dealloc(NULL);
}

static void test_files(void) {
    SECTION("files");
    char path[64]; /* variants of a test run side by side in one folder */
    snprintf(path, sizeof path, "test_core.%ld.tmp", (long)getpid());
    clary__writer w;
    clary__reader r;
    char back[8] = "";
    remove(path);
    CHECK_OK(clary__writer_open(&w, path));
    CHECK_OK(clary__writer_write(&w, "first", 5));
    CHECK_ERROR(clary__reader_open(&r, path), CLARY_IO_ERROR, path); /* not there before the end */
    CHECK_OK(clary__writer_commit(&w));
    CHECK_OK(clary__writer_open(&w, path));
    CHECK_OK(clary__writer_write(&w, "second", 6));
    clary__writer_abandon(&w); /* leaves the first */
    if (CHECK_OK(clary__reader_open(&r, path))) {
        CHECK_INT((int64_t)r.size, 5);
        CHECK_OK(clary__reader_read(&r, back, 5));
        CHECK_TEXT(back, "first");
        CHECK_STATUS(clary__reader_read(&r, back, 1), CLARY_BAD_FORMAT);
        clary__reader_close(&r);
    }
    remove(path);
    CHECK_STATUS(clary__reader_open(&r, "."), CLARY_IO_ERROR);
    CHECK_STATUS(clary__reader_open(&r, NULL), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary__writer_open(&w, NULL), CLARY_INVALID_ARGUMENT);
    CHECK_STATUS(clary__writer_open(&w, "no/such/folder/x"), CLARY_IO_ERROR);
    CHECK_STATUS(clary__writer_open(&w, "."), CLARY_IO_ERROR);
}

int main(void) {
    test_errors();
    test_dtype_facts();
    test_dtype_names();
    test_promotion();
    for (int k = 0; k < 2; k++) test_half(&halves[k]);
    test_half_random();
    test_scalars();
    test_texts();
    test_memory();
    test_files();
    return check_done();
}
