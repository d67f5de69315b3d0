/* npyheader.c - see npyheader.h. A cursor walks over the text; every step is checked against its
 * end.
 *
 * The text is data, never code: the grammar below is all that is understood. There is no recursion
 * and no nesting, hence no input that costs more than its length.
 *
 *     text  = '{' [ entry { ',' entry } [ ',' ] ] '}'        spaces and newlines between any two
 * tokens entry = "'descr'" ':' string  |  "'fortran_order'" ':' ( True | False ) | "'shape'" ':'
 * tuple                            each exactly once, in any order tuple = '(' ')'  |  '(' integer
 * ',' ')'  |  '(' integer { ',' integer } [ ',' ] ')'
 */
#include "core/npyheader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

static clary_status bad(const char *reason) {
    return clary__fail(CLARY_BAD_FORMAT, "not a readable .npy header: %s", reason);
}

/* ---- the binary prefix ---- */

/* The length of everything before the text, by version; 0 if the version is unknown. */
static size_t text_offset(const uint8_t *p) {
    if (p[7] != 0) return 0;
    return p[6] == 1 ? 10 : p[6] == 2 || p[6] == 3 ? 12 : 0;
}

clary_status clary__npy_header_size(const void *prefix, size_t *header_bytes) {
    const uint8_t *p = prefix;
    FAIL_IF(memcmp(p, magic, sizeof magic), CLARY_BAD_FORMAT,
            "not a .npy file: it does not begin with \\x93NUMPY");
    const size_t offset = text_offset(p);
    FAIL_IF(!offset, CLARY_BAD_FORMAT, ".npy version %d.%d is unknown; 1.0, 2.0 and 3.0 are read",
            p[6], p[7]);
    uint32_t length = p[8] | (uint32_t)p[9] << 8;
    if (offset == 12) length |= (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
    FAIL_IF(length > CLARY__NPY_TEXT_LIMIT, CLARY_BAD_FORMAT,
            "the .npy header claims %" PRIu32 " characters; at most %d are read", length,
            CLARY__NPY_TEXT_LIMIT);
    *header_bytes = offset + length;
    return CLARY_OK;
}

/* ---- the text ---- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c) {
    while (c->at < c->end && strchr(" \t\n\r", *c->at) && *c->at) c->at++;
}

/* The next character that is not space, without taking it; '\0' at the end. */
static char peek(cursor *c) {
    skip_space(c);
    return c->at < c->end ? *c->at : '\0';
}

static bool take(cursor *c, char wanted) {
    if (peek(c) != wanted || c->at == c->end) return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    const size_t length = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length)) return false;
    c->at += length;
    return true;
}

/* A quoted string of printable ASCII without escapes, shorter than `room`. */
static bool take_string(cursor *c, char *out, size_t room) {
    const char quote = peek(c);
    if (quote != '\'' && quote != '"') return false;
    size_t length = 0;
    for (c->at++; c->at < c->end && *c->at != quote; c->at++) {
        if (*c->at < ' ' || *c->at > '~' || *c->at == '\\' || length + 1 >= room) return false;
        out[length++] = *c->at;
    }
    if (c->at == c->end) return false;
    c->at++;
    out[length] = '\0';
    return true;
}

