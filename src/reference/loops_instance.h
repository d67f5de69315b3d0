/* loops_instance.h - all loops of one dtype: the helpers of cl/, the loops at both levels, the table.
 * No include guard: a file loops_*.c includes it once per dtype, with S, T, U, E, COLUMN and ROUND as
 * loops_template.h says and, for the helpers, SIGNED (integers) or DIGITS (real floats). All of them
 * are undefined again.
 *
 * Level 1 is the same text compiled for x86-64 with AVX2. It gives the same bits: nothing is reordered,
 * and without FMA nothing can be contracted (gcc 12 makes vfmaddsub of complex products, whatever
 * -ffp-contract says).
 */
#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define FN(f) PASTE(f, S)

#if COLUMN == 'i' || COLUMN == 'u'
#include "cl/integer.cl"
#elif COLUMN == 'f'
#include "cl/math.cl"
#elif COLUMN == 'c'
#include "cl/complex.cl"
#endif

#define LEVEL 0
#include "reference/loops_template.h"
#undef LEVEL

#ifdef CLARY__WIDE_VECTORS
#pragma GCC push_options
#pragma GCC target("avx2")
#define LEVEL 1
#include "reference/loops_template.h"
#undef LEVEL
#pragma GCC pop_options
#define WIDE_TABLE PASTE(PASTE(table, S), 1)
#else
#define WIDE_TABLE PASTE(PASTE(table, S), 0)
#endif

const clary__loop_tables PASTE(clary__loops, S) = {PASTE(PASTE(table, S), 0), WIDE_TABLE};

#undef WIDE_TABLE
#undef S
#undef T
#undef U
#undef E
#undef COLUMN
#undef ROUND
#undef SIGNED
#undef DIGITS
