/* loops_complex.c - the reference loops of the complex dtypes. */
#include "reference/loops.h"
#include "cl/prelude.cl"

#define S c64
#define T clary_c64

#define E float
#define COLUMN 'c'
#define ROUND(v) (v)
#include "reference/loops_instance.h"

#define S c128
#define T clary_c128

#define E double
#define COLUMN 'c'
#define ROUND(v) (v)
#include "reference/loops_instance.h"
