/* fft_template.h - the passes of fft.c, for T float or double; NAME(x) names what is of that type.
 *
 * A tile holds `lanes` transforms as planes of real and imaginary parts, element k of lane b at
 * k * lanes + b. Each pass of Stockham's algorithm (van Loan, Computational Frameworks for the FFT, 1.7)
 * reads one pair of planes and writes another, in natural order at the end. The inverse transform is the
 * forward one with both planes exchanged, at entry and exit.
 */

typedef struct NAME(pass) {
    int radix;
    int64_t m; /* what is left of the length behind this pass */
    T *w; /* w[2 * ((j - 1) * m + p)]: real parts first, then imaginary: (radix - 1) * m each */
    T unit[2 * WIDE]; /* cosines, then sines of the radix-th roots of one */
} NAME(pass);

typedef struct NAME(plan) {
    int64_t n, work; /* length; elements of a plane for one lane */
    size_t bytes;    /* of the tables */
    int passes;
    NAME(pass) pass[MAX_PASSES];
    /* Bluestein: other lengths as a convolution of length inner->n. */
    struct NAME(plan) * inner;
    T *chirp, *kernel; /* n and inner->n real parts, then as many imaginary ones */
} NAME(plan);

static void NAME(plan_free)(NAME(plan) * plan) {
    if (!plan) return;
    for (int i = 0; i < plan->passes; i++) clary__dealloc(plan->pass[i].w);
    clary__dealloc(plan->chirp);
    clary__dealloc(plan->kernel);
    NAME(plan_free)(plan->inner);
    clary__dealloc(plan);
}

/* One butterfly: radix elements from `in`, `is` apart, to `out`, `os` apart; twiddles ws apart. */
static inline __attribute__((always_inline)) void
NAME(cell)(int r, const T *unit, const T *restrict xr, const T *restrict xi, int64_t is,
           T *restrict yr, T *restrict yi, int64_t os, const T *wr, const T *wi, int64_t ws) {
    T outr[WIDE], outi[WIDE];
    if (r == 2) {
        outr[0] = xr[0] + xr[is], outi[0] = xi[0] + xi[is];
        outr[1] = xr[0] - xr[is], outi[1] = xi[0] - xi[is];
    } else if (r == 4) {
        T ar = xr[0] + xr[2 * is], ai = xi[0] + xi[2 * is];
        T br = xr[0] - xr[2 * is], bi = xi[0] - xi[2 * is];
        T cr = xr[is] + xr[3 * is], ci = xi[is] + xi[3 * is];
        T dr = xr[is] - xr[3 * is], di = xi[is] - xi[3 * is];
        outr[0] = ar + cr, outi[0] = ai + ci;
        outr[1] = br + di, outi[1] = bi - dr;
        outr[2] = ar - cr, outi[2] = ai - ci;
        outr[3] = br - di, outi[3] = bi + dr;
    } else { /* odd: elements k and r - k together */
        T pr[WIDE / 2 + 1], pi[WIDE / 2 + 1], mr[WIDE / 2 + 1], mi[WIDE / 2 + 1];
        T sumr = xr[0], sumi = xi[0];
        for (int k = 1; k <= r / 2; k++) {
            pr[k] = xr[k * is] + xr[(r - k) * is], pi[k] = xi[k * is] + xi[(r - k) * is];
            mr[k] = xr[k * is] - xr[(r - k) * is], mi[k] = xi[k * is] - xi[(r - k) * is];
            sumr += pr[k], sumi += pi[k];
        }
        outr[0] = sumr, outi[0] = sumi;
        for (int j = 1; j <= r / 2; j++) {
            T ar = xr[0], ai = xi[0], br = 0, bi = 0;
            for (int k = 1; k <= r / 2; k++) {
                T c = unit[j * k % r], s = unit[WIDE + j * k % r];
                ar += c * pr[k], ai += c * pi[k];
                br += s * mi[k], bi += s * mr[k];
            }
            outr[j] = ar + br, outi[j] = ai - bi;
            outr[r - j] = ar - br, outi[r - j] = ai + bi;
        }
    }
    yr[0] = outr[0], yi[0] = outi[0];
    for (int j = 1; j < r; j++) {
        T c = wr[(j - 1) * ws], s = wi[(j - 1) * ws];
        yr[j * os] = outr[j] * c - outi[j] * s;
        yi[j * os] = outr[j] * s + outi[j] * c;
    }
}

