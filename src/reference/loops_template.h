/* loops_template.h - the loops of ops.def for one dtype at one level. No include guard: included by
 * loops_instance.h, once per level, with
 *
 *   S, T, U, E  suffix, compute type, its unsigned counterpart, its real type
 *   COLUMN      'b', 'i', 'u', 'f' or 'c': which expression of a row
 *   ROUND(v)    rounds a result to the dtype
 *   LEVEL       0 or 1, part of the functions' names
 */

/* One loop. ivdep: r may be the same strip as an argument, and vector code may not care. */
#define LOOP(...) LOOP_(__VA_ARGS__)
#define LOOP_(name, arity, XT, YT, RT, ROUNDED, expression)                                        \
    static void LOOP_NAME(name)(void *rp, const void *xp, const void *yp, const void *zp,          \
                                size_t n) {                                                        \
        typedef RT R;                                                                              \
        R *r = rp;                                                                                 \
        ARGS_##arity(XT, YT);                                                                      \
        _Pragma("GCC ivdep") for (size_t k = 0; k < n; k++) {                                      \
            LOAD_##arity(XT, YT);                                                                  \
            r[k] = (R)ROUNDED(expression);                                                         \
        }                                                                                          \
    }
#define ARGS_1(XT, YT)                                                                             \
    const XT *xs = xp;                                                                             \
    (void)yp, (void)zp
#define ARGS_2(XT, YT)                                                                             \
    const XT *xs = xp;                                                                             \
    const YT *ys = yp;                                                                             \
    (void)zp
#define ARGS_3(XT, YT)                                                                             \
    const XT *xs = xp;                                                                             \
    const YT *ys = yp;                                                                             \
    const T *zs = zp
#define LOAD_1(XT, YT)                                                                             \
    XT x = xs[k];                                                                                  \
    (void)x
#define LOAD_2(XT, YT)                                                                             \
    XT x = xs[k];                                                                                  \
    YT y = ys[k]
#define LOAD_3(XT, YT)                                                                             \
    XT x = xs[k];                                                                                  \
    YT y = ys[k];                                                                                  \
    T z = zs[k]

/* Types of x, y and the result, and whether the result is rounded, by rule. */
#define KEEP(v) (v)
#define RULE_SAME T, T, T, ROUND
#define RULE_FLOAT T, T, T, ROUND
#define RULE_DIVIDE T, T, T, ROUND
#define RULE_FLOAT64 T, T, T, ROUND
#define RULE_REAL T, T, E, ROUND
#define RULE_TEST T, T, uchar, KEEP
#define RULE_F_INT32 T, T, clary_i32, KEEP
#define RULE_F_SHIFT T, clary_i32, T, ROUND
#define RULE_COUNT8 T, T, uchar, KEEP
#define RULE_SELECT uchar, T, T, KEEP
#define RULE_BITS T, T, uint, KEEP

/* The column's expression, or nothing: NA becomes two arguments, so that the third is SKIP. */
#define NA ~, ~
#define THIRD(a, b, c, ...) c
#define EMIT_OR_SKIP(...) THIRD(__VA_ARGS__, SKIP, EMIT, ~)
#define ROW(name, arity, rule, ...) EMIT_OR_SKIP(__VA_ARGS__)(name, arity, rule, __VA_ARGS__)
#define SKIP(...)
#if COLUMN == 'b'
#define CLARY_OP(name, arity, rule, k, id, ulp, domain, b, i, u, f, c, doc)                        \
    ROW(name, arity, rule, b)
#elif COLUMN == 'i'
#define CLARY_OP(name, arity, rule, k, id, ulp, domain, b, i, u, f, c, doc)                        \
    ROW(name, arity, rule, i)
#elif COLUMN == 'u'
#define CLARY_OP(name, arity, rule, k, id, ulp, domain, b, i, u, f, c, doc)                        \
    ROW(name, arity, rule, u)
#elif COLUMN == 'f'
#define CLARY_OP(name, arity, rule, k, id, ulp, domain, b, i, u, f, c, doc)                        \
    ROW(name, arity, rule, f)
#else
#define CLARY_OP(name, arity, rule, k, id, ulp, domain, b, i, u, f, c, doc)                        \
    ROW(name, arity, rule, c)
#endif

#define LOOP_NAME(name) PASTE(PASTE(run_##name, S), LEVEL)
#define EMIT(name, arity, rule, expression) LOOP(name, arity, RULE_##rule, expression)
#include "clary/ops.def"
#undef EMIT

static clary__loop *const PASTE(PASTE(table, S), LEVEL)[CLARY_OP_COUNT] = {
#define EMIT(name, arity, rule, expression) [CLARY_OP_##name] = LOOP_NAME(name),
#include "clary/ops.def"
#undef EMIT
};

#undef CLARY_OP
