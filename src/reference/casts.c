/* casts.c - a loop for every pair of dtypes: group.h's Note [Casts].
 *
 * VALUE_<from><to>(fs, ts, v) is the conversion between two kinds: b bool, i integer, f float32 and
 * float64, h the halves (floats in a strip), c complex; fs and ts are the suffixes.
 */
#include "reference/loops.h"
#include "cl/prelude.cl"

/* A real value as a float that keeps what rounding to a half needs: Note [Round to odd]. */
#define ODD_b8(v) (float)(v)
#define ODD_i8(v) (float)(v)
#define ODD_i16(v) (float)(v)
#define ODD_i32(v) clary_odd_f32_i64(v)
#define ODD_i64(v) clary_odd_f32_i64(v)
#define ODD_u8(v) (float)(v)
#define ODD_u16(v) (float)(v)
#define ODD_u32(v) clary_odd_f32_u64(v)
#define ODD_u64(v) clary_odd_f32_u64(v)
#define ODD_f16(v) (v)
#define ODD_bf16(v) (v)
#define ODD_f32(v) (v)
#define ODD_f64(v) clary_odd_f32_f64(v)
#define ODD_c64(v) (v).x
#define ODD_c128(v) clary_odd_f32_f64((v).x)
#define PART_c64 f32
#define PART_c128 f64

#define FROM3(ts, fs) clary_##ts##_from_##fs
#define FROM2(ts, fs) FROM3(ts, fs)

#define VALUE_bb(fs, ts, v) (v)
#define VALUE_ib(fs, ts, v) (v) != 0
#define VALUE_fb(fs, ts, v) (v) != 0
#define VALUE_hb(fs, ts, v) (v) != 0
#define VALUE_cb(fs, ts, v) (v).x != 0 || (v).y != 0
#define VALUE_bi(fs, ts, v) (clary_##ts)(v)
#define VALUE_ii(fs, ts, v) (clary_##ts)(v)
#define VALUE_fi(fs, ts, v) clary_##ts##_from_##fs(v)
#define VALUE_hi(fs, ts, v) clary_##ts##_from_f32(v)
#define VALUE_ci(fs, ts, v) FROM2(ts, PART_##fs)((v).x)
#define VALUE_bf(fs, ts, v) (clary_##ts)(v)
#define VALUE_if(fs, ts, v) (clary_##ts)(v)
#define VALUE_ff(fs, ts, v) (clary_##ts)(v)
#define VALUE_hf(fs, ts, v) (clary_##ts)(v)
#define VALUE_cf(fs, ts, v) (clary_##ts)(v).x
#define VALUE_bh(fs, ts, v) (float)(v)
#define VALUE_ih(fs, ts, v) clary_round_##ts(ODD_##fs(v))
#define VALUE_fh(fs, ts, v) clary_round_##ts(ODD_##fs(v))
#define VALUE_hh(fs, ts, v) clary_round_##ts(v)
#define VALUE_ch(fs, ts, v) clary_round_##ts(ODD_##fs(v))
#define VALUE_bc(fs, ts, v)                                                                        \
    { (v), 0 }
#define VALUE_ic(fs, ts, v)                                                                        \
    { (v), 0 }
#define VALUE_fc(fs, ts, v)                                                                        \
    { (v), 0 }
#define VALUE_hc(fs, ts, v)                                                                        \
    { (v), 0 }
#define VALUE_cc(fs, ts, v)                                                                        \
    { (v).x, (v).y }

#define CAST(fs, fk, ts, tk)                                                                       \
    static void fs##_to_##ts(void *rp, const void *xp, size_t n) {                                 \
        clary_##ts *r = rp;                                                                        \
        const clary_##fs *x = xp;                                                                  \
        _Pragma("GCC ivdep") for (size_t k = 0; k < n; k++) {                                      \
            clary_##ts value = VALUE_##fk##tk(fs, ts, x[k]);                                       \
            r[k] = value;                                                                          \
        }                                                                                          \
    }
/* clang-format off */
#define FROM_EACH(M, ts, tk)                                                                       \
    M(b8, b, ts, tk)                                                                               \
    M(i8, i, ts, tk) M(i16, i, ts, tk) M(i32, i, ts, tk) M(i64, i, ts, tk) M(u8, i, ts, tk)        \
        M(u16, i, ts, tk) M(u32, i, ts, tk) M(u64, i, ts, tk) M(f16, h, ts, tk) M(bf16, h, ts, tk) \
            M(f32, f, ts, tk) M(f64, f, ts, tk) M(c64, c, ts, tk) M(c128, c, ts, tk)
#define TO_EACH(M, ROW)                                                                            \
    ROW(M, b8, b)                                                                                  \
    ROW(M, i8, i) ROW(M, i16, i) ROW(M, i32, i) ROW(M, i64, i) ROW(M, u8, i) ROW(M, u16, i)        \
        ROW(M, u32, i) ROW(M, u64, i) ROW(M, f16, h) ROW(M, bf16, h) ROW(M, f32, f) ROW(M, f64, f) \
            ROW(M, c64, c) ROW(M, c128, c)
/* clang-format on */

TO_EACH(CAST, FROM_EACH)

#define ENTRY(fs, fk, ts, tk) fs##_to_##ts,
#define ENTRIES(M, ts, tk) {FROM_EACH(M, ts, tk)},

static clary__cast_loop *const casts[CLARY_DTYPE_COUNT][CLARY_DTYPE_COUNT] = {
    TO_EACH(ENTRY, ENTRIES)};

clary__cast_loop *clary__find_cast(clary_dtype from, clary_dtype to) {
    return casts[to][from];
}
