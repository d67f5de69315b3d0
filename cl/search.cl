/* search.cl - binary search in the order of Note [Sort order] in src/graph/group.h. A template: the text is
 * used once per type, after prelude.cl, with the macros of complex.cl and math.cl and
 *
 *   S          the type of elements in memory    LOADED(x)  x, an S, as a T
 *
 * A search takes as many steps as the count demands, whatever it finds, and decides by selection: neighbours
 * stay together.
 */

/* Whether x comes before y. */
static inline int FN(before)(T x, T y)
{
#if defined(E) /* complex */
    const int x_class = 2 * (x.x != x.x) + (x.y != x.y), y_class = 2 * (y.x != y.x) + (y.y != y.y);
    if (x_class != y_class) return x_class < y_class;
    return x.x < y.x || (!(y.x < x.x) && x.y < y.y);
#elif defined(DIGITS) /* float */
    return x < y || (x == x && y != y);
#else
    return x < y;
#endif
}

/* Where key belongs among elements [0, count): behind those that come before it, and those equal to it
 * if so asked. */
static inline long FN(search)(const __global S *elements, long count, T key, int behind_equals)
{
#define BEHIND(i)                                                                                  \
    (behind_equals ? !FN(before)(key, LOADED(elements[i])) : FN(before)(LOADED(elements[i]), key))
    long at = 0, left = count; /* the answer is in [at, at + left] */
    while (left > 1) {
        const long skip = left / 2;
        at += BEHIND(at + skip - 1) ? skip : 0;
        left -= skip;
    }
    return left == 1 && BEHIND(at) ? at + 1 : at;
#undef BEHIND
}

