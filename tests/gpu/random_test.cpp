// Random problems on every device present. A failure prints the case line and the seed.
#include <gtest/gtest.h>

#include "case_devices.h"
#include "kit/draw.h"
#include "run_case.h"

namespace vkonnx::gpu_test {
namespace {

void expect_all_right(kit::Case (*drawn)(kit::Draw&), int problems)
{
    std::string nothing;
    for (const PresentDevice& present : present_devices(nothing)) {
        const Result<std::shared_ptr<CaseDevice>> on = CaseDevice::open(present.index);
        ASSERT_TRUE(on) << on.message();
        kit::Draw draw;
        for (int run = 0; run < problems && !testing::Test::HasFailure();) {
            const kit::Case problem = drawn(draw);
            if (!resolve(problem))
                continue;
            ++run;
            SCOPED_TRACE(present.label + ": " + kit::to_string(problem) + "\nrepeat with " + draw.repeat());
            expect_right(**on, problem, {kit::Fill::integers});
        }
    }
}

TEST(Random, ConvTranspose)
{
    expect_all_right(kit::draw_conv_transpose, 200);
}

TEST(Random, AveragePool)
{
    expect_all_right(kit::draw_average_pool, 200);
}

}  // namespace
}  // namespace vkonnx::gpu_test
