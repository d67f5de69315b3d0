/* product.cl - matrix products: a work-group of SIDE x SIDE work-items makes a tile of TILE x TILE elements,
 * each work-item MICRO x MICRO of them in registers. Slices of both operands, DEPTH deep along k, pass through
 * local memory; the next slice is on its way while one is multiplied.
 *
 * Generated in front of this text: the parameters, BUFFERS and PASS, types acc and factor, FACTOR(),
 * multiply_add(), and finish(), which runs the epilogue for one element and stores it.
 */
#define TILE (SIDE * MICRO)
#define DEPTH 16
#define SHARE (TILE * DEPTH / GROUP) /* elements of a slice that a work-item fetches */
#define PITCH (TILE + 16 / (int)sizeof(acc))

/* The n'th row or column of a work-item: runs of VECTOR neighbours, SIDE * VECTOR apart. */
#define PLACE(n, side) ((n) / VECTOR * (SIDE * VECTOR) + (int)(side) * VECTOR + (n) % VECTOR)

/* Element e of a slice lies at k, line (a row of x, a column of y); neighbours in memory come one by one. */
#define SLICE_K(e, along_k) ((along_k) ? (e) % DEPTH : (e) / TILE)
#define SLICE_LINE(e, along_k) ((along_k) ? (e) / DEPTH : (e) % TILE)

/* Elements past the edges are 0. */
static inline acc fetch_factor(const __global factor *from, offset at, int inside)
{
    acc zero = (acc)(0);
    return inside ? FACTOR(from[at]) : zero;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void ENTRY(BUFFERS, PARAMS)
{
    __local acc xs[DEPTH * PITCH] __attribute__((aligned(16)));
    __local acc ys[DEPTH * PITCH] __attribute__((aligned(16)));
    const int worker = (int)get_local_id(0);
    const int tx = worker % SIDE, ty = worker / SIDE;
    const linear across = (P->n3 + TILE - 1) / TILE, down = (P->n2 + TILE - 1) / TILE;
    linear group = (linear)get_group_id(0);
    const linear column = group % across * TILE;
    group /= across;
    const linear row = group % down * TILE;
    group /= down;
    const linear b0 = group / P->n1, b1 = group % P->n1;
    const offset x_at = P->x_at + (offset)b0 * P->x_s0 + (offset)b1 * P->x_s1;
    const offset y_at = P->y_at + (offset)b0 * P->y_s0 + (offset)b1 * P->y_s1;
    acc sums[MICRO][MICRO], nx[SHARE], ny[SHARE];

    #pragma unroll
    for (int i = 0; i < MICRO; ++i)
        #pragma unroll
        for (int j = 0; j < MICRO; ++j) sums[i][j] = (acc)(0);

    for (offset k0 = -DEPTH; k0 < P->k; k0 += DEPTH) {
        const offset next = k0 + DEPTH;
        #pragma unroll
        for (int n = 0; n < SHARE; ++n) {
            const int e = worker + n * GROUP;
            const offset xk = next + SLICE_K(e, X_ALONG_K), yk = next + SLICE_K(e, Y_ALONG_K);
            const linear i = row + SLICE_LINE(e, X_ALONG_K), j = column + SLICE_LINE(e, Y_ALONG_K);
            nx[n] = fetch_factor(x, x_at + (offset)i * P->x_s2 + xk * P->x_s3, i < P->n2 && xk < P->k);
            ny[n] = fetch_factor(y, y_at + yk * P->y_s2 + (offset)j * P->y_s3, j < P->n3 && yk < P->k);
        }
        if (k0 >= 0) {
            #pragma unroll
            for (int k = 0; k < DEPTH; ++k) {
                acc xr[MICRO], yr[MICRO];
                #pragma unroll
                for (int n = 0; n < MICRO; ++n) {
                    xr[n] = xs[k * PITCH + PLACE(n, ty)];
                    yr[n] = ys[k * PITCH + PLACE(n, tx)];
                }
                #pragma unroll
                for (int i = 0; i < MICRO; ++i)
                    #pragma unroll
                    for (int j = 0; j < MICRO; ++j) sums[i][j] = multiply_add(sums[i][j], xr[i], yr[j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int n = 0; n < SHARE; ++n) {
            const int e = worker + n * GROUP;
            xs[SLICE_K(e, X_ALONG_K) * PITCH + SLICE_LINE(e, X_ALONG_K)] = nx[n];
            ys[SLICE_K(e, Y_ALONG_K) * PITCH + SLICE_LINE(e, Y_ALONG_K)] = ny[n];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    #pragma unroll
    for (int i = 0; i < MICRO; ++i) {
        const linear r = row + PLACE(i, ty);
        #pragma unroll
        for (int j = 0; j < MICRO; ++j) {
            const linear c = column + PLACE(j, tx);
            if (r < P->n2 && c < P->n3) finish(PASS, P, b0, b1, r, c, (total)sums[i][j]);
        }
    }
}
