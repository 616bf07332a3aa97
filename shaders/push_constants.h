// Push constants and uniform blocks, one struct a kernel, shared by C++ and GLSL. All members are 32-bit words, so that both
// lay them out alike; structs that stand in uniform arrays are a multiple of 16 bytes for std140.
#ifndef VKONNX_PUSH_CONSTANTS_H
#define VKONNX_PUSH_CONSTANTS_H

#ifdef __cplusplus
#include <cstdint>
namespace vkonnx::push {
using uint = uint32_t;
#endif

// A spatial axis of ConvTranspose. An output o lies at p = o + begin = q * s + t * d for input q and tap t. With
// g = gcd(s, d), only p divisible by g have taps; those are t = t0, t0 + s/g, t0 + 2 s/g, ... where
// t0 = (p/g) * inverse mod s/g, and each step in t moves q back by d/g.
struct ConvTransposeAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint begin;
    uint gcd;
    uint stride;    // s / g
    uint dilation;  // d / g
    uint inverse;   // of d/g modulo s/g; 0 where s/g = 1
};

struct ConvTransposeDirect {
    ConvTransposeAxis axes[3];  // axes that the rank lacks stand in front, with extent 1
    uint channels_in;           // of one group
    uint channels_out;          // of one group
    uint group;
    uint first_channel;  // of the group: this pass adds channels [first_channel, first_channel + channel_count)
    uint channel_count;
    uint first_output;  // this pass writes outputs [first_output, first_output + output_count)
    uint output_count;
};

struct ConvTransposeNd {
    uint tap_begin[6];  // this pass adds the taps of this box
    uint tap_end[6];
    uint channels_in;
    uint channels_out;
    uint group;
    uint first_channel;
    uint channel_count;
    uint first_output;
    uint output_count;
    uint starts;    // 1 in the first pass over an output: there is no sum to go on from
    uint finishes;  // 1 in the last one: bias
};

// A spatial axis of AveragePool. Window o holds positions o * stride - begin + t * dilation for taps t.
struct AveragePoolAxis {
    uint in_extent;
    uint out_extent;
    uint kernel;
    uint stride;
    uint dilation;
    uint begin;
    uint end;
    uint padding_;
};

struct AveragePoolDirect {
    AveragePoolAxis axes[3];  // axes that the rank lacks stand in front, with extent 1
    uint first_output;
    uint output_count;
};

struct AveragePoolNd {
    uint tap_begin[6];
    uint tap_end[6];
    uint first_output;
    uint output_count;
    uint starts;
    uint finishes;  // 1 in the last pass over an output: divides
};

struct FlopsProbe {
    uint iterations;
};

#define FLOPS_PROBE_OPERATIONS 128  // of one invocation in one iteration: 16 multiply-adds of vec4

struct CopyProbe {
    uint count;   // vec4
    uint stride;  // invocations of the grid
};

#ifdef __cplusplus
// uniform blocks of the nd kernels
struct ConvTransposeUniform {
    ConvTransposeAxis axes[6];
};
struct AveragePoolUniform {
    AveragePoolAxis axes[6];
};

static_assert(sizeof(ConvTransposeAxis) % 16 == 0 && sizeof(AveragePoolAxis) % 16 == 0);
static_assert(sizeof(ConvTransposeDirect) <= 128 && sizeof(ConvTransposeNd) <= 128);
static_assert(sizeof(AveragePoolDirect) <= 128 && sizeof(AveragePoolNd) <= 128);

}  // namespace vkonnx::push
#endif

#endif
