// plan::check: each rule that the layer below relies on, broken one at a time in a plan that keeps them all.
#include <gtest/gtest.h>

#include <functional>

#include "bindings.h"
#include "plan/plan.h"

namespace vkonnx::plan {
namespace {

// Two inputs and an output of 1000 bytes each: sums go on in scratch memory, from where the second step writes the output.
Plan good()
{
    Plan plan;
    plan.pipelines = {{.kernel = Kernel::average_pool_direct_f32,
                       .specialization = {64, 2, 0, 0},
                       .operands = 3,
                       .uses_uniform = true,
                       .push_bytes = 8}};
    plan.inputs = 2;
    plan.tensor_bytes = {1000, 1000, 1000};
    plan.uniform.resize(16);
    plan.scratch_bytes = 600;
    Step step;
    step.operands = {
        {.tensor = 0, .offset = 256, .bytes = 744}, {.tensor = 1}, {.place = Place::scratch, .access = Access::write}};
    step.push.resize(8);
    plan.steps.push_back(step);
    step.operands = {{.place = Place::scratch}, {.tensor = 1}, {.tensor = 2, .access = Access::read_write}};
    plan.steps.push_back(step);
    return plan;
}

TEST(Check, TakesAPlanThatKeepsTheRules)
{
    const Status status = check(good(), Capabilities{});
    EXPECT_TRUE(status) << status.message();
    Plan constant;
    constant.constant.resize(16);
    constant.tensor_bytes = {16};
    EXPECT_TRUE(check(constant, Capabilities{}));
    EXPECT_TRUE(check(Plan{}, Capabilities{}));
}

struct Broken {
    const char* expected;
    std::function<void(Plan&, Capabilities&)> by;
};

const Broken rules[] = {
    {"4 inputs, but 3 tensors", [](Plan& p, Capabilities&) { p.inputs = 4; }},
    {"a uniform block of 16 bytes", [](Plan&, Capabilities& c) { c.max_uniform_buffer_range = 15; }},
    {"a constant of 6 bytes", [](Plan& p, Capabilities&) { p.constant.resize(6); }},
    {"a constant without an output that holds it", [](Plan& p, Capabilities&) { p.constant.resize(1004); }},
    {"a constant without an output that holds it",
     [](Plan& p, Capabilities&) {
         p.inputs = 3;
         p.steps.clear();
         p.constant.resize(4);
     }},
    {"max_submit_seconds = 0.000000", [](Plan& p, Capabilities&) { p.max_submit_seconds = 0; }},
    {"pipeline 0: there is no kernel 4096", [](Plan& p, Capabilities&) { p.pipelines[0].kernel = Kernel(4096); }},
    {"pipeline 0: 3 specialization constants for average_pool_direct_f32",
     [](Plan& p, Capabilities&) { p.pipelines[0].specialization.pop_back(); }},
    {"pipeline 0: 5 storage buffers",
     [](Plan& p, Capabilities& c) {
         c.max_storage_buffers = 100;
         p.pipelines[0].operands = MAX_OPERANDS + 1;
         p.steps[0].operands.resize(MAX_OPERANDS + 1);
     }},
    {"pipeline 0: 3 storage buffers", [](Plan&, Capabilities& c) { c.max_storage_buffers = 2; }},
    {"pipeline 0: a uniform block that is empty", [](Plan& p, Capabilities&) { p.uniform.clear(); }},
    {"pipeline 0: 6 bytes of push constants", [](Plan& p, Capabilities&) { p.pipelines[0].push_bytes = 6; }},
    {"pipeline 0: 8 bytes of push constants", [](Plan&, Capabilities& c) { c.max_push_constant_bytes = 4; }},
    {"step 1: there is no pipeline 1", [](Plan& p, Capabilities&) { p.steps[1].pipeline = 1; }},
    {"step 0: 2 operands for a pipeline of 3", [](Plan& p, Capabilities&) { p.steps[0].operands.pop_back(); }},
    {"step 0: 4 bytes of push constants for a pipeline of 8", [](Plan& p, Capabilities&) { p.steps[0].push.resize(4); }},
    {"step 0: 0 groups in dimension 1", [](Plan& p, Capabilities&) { p.steps[0].groups[1] = 0; }},
    {"step 0: 65536 groups in dimension 2", [](Plan& p, Capabilities&) { p.steps[0].groups[2] = 65536; }},
    {"step 1: it takes -1.000000 s", [](Plan& p, Capabilities&) { p.steps[1].seconds = -1; }},
    {"step 0: operand 1: there is no tensor 3", [](Plan& p, Capabilities&) { p.steps[0].operands[1].tensor = 3; }},
    {"step 0: operand 0: input 0 is written", [](Plan& p, Capabilities&) { p.steps[0].operands[0].access = Access::write; }},
    {"step 0: operand 0: 745 bytes from 256 on, of 1000", [](Plan& p, Capabilities&) { p.steps[0].operands[0].bytes = 745; }},
    {"step 1: operand 1: 0 bytes from 1024 on, of 1000", [](Plan& p, Capabilities&) { p.steps[1].operands[1].offset = 1024; }},
    {"step 0: operand 2: 601 bytes from 0 on, of 600", [](Plan& p, Capabilities&) { p.steps[0].operands[2].bytes = 601; }},
    {"step 0: operand 0: offset 256", [](Plan&, Capabilities& c) { c.storage_buffer_alignment = 512; }},
    {"step 0: operand 1: 1000 bytes in one binding", [](Plan&, Capabilities& c) { c.max_storage_buffer_range = 996; }},
    {"step 1: operand 2: it is written and overlaps operand 1",
     [](Plan& p, Capabilities&) {
         p.inputs = 1;
         p.steps[1].operands[1] = {.tensor = 2, .offset = 512};
     }},
};

TEST(Check, RefusesWhatBreaksARule)
{
    for (const Broken& rule : rules) {
        Plan plan = good();
        Capabilities capabilities;
        rule.by(plan, capabilities);
        const Status status = check(plan, capabilities);
        EXPECT_EQ(status.code(), Code::driver_error) << rule.expected;
        EXPECT_EQ(status.message(), std::string("a plan breaks its own rules: ") + rule.expected);
    }
}

}  // namespace
}  // namespace vkonnx::plan
