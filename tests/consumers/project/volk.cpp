// The application's own volk, as its documentation says.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#define VOLK_IMPLEMENTATION
#include <volk.h>
