// This header has what the tests of composites on devices share: how problems are drawn, run and compared with the reference.
#pragma once

#include <random>

#include "kit/compare.h"
#include "kit/composites.h"
#include "kit/elements.h"
#include "onnx_session.h"

namespace vkonnx::gpu_test {

inline constexpr DType float_types[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
// These have exponentials and what is computed by them.
inline constexpr DType exponential_types[] = {DType::float32, DType::float16, DType::bfloat16};

class CompositeDraw {
public:
    explicit CompositeDraw(uint32_t seed) : random_(seed) {}

    int64_t below(int64_t end) { return int64_t(random_() % uint64_t(end)); }
    bool flip(int64_t one_in = 2) { return below(one_in) == 0; }
    template <class T, size_t n>
    T any(const T (&of)[n])
    {
        return of[below(int64_t(n))];
    }

    // Floats are multiples of 2^-7 in [-1, 1), integers any.
    kit::RealTensor tensor(DType dtype, const Dims& dims)
    {
        kit::RealTensor made = {.desc = {.dtype = dtype, .dims = dims}};
        for (int64_t i = *element_count(made.desc); i > 0; --i)
            if (dtype == DType::boolean)
                made.words.push_back(random_() % 2);
            else if (kit::is_integer(dtype))
                made.words.push_back(kit::normalized(dtype, uint64_t(random_()) << 32 | random_()));
            else
                made.values.push_back(double(random_() % 256) / 128 - 1);
        return made;
    }

    // Integers, in a type of integers or floats, are from `first` to before `end`.
    kit::RealTensor integers(DType dtype, const Dims& dims, int64_t first, int64_t end)
    {
        kit::RealTensor made = {.desc = {.dtype = dtype, .dims = dims}};
        for (int64_t i = *element_count(made.desc); i > 0; --i) {
            const int64_t one = first + below(end - first);
            if (kit::is_integer(dtype))
                made.words.push_back(kit::normalized(dtype, uint64_t(one)));
            else
                made.values.push_back(double(one));
        }
        return made;
    }

    // Returns multiples of 1/32 from -1.75 to 1.75, which floats have exactly, for places and offsets. Many lead outside of a
    // tensor.
    kit::RealTensor places(DType dtype, const Dims& dims)
    {
        kit::RealTensor made = integers(dtype, dims, -56, 57);
        for (double& value : made.values)
            value /= 32;
        return made;
    }

    Dims dims(size_t rank, int64_t greatest = 5)
    {
        Dims made(rank);
        for (int64_t& extent : made)
            extent = flip(30) ? 0 : 1 + below(greatest);
        return made;
    }

private:
    std::mt19937 random_;
};

inline kit::RealTensor int64s(const Dims& dims, const std::vector<int64_t>& values)
{
    return {.desc = {.dtype = DType::int64, .dims = dims}, .words = {values.begin(), values.end()}};
}

inline kit::RealTensor reals(DType dtype, const Dims& dims, const std::vector<double>& values)
{
    return {.desc = {.dtype = dtype, .dims = dims}, .values = values};
}

inline kit::RealTensor left_out()
{
    return {.desc = {.dtype = DType::undefined}};
}

// Inputs whose bit in `constants` is set are in the file.
inline void expect_composite(const CaseDevice& device, const kit::CompositeProblem& problem, uint32_t constants = 0)
{
    SCOPED_TRACE(kit::to_string(problem));
    std::vector<onnx::HostTensor> given;
    for (size_t i = 0; i < problem.inputs.size(); ++i)
        if (problem.has(i) && (constants >> i & 1) == 0)
            given.push_back(host(problem.inputs[i].desc.dtype, problem.inputs[i].desc.dims, kit::encoded(problem.inputs[i])));
    const std::vector<kit::CompositeAnswers> expected = kit::reference_composite(problem);
    const std::vector<onnx::HostTensor> got = run(device, kit::model_of(problem, constants), given);
    ASSERT_EQ(got.size(), expected.size());
    kit::FloatRules rules = kit::FloatRules::of(device.device().capabilities());
    rules.signed_zero_inf_nan = false;
    for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].desc, expected[i].output) << to_string(got[i].desc);
        const std::vector<int64_t> all = kit::sample_of(expected[i].output, 1 << 20);
        EXPECT_EQ(kit::mismatches(expected[i].output, all, expected[i].elements, got[i].data, kit::Fill::reals, rules), "")
            << "output " << i;
    }
}

}  // namespace vkonnx::gpu_test
