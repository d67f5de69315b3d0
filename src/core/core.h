/* core.h - what every file uses: errors, checked allocation, logging, environment.
 *
 * Error style: functions return clary_status. TRY(call) returns a failing status onwards; where
 * resources are held, TRY_GOTO(label, call) jumps to the one exit label with `status` set.
 */
#ifndef CLARY_CORE_H
#define CLARY_CORE_H
#include "clary/base.h"
#include "clary/dtype.h"

#define CLARY_MAX_NDIM 32

/* Records the thread's last error (printf style) and returns `status`. */
clary_status clary__fail(clary_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts "<text>: " in front of the thread's last error; for adding the operation's name on the way up. */
clary_status clary__fail_in(clary_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define TRY(call)                                                                                  \
    do {                                                                                           \
        clary_status try_status_ = (call);                                                         \
        if (try_status_ != CLARY_OK) return try_status_;                                           \
    } while (0)
#define TRY_GOTO(label, call)                                                                      \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CLARY_OK) goto label;                                                        \
    } while (0)
#define FAIL_IF(condition, status, ...)                                                            \
    do {                                                                                           \
        if (condition) return clary__fail(status, __VA_ARGS__);                                    \
    } while (0)

/* malloc family for host bookkeeping. Never abort; NULL on failure. Tests can make the n-th call fail
 * (clary__alloc_fail_at); 0 turns that off. */
void *clary__malloc(size_t bytes);
void *clary__calloc(size_t count, size_t bytes);
void *clary__realloc(void *block, size_t bytes);
char *clary__strdup(const char *text);
void clary__dealloc(void *block);
CLARY_API void clary__alloc_fail_at(int64_t nth);

/* CLARY_LOG is a comma list of topics: "build", "cache", "launch", "memory", "device", "dispatch",
 * "tier", "all". Logging goes to stderr and only when asked for. */
bool clary__log_on(const char *topic);
void clary__log(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* $name, or NULL if unset or empty. */
const char *clary__env(const char *name);
/* Parses "2G", "512M", "64K", "123"; false if it is none of these. */
bool clary__parse_bytes(const char *text, uint64_t *out);

/* FNV-1a 64, for hash tables and file names; equality is always checked on the full key. */
uint64_t clary__hash(const void *data, size_t bytes, uint64_t seed);

/* A growing string. `failed` is set when memory ran out; appends after that do nothing. */
typedef struct clary__text {
    char *data; /* NUL-terminated once anything was appended */
    size_t size, capacity;
    bool failed;
} clary__text;
void clary__text_add(clary__text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void clary__text_free(clary__text *t);

/* "(2, 3)" into buffer; for messages. Returns buffer. */
#define CLARY__SHAPE_TEXT 512
const char *clary__shape_text(int ndim, const int64_t *shape, char buffer[CLARY__SHAPE_TEXT]);

/* float16 / bfloat16 <-> float32, round to nearest even, subnormals kept. */
float clary__f16_to_f32(uint16_t h);
uint16_t clary__f32_to_f16(float f);
uint16_t clary__f64_to_f16(double d); /* rounds once */
float clary__bf16_to_f32(uint16_t h);
uint16_t clary__f32_to_bf16(float f);
uint16_t clary__f64_to_bf16(double d); /* rounds once */

/* dtype helpers. */
static inline bool clary__is_float(clary_dtype t) {
    return t >= CLARY_FLOAT16 && t <= CLARY_FLOAT64;
}
static inline bool clary__is_complex(clary_dtype t) {
    return t >= CLARY_COMPLEX64 && t <= CLARY_COMPLEX128;
}
static inline bool clary__is_signed(clary_dtype t) {
    return t >= CLARY_INT8 && t <= CLARY_INT64;
}
static inline bool clary__is_unsigned(clary_dtype t) {
    return t >= CLARY_UINT8 && t <= CLARY_UINT64;
}
static inline bool clary__is_integer(clary_dtype t) {
    return t >= CLARY_INT8 && t <= CLARY_UINT64;
}
static inline bool clary__is_half(clary_dtype t) {
    return t == CLARY_FLOAT16 || t == CLARY_BFLOAT16;
}
/* The mark of this machine's byte order in NumPy's names of dtypes. */
#define CLARY__NATIVE_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>')
clary_dtype clary__real_of(clary_dtype t); /* complex64 -> float32, complex128 -> float64, else t */
const char *clary__dtype_suffix(clary_dtype t); /* "f32" */

/* Writes a scalar as one element of dtype t (unsafe cast, rounded once). out has room for 16 bytes. */
void clary__scalar_store(clary_scalar s, clary_dtype t, void *out);
/* Reads one element as a scalar of its kind. */
clary_scalar clary__scalar_load(const void *element, clary_dtype t);
/* Whether an integer scalar lies in the range of integer dtype t (true for other kinds or dtypes). */
bool clary__scalar_fits(clary_scalar s, clary_dtype t);

#endif
