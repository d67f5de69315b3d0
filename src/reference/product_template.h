/* product_template.h - the matrix product of one type. No include guard: product.c includes it once per type
 * with
 *
 *   N, T       part of the functions' names; the type of operands (as they are packed) and sums
 *   STEP(a, x, y)  adds the product of x and y to a
 *
 * Packed rows: for each ROWS rows, k-major. Packed columns: for each LANES columns, k-major. Both are padded
 * with zeros. */
#define FN2(name, n) name##_##n
#define FN1(name, n) FN2(name, n)
#define FN(name) FN1(name, N)
#define LANES (VECTOR_BYTES / (int)sizeof(T) > 0 ? VECTOR_BYTES / (int)sizeof(T) : 1)

/* sum[ROWS][TILE_COLUMNS] += rows (ROWS by n) times columns (n by LANES). */
static void FN(multiply)(const T *restrict rows, const T *restrict columns, int64_t n,
                         T *restrict sum) {
    T a[ROWS][LANES];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < LANES; c++) a[r][c] = sum[r * TILE_COLUMNS + c];
    for (int64_t k = 0; k < n; k++, rows += ROWS, columns += LANES)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < LANES; c++) STEP(a[r][c], rows[r], columns[c]);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < LANES; c++) sum[r * TILE_COLUMNS + c] = a[r][c];
}

/* A tile of sums over `n` values of k, added to what is there. */
static void FN(tile)(const void *rows, const void *columns, int64_t nrows, int64_t ncolumns,
                     int64_t n, void *sum) {
    for (int64_t c = 0; c < ncolumns; c += LANES)
        for (int64_t r = 0; r < nrows; r += ROWS) FN(multiply)
    ((const T *)rows + r * n, (const T *)columns + c * n, n, (T *)sum + r * TILE_COLUMNS + c);
}

/* count lines (rows or columns) of n elements, in bundles of `width`. */
static void FN(pack)(const void *from, int64_t line, int64_t step, int64_t count, int64_t n,
                     int width, void *to) {
    T *out = to;
    for (int64_t first = 0; first < count; first += width)
        for (int64_t k = 0; k < n; k++)
            for (int64_t l = first; l < first + width; l++) {
                const T zero = {0};
                *out++ = l < count ? ((const T *)from)[l * line + k * step] : zero;
            }
}

static void FN(store)(const void *sum, int64_t nrows, int64_t ncolumns, void *out, int64_t row,
                      int64_t column) {
    for (int64_t r = 0; r < nrows; r++)
        for (int64_t c = 0; c < ncolumns; c++)
            ((T *)out)[r * row + c * column] = ((const T *)sum)[r * TILE_COLUMNS + c];
}

static const kind FN(kind) = {FN(tile), FN(pack), FN(store), sizeof(T), LANES};

#undef FN2
#undef FN1
#undef FN
#undef LANES
#undef N
#undef T
#undef STEP
