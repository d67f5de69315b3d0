/* check.cl - indices that must be in range: see Note [Faults] in src/graph/group.h.
 *
 * `fault` is the device's record, struct clary__fault: raised, site, index, extent. Whoever raises it first
 * describes its own fault; the others leave it alone.
 */
static inline long clary_check(__global long *fault, long index, long extent, long site, long instead)
{
    const long i = index < 0 ? index + extent : index;
    if (i >= 0 && i < extent) return i;
    if (atomic_cmpxchg((volatile __global int *)fault, 0, 1) == 0) {
        fault[1] = site;
        fault[2] = index;
        fault[3] = extent;
    }
    return instead;
}

