/* einsum.c - Einstein's summation convention: reads the subscripts, labels the axes by their letters
 * and contracts. An ellipsis' axes are labelled by their distance from its end, so that they
 * broadcast. */
#include "clary/linalg.h"
#include "op/contract.h"
#include <ctype.h>
#include <string.h>

/* One comma-separated piece: its letters, and where among them the ellipsis stands (-1: nowhere). */
typedef struct piece {
    unsigned char letter[CLARY_MAX_NDIM];
    int n, ellipsis;
} piece;

/* Reads from *text up to a comma, an arrow or the end, which *text is left at. */
static clary_status read_piece(const char **text, piece *out) {
    out->n = 0;
    out->ellipsis = -1;
    for (const char *s = *text;; s++) {
        if (*s == '\0' || *s == ',' || *s == '-') {
            *text = s;
            return CLARY_OK;
        }
        if (*s == ' ') continue;
        if (*s == '.') {
            FAIL_IF(strncmp(s, "...", 3) || out->ellipsis >= 0, CLARY_INVALID_ARGUMENT,
                    "einsum: the subscripts have a '.' that is not part of an ellipsis, or two "
                    "ellipses in one operand");
            out->ellipsis = out->n;
            s += 2;
            continue;
        }
        FAIL_IF(!isalpha((unsigned char)*s), CLARY_INVALID_ARGUMENT,
                "einsum: '%c' in the subscripts is not a letter", *s);
        FAIL_IF(out->n == CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
                "einsum: more than %d subscripts in a row", CLARY_MAX_NDIM);
        out->letter[out->n++] = (unsigned char)*s;
    }
}

/* The piece's letters with `stretch` axes for its ellipsis; *n of them, at most 2 * CLARY_MAX_NDIM. */
static int write_labels(const piece *p, int stretch, unsigned char *labels) {
    int before = p->ellipsis < 0 ? p->n : p->ellipsis;
    if (p->ellipsis < 0) stretch = 0;
    memcpy(labels, p->letter, (size_t)before);
    clary__label_batch(labels + before, stretch);
    memcpy(labels + before + stretch, p->letter + before, (size_t)(p->n - before));
    return p->n + stretch;
}

/* The result of an implicit expression: the ellipsis, then the letters met once, sorted. */
static clary_status implicit_result(const int *met, piece *out) {
    out->n = out->ellipsis = 0;
    for (int letter = 'A'; letter <= 'z'; letter++) {
        if (met[letter] != 1) continue;
        FAIL_IF(out->n == CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT,
                "einsum: the result would have more than %d axes", CLARY_MAX_NDIM);
        out->letter[out->n++] = (unsigned char)letter;
    }
    return CLARY_OK;
}

static clary_status explicit_result(const char *text, const int *met, piece *out) {
    FAIL_IF(strncmp(text, "->", 2), CLARY_INVALID_ARGUMENT,
            "einsum: a '-' in the subscripts is not part of '->'");
    text += 2;
    TRY(read_piece(&text, out));
    FAIL_IF(*text, CLARY_INVALID_ARGUMENT, "einsum: '%c' after the result's subscripts", *text);
    for (int i = 0; i < out->n; i++) {
        unsigned char letter = out->letter[i];
        FAIL_IF(!met[letter], CLARY_INVALID_ARGUMENT,
                "einsum: the result's subscript '%c' is in no operand", letter);
        FAIL_IF(memchr(out->letter, letter, (size_t)i), CLARY_INVALID_ARGUMENT,
                "einsum: the result has the subscript '%c' twice", letter);
    }
    return CLARY_OK;
}

clary_status clary_einsum(const char *subscripts, int count, clary_array *const *operands,
                          clary_array **out) {
    clary__term terms[CLARY__MAX_TERMS];
    unsigned char labels[2 * CLARY_MAX_NDIM];
    int met[CLARY__LABELS] = {0}, batch = 0;
    char text[CLARY__SHAPE_TEXT];
    const char *at = subscripts;
    piece p;
    *out = NULL;
    FAIL_IF(count < 1 || count > CLARY__MAX_TERMS, CLARY_INVALID_ARGUMENT,
            "einsum: %d operands; there may be 1 to %d", count, CLARY__MAX_TERMS);
    for (int i = 0; i < count; i++) {
        clary_array *a = operands[i];
        TRY(read_piece(&at, &p));
        FAIL_IF((*at == ',') != (i + 1 < count), CLARY_INVALID_ARGUMENT,
                "einsum: '%s' does not have subscripts for %d operands", subscripts, count);
        at += *at == ',';
        int stretch = a->ndim - p.n;
        FAIL_IF(stretch < 0 || (stretch > 0 && p.ellipsis < 0), CLARY_INVALID_ARGUMENT,
                "einsum: %d subscripts for operand %d of shape %s", p.n, i,
                clary__shape_text(a->ndim, a->geometry, text));
        for (int k = 0; k < p.n; k++) met[p.letter[k]]++;
        batch = stretch > batch ? stretch : batch;
        terms[i].a = a;
        terms[i].n = write_labels(&p, stretch, terms[i].label);
    }
    TRY(*at ? explicit_result(at, met, &p) : implicit_result(met, &p));
    FAIL_IF(
        batch && p.ellipsis < 0, CLARY_INVALID_ARGUMENT,
        "einsum: the result needs an ellipsis for the axes that the operands' ellipses stand for");
    int n = write_labels(&p, batch, labels);
    FAIL_IF(n > CLARY_MAX_NDIM, CLARY_INVALID_ARGUMENT, "einsum: the result would have %d axes", n);
    return clary__contract("einsum", count, terms, n, labels, out);
}
