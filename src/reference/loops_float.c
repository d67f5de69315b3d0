/* loops_float.c - the reference loops of the real floating dtypes; halves compute as float. */
#include "reference/loops.h"
#include "cl/prelude.cl"

#define S f16
#define T float
#define U clary_u32
#define E float
#define COLUMN 'f'
#define ROUND(v) clary_round_f16(v)
#define DIGITS 11
#include "reference/loops_instance.h"

#define S bf16
#define T float
#define U clary_u32
#define E float
#define COLUMN 'f'
#define ROUND(v) clary_round_bf16(v)
#define DIGITS 8
#include "reference/loops_instance.h"

#define S f32
#define T float
#define U clary_u32
#define E float
#define COLUMN 'f'
#define ROUND(v) (v)
#define DIGITS 24
#include "reference/loops_instance.h"

#define S f64
#define T double
#define U clary_u64
#define E double
#define COLUMN 'f'
#define ROUND(v) (v)
#define DIGITS 53
#include "reference/loops_instance.h"
