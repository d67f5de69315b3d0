/* loops_integer.c - the reference loops of bool and the integer dtypes. */
#include "reference/loops.h"
#include "cl/prelude.cl"

#define S b8
#define T clary_b8
#define U clary_u8
#define E clary_b8
#define COLUMN 'b'
#define ROUND(v) (v)
#include "reference/loops_instance.h"

#define S i8
#define T clary_i8
#define U clary_u8
#define E clary_i8
#define COLUMN 'i'
#define ROUND(v) (v)
#define SIGNED 1
#include "reference/loops_instance.h"

#define S i16
#define T clary_i16
#define U clary_u16
#define E clary_i16
#define COLUMN 'i'
#define ROUND(v) (v)
#define SIGNED 1
#include "reference/loops_instance.h"

#define S i32
#define T clary_i32
#define U clary_u32
#define E clary_i32
#define COLUMN 'i'
#define ROUND(v) (v)
#define SIGNED 1
#include "reference/loops_instance.h"

#define S i64
#define T clary_i64
#define U clary_u64
#define E clary_i64
#define COLUMN 'i'
#define ROUND(v) (v)
#define SIGNED 1
#include "reference/loops_instance.h"

#define S u8
#define T clary_u8
#define U clary_u8
#define E clary_u8
#define COLUMN 'u'
#define ROUND(v) (v)
#define SIGNED 0
#include "reference/loops_instance.h"

#define S u16
#define T clary_u16
#define U clary_u16
#define E clary_u16
#define COLUMN 'u'
#define ROUND(v) (v)
#define SIGNED 0
#include "reference/loops_instance.h"

#define S u32
#define T clary_u32
#define U clary_u32
#define E clary_u32
#define COLUMN 'u'
#define ROUND(v) (v)
#define SIGNED 0
#include "reference/loops_instance.h"

#define S u64
#define T clary_u64
#define U clary_u64
#define E clary_u64
#define COLUMN 'u'
#define ROUND(v) (v)
#define SIGNED 0
#include "reference/loops_instance.h"