static inline __attribute__((always_inline)) void NAME(run_pass)(int r, const NAME(pass) * pass,
                                                                 int64_t s, const T *restrict xr,
                                                                 const T *restrict xi,
                                                                 T *restrict yr, T *restrict yi) {
    int64_t m = pass->m;
    const T *wr = pass->w, *wi = wr + (r - 1) * m;
    if (s >= 8 || m < 8) {
        for (int64_t p = 0; p < m; p++)
            for (int64_t q = 0; q < s; q++) NAME(cell)
        (r, pass->unit, xr + q + s * p, xi + q + s * p, s * m, yr + q + s * r * p,
         yi + q + s * r * p, s, wr + p, wi + p, m);
    } else {
        for (int64_t q = 0; q < s; q++)
            for (int64_t p = 0; p < m; p++) NAME(cell)
        (r, pass->unit, xr + q + s * p, xi + q + s * p, s * m, yr + q + s * r * p,
         yi + q + s * r * p, s, wr + p, wi + p, m);
    }
}

/* The planes in t[0], t[1], by way of t[2], t[3]: pointers are exchanged so that the result is in the first. */
static void NAME(smooth)(const NAME(plan) * plan, int64_t lanes, T **t) {
    int64_t s = lanes;
    for (int i = 0; i < plan->passes; i++) {
        const NAME(pass) *p = &plan->pass[i];
        switch (p->radix) {
        case 2: NAME(run_pass)(2, p, s, t[0], t[1], t[2], t[3]); break;
        case 3: NAME(run_pass)(3, p, s, t[0], t[1], t[2], t[3]); break;
        case 4: NAME(run_pass)(4, p, s, t[0], t[1], t[2], t[3]); break;
        case 5: NAME(run_pass)(5, p, s, t[0], t[1], t[2], t[3]); break;
        case 7: NAME(run_pass)(7, p, s, t[0], t[1], t[2], t[3]); break;
        default: NAME(run_pass)(p->radix, p, s, t[0], t[1], t[2], t[3]);
        }
        s *= p->radix;
        T *r = t[0], *im = t[1];
        t[0] = t[2], t[1] = t[3], t[2] = r, t[3] = im;
    }
}

static void NAME(exchange)(T **t) {
    T *r = t[0];
    t[0] = t[1], t[1] = r;
}

/* (re, im)[k] *= (c, s)[k], for all lanes. */
static void NAME(multiply)(int64_t count, int64_t lanes, T *re, T *im, const T *c, const T *s) {
    for (int64_t k = 0; k < count; k++)
        for (int64_t b = k * lanes; b < (k + 1) * lanes; b++) {
            T r = re[b] * c[k] - im[b] * s[k];
            im[b] = re[b] * s[k] + im[b] * c[k];
            re[b] = r;
        }
}

static void NAME(forward)(const NAME(plan) * plan, int64_t lanes, T **t) {
    const NAME(plan) *inner = plan->inner;
    if (!inner) {
        NAME(smooth)(plan, lanes, t);
        return;
    }
    NAME(multiply)(plan->n, lanes, t[0], t[1], plan->chirp, plan->chirp + plan->n);
    size_t rest = (size_t)((inner->n - plan->n) * lanes) * sizeof(T);
    memset(t[0] + plan->n * lanes, 0, rest);
    memset(t[1] + plan->n * lanes, 0, rest);
    NAME(smooth)(inner, lanes, t);
    NAME(multiply)(inner->n, lanes, t[0], t[1], plan->kernel, plan->kernel + inner->n);
    NAME(exchange)(t);
    NAME(smooth)(inner, lanes, t);
    NAME(exchange)(t);
    NAME(multiply)(plan->n, lanes, t[0], t[1], plan->chirp, plan->chirp + plan->n);
}

static NAME(plan) * NAME(plan_new)(int64_t n);

static bool NAME(plan_passes)(NAME(plan) * plan, const int *radices, int count) {
    int64_t left = plan->n;
    plan->work = plan->n;
    for (int i = 0; i < count; i++) {
        int r = radices[i];
        NAME(pass) *p = &plan->pass[i];
        int64_t step = plan->n / left, m = left / r;
        size_t entries = (size_t)((r - 1) * m);
        p->radix = r;
        p->m = m;
        p->w = clary__malloc(2 * entries * sizeof(T));
        if (!p->w) return false;
        plan->passes = i + 1;
        plan->bytes += 2 * entries * sizeof(T);
        for (int k = 0; k < r; k++) {
            complex_double u = root(k, r);
            p->unit[k] = (T)u.re;
            p->unit[WIDE + k] = (T)-u.im;
        }
        for (int j = 1; j < r; j++)
            for (int64_t k = 0; k < m; k++) {
                complex_double u = root(j * k * step, plan->n);
                p->w[(j - 1) * m + k] = (T)u.re;
                p->w[(size_t)((j - 1) * m + k) + entries] = (T)u.im;
            }
        left = m;
    }
    return true;
}

