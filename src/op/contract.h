/* contract.h - sums of products over labelled axes: what every matrix and tensor product is.
 *
 * A term is an array whose axes carry labels. Axes of one label run together: within a term they are
 * its diagonal, between terms they meet element by element. A label that the result lacks is summed
 * over.
 */
#ifndef CLARY_OP_CONTRACT_H
#define CLARY_OP_CONTRACT_H
#include "array/array.h"

enum { CLARY__LABELS = 128, CLARY__MAX_TERMS = 64 };

/* Labels are letters, which messages name, or any numbers below 'A'. */
typedef struct clary__term {
    clary_array *a;
    int n; /* a's ndim */
    unsigned char label[CLARY_MAX_NDIM];
} clary__term;

/* Labels the `count` axes from `first` on by their distance from the end: count, ..., 2, 1. */
void clary__label_batch(unsigned char *label, int count);

/* The sum of the product of `count` terms, 1 to CLARY__MAX_TERMS, as an array whose axes are `labels`:
 * distinct ones, each of some term. Extents of a label agree, or are 1 and stretch; within a term they agree.
 * The dtype is the promoted one; bool is or-of-ands; halves are added up in float32 and rounded once.
 * One term of which nothing is summed gives a view. */
clary_status clary__contract(const char *what, int count, const clary__term *terms, int n,
                             const unsigned char *labels, clary_array **out);

#endif
