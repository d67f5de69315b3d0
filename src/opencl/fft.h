/* fft.h - engines of Fourier transforms on OpenCL devices. */
#ifndef CLARY_OPENCL_FFT_H
#define CLARY_OPENCL_FFT_H
#include "opencl/opencl.h"

/* vkfft.c: enqueues the transform. *done = false: VkFFT is not there or does not do it, nothing happened. */
clary_status clary__cl_vkfft(clary_device *device, const clary__fft *job, bool *done);
void clary__cl_free_fft_plans(clary__cl_state *s);

#endif
