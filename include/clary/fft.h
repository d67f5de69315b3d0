/* clary/fft.h - discrete Fourier transforms along an axis: numpy.fft's, any other is composed of them.
 *
 * Input of any dtype: float16, bfloat16, float32 and complex64 are computed in single precision, all others
 * in double. n is the number of points used, cut or padded with zeros at the end; 0: all there are (irfft:
 * 2 * (terms - 1)). Errors: CLARY_INVALID_ARGUMENT for no points, CLARY_AXIS_OUT_OF_RANGE.
 */
#ifndef CLARY_FFT_H
#define CLARY_FFT_H
#include "array.h"
CLARY_BEGIN

/* Which direction is scaled by 1 / n; ORTHO: both by its root. */
typedef enum clary_fft_norm {
    CLARY_FFT_BACKWARD,
    CLARY_FFT_ORTHO,
    CLARY_FFT_FORWARD_NORM
} clary_fft_norm;

/* numpy.fft.fft / ifft: complex, n terms. */
CLARY_API clary_status clary_fft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                                 clary_array **out);
CLARY_API clary_status clary_ifft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                                  clary_array **out);
/* numpy.fft.rfft: complex, n / 2 + 1 terms. a is real, else CLARY_DTYPE_MISMATCH. */
CLARY_API clary_status clary_rfft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                                  clary_array **out);
/* numpy.fft.irfft: n reals (float16 for float16) of n / 2 + 1 terms. */
CLARY_API clary_status clary_irfft(clary_array *a, int64_t n, int axis, clary_fft_norm norm,
                                   clary_array **out);

CLARY_END
#endif