/* A decimal number without sign or leading zeros, with the L that Python 2 wrote. */
static bool take_integer(cursor *c, int64_t *out) {
    skip_space(c);
    const char *start = c->at;
    int64_t value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const int digit = *c->at - '0';
        if (value > (INT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (c->at == start || (*start == '0' && c->at - start > 1)) return false;
    if (c->at < c->end && *c->at == 'L') c->at++;
    *out = value;
    return true;
}

static clary_status parse_descr(cursor *c, clary__npy_header *h) {
    char descr[32];
    const char first = peek(c);
    if (first == '[' || first == '{' || first == '(') {
        return bad("structured dtypes (records) are not supported");
    }
    if (!take_string(c, descr, sizeof descr)) return bad("'descr' is not a short plain string");
    const char order = strchr("<>|=", descr[0]) && descr[0] ? descr[0] : '=';
    const char *code = descr + (order == descr[0]);
    switch (*code) {
    case 'O': return bad("object arrays hold pickled Python objects and are never loaded");
    case 'S':
    case 'a':
    case 'U': return bad("arrays of strings are not supported");
    case 'M':
    case 'm': return bad("dates and time differences are not supported");
    default: break;
    }
    static const struct {
        const char *code;
        clary_dtype dtype;
    } codes[] = {
        {"b1", CLARY_BOOL},      {"i1", CLARY_INT8},        {"i2", CLARY_INT16},
        {"i4", CLARY_INT32},     {"i8", CLARY_INT64},       {"u1", CLARY_UINT8},
        {"u2", CLARY_UINT16},    {"u4", CLARY_UINT32},      {"u8", CLARY_UINT64},
        {"f2", CLARY_FLOAT16},   {"f4", CLARY_FLOAT32},     {"f8", CLARY_FLOAT64},
        {"c8", CLARY_COMPLEX64}, {"c16", CLARY_COMPLEX128}, {"V2", CLARY_BFLOAT16},
    };
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        if (strcmp(code, codes[k].code)) continue;
        h->dtype = codes[k].dtype;
        h->raw = *code == 'V';
        h->swapped = (order == '<' || order == '>') && order != CLARY__NATIVE_ORDER;
        return CLARY_OK;
    }
    return clary__fail(CLARY_BAD_FORMAT, "not a readable .npy header: dtype '%s' is not supported",
                       descr);
}

static clary_status parse_order(cursor *c, clary__npy_header *h) {
    h->fortran = take_word(c, "True");
    if (!h->fortran && !take_word(c, "False"))
        return bad("'fortran_order' is neither True nor False");
    return CLARY_OK;
}

static clary_status parse_shape(cursor *c, clary__npy_header *h) {
    h->ndim = 0;
    if (!take(c, '(')) return bad("'shape' is not a tuple");
    bool comma = true; /* an extent may follow */
    while (!take(c, ')')) {
        if (!comma) return bad("',' or ')' expected in 'shape'");
        if (h->ndim == CLARY_MAX_NDIM) return bad("more than 32 axes");
        if (!take_integer(c, &h->shape[h->ndim])) {
            return bad("an extent in 'shape' is not a plain integer of at most 63 bits");
        }
        h->ndim++;
        comma = take(c, ',');
    }
    if (h->ndim == 1 && !comma) return bad("'shape' is a number in brackets, not a tuple");
    return CLARY_OK;
}

static clary_status parse_dictionary(cursor *c, clary__npy_header *h) {
    static const struct {
        const char *key;
        clary_status (*parse)(cursor *, clary__npy_header *);
    } entries[3] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    unsigned seen = 0;
    if (!take(c, '{')) return bad("it is not a dictionary");
    bool comma = true; /* an entry may follow */
    while (!take(c, '}')) {
        char key[16];
        int which = 0;
        if (!comma) return bad("',' or '}' expected after an entry");
        if (!take_string(c, key, sizeof key)) return bad("a key is not a short plain string");
        while (which < 3 && strcmp(key, entries[which].key)) which++;
        if (which == 3) return bad("a key is none of 'descr', 'fortran_order', 'shape'");
        if (seen & 1u << which) return bad("a key is given twice");
        seen |= 1u << which;
        if (!take(c, ':')) return bad("':' expected after a key");
        TRY(entries[which].parse(c, h));
        comma = take(c, ',');
    }
    skip_space(c);
    if (c->at != c->end) return bad("something follows the dictionary");
    if (seen != 7) return bad("'descr', 'fortran_order' or 'shape' is missing");
    return CLARY_OK;
}

/* An extent of 0 does not excuse the others: their product must be addressable, as in NumPy. */
static clary_status measure(clary__npy_header *h) {
    int64_t bytes = (int64_t)clary_dtype_size(h->dtype);
    bool empty = false;
    for (int k = 0; k < h->ndim; k++) {
        if (h->shape[k] == 0) {
            empty = true;
        } else if (__builtin_mul_overflow(bytes, h->shape[k], &bytes)) {
            return bad("the array would have more than 2^63 bytes");
        }
    }
    h->data_bytes = empty ? 0 : (uint64_t)bytes;
    return CLARY_OK;
}

clary_status clary__npy_parse(const void *block, size_t bytes, clary__npy_header *out) {
    clary__npy_header h = {0};
    if (bytes < CLARY__NPY_PREFIX) return bad("the file ends inside it");
    TRY(clary__npy_header_size(block, &h.header_bytes));
    if (bytes < h.header_bytes) return bad("the file ends inside it");
    cursor c = {(const char *)block + text_offset(block), (const char *)block + h.header_bytes};
    TRY(parse_dictionary(&c, &h));
    TRY(measure(&h));
    *out = h;
    return CLARY_OK;
}

/* ---- writing ---- */

size_t clary__npy_write(clary_dtype dtype, int ndim, const int64_t *shape,
                        char buffer[CLARY__NPY_WRITE_MAX]) {
    enum { PREFIX = 10 };
    const int size = (int)clary_dtype_size(dtype);
    char *text = buffer + PREFIX;
    const size_t room = CLARY__NPY_WRITE_MAX - PREFIX;
    int used = snprintf(text, room, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                        size == 1 ? '|' : CLARY__NATIVE_ORDER,
                        dtype == CLARY_BFLOAT16 ? 'V' : clary_dtype_kind(dtype), size);
    for (int k = 0; k < ndim; k++) {
        used += snprintf(text + used, room - (size_t)used, "%s%" PRId64, k ? ", " : "", shape[k]);
    }
    used += snprintf(text + used, room - (size_t)used, ndim == 1 ? ",), }" : "), }");
    const size_t total = ((size_t)used + PREFIX + 1 + 63) / 64 * 64;
    memset(text + used, ' ', total - PREFIX - (size_t)used);
    buffer[total - 1] = '\n';
    memcpy(buffer, magic, sizeof magic);
    buffer[6] = 1;
    buffer[7] = 0;
    buffer[8] = (char)((total - PREFIX) & 0xff);
    buffer[9] = (char)((total - PREFIX) >> 8);
    return total;
}
