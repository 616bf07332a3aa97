// Push constants and uniform blocks, shared by C++ and GLSL: a block holds a whole problem, push constants one pass over it. All
// members are 32-bit words, so that both lay them out alike; structs in uniform arrays are a multiple of 16 bytes for std140.
#ifndef VKONNX_PUSH_CONSTANTS_H
#define VKONNX_PUSH_CONSTANTS_H

#ifdef __cplusplus
#include <cstdint>
namespace vkonnx::push {
using uint = uint32_t;
#endif

#define MAX_AXES 6

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

// Axes that the rank lacks stand in front, with all extents 1.
struct ConvTransposeProblem {
    ConvTransposeAxis axes[MAX_AXES];
    uint channels_in;   // of one group
    uint channels_out;  // of one group
    uint group;
    uint padding_;
};

struct AveragePoolProblem {
    AveragePoolAxis axes[MAX_AXES];
    uint inner;  // elements of a position: 1, or the extents behind the pooled axes
    uint padding_[3];
};

// What one dispatch of an operator adds to which outputs, and where the bound parts of the tensors begin. All numbers count
// elements; addresses are formed modulo 2^32, so that only a window's own extent must fit 32 bits.
struct Pass {
    uint first_output;
    uint output_count;
    uint first_channel;  // of each group: ConvTranspose adds channels [first_channel, first_channel + channel_count)
    uint channel_count;
    uint x_base;
    uint w_base;
    uint b_base;
    uint y_base;
    uint starts;               // 1 in the first pass over an output: there is no sum to go on from
    uint finishes;             // 1 in the last one: bias or division, and the tensor's own type
    uint tap_begin[MAX_AXES];  // the nd kernels add the taps of this box
    uint tap_end[MAX_AXES];
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
static_assert(sizeof(ConvTransposeAxis) % 16 == 0 && sizeof(AveragePoolAxis) % 16 == 0);
static_assert(sizeof(ConvTransposeProblem) % 16 == 0 && sizeof(AveragePoolProblem) % 16 == 0);
static_assert(sizeof(Pass) <= 128);

}  // namespace vkonnx::push
#endif

#endif