/* Bluestein, A linear filtering approach to the computation of the discrete Fourier transform (1970). */
static bool NAME(plan_chirp)(NAME(plan) * plan) {
    int64_t n = plan->n, length = smooth_above(2 * n - 1);
    NAME(plan) *inner = plan->inner = NAME(plan_new)(length);
    T *space = clary__calloc(4 * (size_t)length, sizeof(T));
    plan->chirp = clary__malloc(2 * (size_t)n * sizeof(T));
    plan->kernel = clary__malloc(2 * (size_t)length * sizeof(T));
    if (!inner || !space || !plan->chirp || !plan->kernel) {
        clary__dealloc(space);
        return false;
    }
    plan->work = length;
    plan->bytes = inner->bytes + 2 * (size_t)(n + length) * sizeof(T);
    T *t[4] = {space, space + length, space + 2 * length, space + 3 * length};
    int64_t square = 0; /* k * k modulo 2 n */
    for (int64_t k = 0; k < n; k++) {
        complex_double u = root(square, 2 * n);
        plan->chirp[k] = (T)u.re;
        plan->chirp[n + k] = (T)u.im;
        int64_t mirror = k ? length - k : 0;
        t[0][k] = t[0][mirror] = (T)(u.re / (double)length);
        t[1][k] = t[1][mirror] = (T)(-u.im / (double)length);
        square = (square + 2 * k + 1) % (2 * n);
    }
    NAME(smooth)(inner, 1, t);
    memcpy(plan->kernel, t[0], (size_t)length * sizeof(T));
    memcpy(plan->kernel + length, t[1], (size_t)length * sizeof(T));
    clary__dealloc(space);
    return true;
}

static NAME(plan) * NAME(plan_new)(int64_t n) {
    NAME(plan) *plan = clary__calloc(1, sizeof *plan);
    int radices[MAX_PASSES], count = factor(n, radices);
    if (!plan) return NULL;
    plan->n = n;
    if (count >= 0 ? NAME(plan_passes)(plan, radices, count) : NAME(plan_chirp)(plan)) return plan;
    NAME(plan_free)(plan);
    return NULL;
}

/* The last plans. Used under the engine lock. */
static struct {
    NAME(plan) * plan;
    uint64_t used;
} NAME(kept)[PLANS];

static NAME(plan) * NAME(plan_for)(int64_t n) {
    static uint64_t now;
    int oldest = 0;
    size_t bytes = 0;
    for (int i = 0; i < PLANS; i++) {
        NAME(plan) *p = NAME(kept)[i].plan;
        if (p && p->n == n) {
            NAME(kept)[i].used = ++now;
            return p;
        }
        bytes += p ? p->bytes : 0;
        if (NAME(kept)[i].used < NAME(kept)[oldest].used) oldest = i;
    }
    for (int i = 0; i < PLANS && bytes > PLAN_BYTES; i++) {
        NAME(plan_free)(NAME(kept)[i].plan);
        NAME(kept)[i].plan = NULL;
        NAME(kept)[i].used = 0;
    }
    NAME(plan) *plan = NAME(plan_new)(n);
    if (!plan) return NULL;
    NAME(plan_free)(NAME(kept)[oldest].plan);
    NAME(kept)[oldest].plan = plan;
    NAME(kept)[oldest].used = ++now;
    return plan;
}

static __attribute__((destructor)) void NAME(forget_plans)(void) {
    for (int i = 0; i < PLANS; i++) {
        NAME(plan_free)(NAME(kept)[i].plan);
        NAME(kept)[i].plan = NULL;
    }
}

/* ---- one tile: transforms first .. first + lanes - 1 ---- */

