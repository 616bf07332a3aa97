// The reference computes what docs/SEMANTICS.md says, the slow way, on the host, for tests to compare with.
//
// It shares no formula with the library. Sizes and pads are found by laying out windows or scattering positions and looking
// where they end; the taps of an output are found by trying every (input position, tap) pair and keeping those that meet it.
// There is no division but the average's own, no phase, no modulus, and nothing of src/ is included or called.
// It is meant for problems that can be computed: extents and pads up to a few millions.
#pragma once

#include <vkonnx/vkonnx.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kit/double_double.h"
#include "kit/range.h"

namespace vkonnx::kit {

// This struct is a tensor on the host. Every float, half and double is exactly a double; `desc.dtype` says what the elements
// stand for.
struct RealTensor {
    TensorDesc desc = {};
    std::vector<double> values = {};
    // These replace the values where elements count by their bits: those of integers, with the sign or zeros above them, of
    // booleans, and all that Identity or Resize copies.
    std::vector<uint64_t> words = {};
};

// This struct is a spatial axis with all rules applied.
struct ReferenceAxis {
    int64_t in = 0;
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t out = 0;
    int64_t begin = 0;
    int64_t end = 0;
};

struct Resolution {
    TensorDesc output = {};
    std::vector<TensorDesc> more_outputs = {};  // those behind the first
    std::vector<ReferenceAxis> axes = {};       // of windows and filters
};

// Returns the first output and those behind it.
std::vector<TensorDesc> outputs_of(const Resolution& resolution);

// An answer is one output element, not rounded to the output's type. It is summed in double, or in DoubleDouble where the inputs
// are doubles, in the order of docs/SEMANTICS.md, section 5.
struct Answer {
    DoubleDouble value = {};
    double magnitude = 0;  // S of docs/SEMANTICS.md, section 6: |B| + sum |x*w|, or sum |x| / divisor
    int64_t taps = 0;      // n: the products or elements in the sum
    int64_t divisor = 1;   // of AveragePool; 0 where the window has no tap that counts
    // These two are for operators that normalize and for elementwise ones, whose value has been rounded after every step. The
    // last step may be off by `ulps` units in the last place of the type that is computed in, and 0 means that it is rounded to
    // nearest. With `native` it also is where the device divides exactly.
    double ulps = 0;
    bool native = false;
    // Several elementwise operators in a row have this instead, where a step may be off: the values that are right in the type
    // that is computed in, on devices that divide exactly and on others.
    std::optional<std::array<Range, 2>> ranges = {};
    std::optional<uint64_t> word = {};  // instead of the value, where RealTensor has words
    uint64_t slack = 0;                 // by how much the word may be off
    bool rounds_terms = false;          // products are rounded whatever the inputs are: no sum of them is exact
};

// Returns all flat indices of an output when there are at most `most`; else `most` of them, spread evenly, both ends included.
std::vector<int64_t> sample_of(const TensorDesc& output, int64_t most);

// These are the bounds of docs/SEMANTICS.md, section 6: (n + 6) * u * S + n * 2^-149, where u is 2^-24 or 2^-23. For doubles they
// have 2^-53 and 2^-1074.
double float_error_bound(const Answer& answer, double u);
double double_error_bound(const Answer& answer);

}  // namespace vkonnx::kit