static void NAME(tile)(const job *j, int64_t first, int64_t lanes, T **t) {
    const clary__fft *f = j->fft;
    const NAME(plan) *plan = j->plan;
    int64_t n = f->length, terms = n / 2 + 1, h = plan->n, inner = f->inner;
    int64_t in = f->kind == CLARY__FFT_HERMITIAN ? terms : n;
    int64_t out = f->kind == CLARY__FFT_REAL ? terms : n;
    const T *from = f->in->host;
    T *to = f->out->host;
    bool back = f->kind == CLARY__FFT_INVERSE || f->kind == CLARY__FFT_HERMITIAN;
    T scale = f->normalize && back ? (T)(1.0 / (double)n) : 1;

    for (int64_t b = 0; b < lanes; b++) { /* load */
        const int64_t at = (first + b) / inner * in * inner + (first + b) % inner;
        T *re = t[0] + b, *im = t[1] + b;
        if (f->kind == CLARY__FFT_REAL) {
            for (int64_t k = 0; k < h; k++) {
                re[k * lanes] = from[at + (j->half ? 2 * k : k) * inner];
                im[k * lanes] = j->half ? from[at + (2 * k + 1) * inner] : 0;
            }
            continue;
        }
        for (int64_t k = 0; k < (j->half ? 0 : in); k++) {
            re[k * lanes] = from[2 * (at + k * inner)];
            im[k * lanes] = from[2 * (at + k * inner) + 1];
        }
        if (f->kind != CLARY__FFT_HERMITIAN) continue;
        if (!j->half) {
            im[0] = 0;
            for (int64_t k = 1; k < terms; k++) {
                re[(n - k) * lanes] = re[k * lanes];
                im[(n - k) * lanes] = -im[k * lanes];
            }
            continue;
        }
        for (int64_t k = 0; k < h; k++) { /* even and odd elements' transforms as one */
            const T *x = from + 2 * (at + k * inner), *y = from + 2 * (at + (h - k) * inner);
            T xi = k ? x[1] : 0, yi = k ? y[1] : 0, c = j->w[2 * k], s = -(T)j->w[2 * k + 1];
            T dr = x[0] - y[0], di = xi + yi;
            re[k * lanes] = x[0] + y[0] - (c * di + s * dr);
            im[k * lanes] = xi - yi + (c * dr - s * di);
        }
    }

    if (back) NAME(exchange)(t);
    NAME(forward)(plan, lanes, t);
    if (back) NAME(exchange)(t);

    for (int64_t b = 0; b < lanes; b++) { /* store */
        const int64_t at = (first + b) / inner * out * inner + (first + b) % inner;
        const T *re = t[0] + b, *im = t[1] + b;
        if (f->kind == CLARY__FFT_HERMITIAN) {
            for (int64_t k = 0; k < h; k++) {
                to[at + (j->half ? 2 * k : k) * inner] = re[k * lanes] * scale;
                if (j->half) to[at + (2 * k + 1) * inner] = im[k * lanes] * scale;
            }
        } else if (f->kind == CLARY__FFT_REAL && j->half) {
            for (int64_t k = 0; k <= h; k++) {
                int64_t x = k % h * lanes, y = (h - k) % h * lanes;
                T c = j->w[2 * k], s = j->w[2 * k + 1];
                T er = re[x] + re[y], ei = im[x] - im[y], dr = re[x] - re[y], di = im[x] + im[y];
                to[2 * (at + k * inner)] = (er + c * di + s * dr) / 2;
                to[2 * (at + k * inner) + 1] = (ei + s * di - c * dr) / 2;
            }
        } else {
            for (int64_t k = 0; k < out; k++) {
                to[2 * (at + k * inner)] = re[k * lanes] * scale;
                to[2 * (at + k * inner) + 1] = im[k * lanes] * scale;
            }
        }
    }
}

static clary_status NAME(tiles)(void *context, int64_t number) {
    const job *j = context;
    const NAME(plan) *plan = j->plan;
    int64_t total = j->fft->outer * j->fft->inner, first = number * j->lanes;
    int64_t lanes = total - first < j->lanes ? total - first : j->lanes;
    size_t plane = (size_t)(plan->work * lanes);
    T *space = clary__malloc(4 * plane * sizeof(T));
    FAIL_IF(!space, CLARY_OUT_OF_MEMORY, "%s: no memory for %zu bytes of scratch space",
            j->fft->what, 4 * plane * sizeof(T));
    T *t[4] = {space, space + plane, space + 2 * plane, space + 3 * plane};
    NAME(tile)(j, first, lanes, t);
    clary__dealloc(space);
    return CLARY_OK;
}

static clary_status NAME(transform)(job *j, int threads) {
    const clary__fft *f = j->fft;
    int64_t total = f->outer * f->inner;
    NAME(plan) *plan = NAME(plan_for)(j->half ? f->length / 2 : f->length);
    FAIL_IF(!plan, CLARY_OUT_OF_MEMORY, "%s: no memory for the tables of %lld points", f->what,
            (long long)f->length);
    int64_t lanes = TILE_BYTES / (4 * plan->work * (int64_t)sizeof(T));
    if (f->inner >= 8 && lanes < 8) lanes = 8;
    lanes = lanes < 1 ? 1 : lanes > 16 ? 16 : lanes;
    j->lanes = lanes < total ? lanes : total;
    j->plan = plan;
    if (total * f->length < PARALLEL) threads = 1;
    return clary__parallel(threads, (total + j->lanes - 1) / j->lanes, NAME(tiles), j);
}
