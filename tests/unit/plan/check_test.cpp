// This file tests plan::check. Each rule that the layer below relies on is broken once, in a plan that keeps all others.
#include <gtest/gtest.h>

#include <functional>

#include "plan/core/plan.h"
#include "shaders/library/bindings.h"

namespace vkonnx::plan {
namespace {

// Returns a valid plan of two inputs and an output of 1000 bytes each. Setup packs the first input, sums go on in scratch memory,
// and the third step writes the output, for which it reads texels of the packed memory.
Plan good()
{
    Plan plan;
    plan.pipelines = {{.kernel = Kernel::average_pool_direct_f32,
                       .specialization = {64, 2, 0, 0},
                       .views = {View::storage, View::storage, View::storage},
                       .uses_uniform = true,
                       .push_bytes = 8},
                      {.kernel = Kernel::probe_copy_f32, .specialization = {64}, .views = {View::storage, View::storage}},
                      {.kernel = Kernel::probe_copy_f32, .specialization = {64}, .views = {View::texel_rgba32f, View::storage}}};
    plan.inputs = 2;
    plan.tensor_bytes = {1000, 1000, 1000};
    plan.uniform.resize(16);
    plan.scratch_bytes = 600;
    plan.packed_bytes = 512;
    plan.setup = {{.pipeline = 1, .operands = {{.tensor = 0}, {.place = Place::packed, .access = Access::write}}}};
    Step step;
    step.operands = {
        {.tensor = 0, .offset = 256, .bytes = 744}, {.tensor = 1}, {.place = Place::scratch, .access = Access::write}};
    step.push.resize(8);
    plan.steps.push_back(step);
    step.operands = {{.place = Place::scratch}, {.tensor = 1}, {.tensor = 2, .access = Access::read_write}};
    plan.steps.push_back(step);
    plan.steps.push_back(
        {.pipeline = 2,
         .operands = {{.place = Place::packed, .offset = 256, .bytes = 32}, {.tensor = 2, .access = Access::write}}});
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
    {"a table of 6 bytes", [](Plan& p, Capabilities&) { p.table.resize(6); }},
    {"step 0: operand 1: the table is written",
     [](Plan& p, Capabilities&) {
         p.table.resize(8);
         p.steps[0].operands[1] = {.place = Place::table, .access = Access::write};
     }},
    {"step 0: operand 1: 12 bytes from 0 on, of 8",
     [](Plan& p, Capabilities&) {
         p.table.resize(8);
         p.steps[0].operands[1] = {.place = Place::table, .bytes = 12};
     }},
    {"setup step 0: operand 0: setup names the table",
     [](Plan& p, Capabilities&) {
         p.table.resize(8);
         p.setup[0].operands[0] = {.place = Place::table};
     }},
    {"a constant without an output that holds it",
     [](Plan& p, Capabilities&) {
         p.inputs = 3;
         p.steps.clear();
         p.constant.resize(4);
     }},
    {"the output may not be the memory of input 1",
     [](Plan& p, Capabilities&) {
         p.in_place = {0, 1};
         p.tensor_bytes[1] = 996;
     }},
    {"the output may not be the memory of input 2", [](Plan& p, Capabilities&) { p.in_place = {2}; }},
    {"max_submit_seconds = 0.000000", [](Plan& p, Capabilities&) { p.max_submit_seconds = 0; }},
    {"pipeline 0: there is no kernel 4096", [](Plan& p, Capabilities&) { p.pipelines[0].kernel = Kernel(4096); }},
    {"pipeline 0: 3 specialization constants for average_pool_direct_f32",
     [](Plan& p, Capabilities&) { p.pipelines[0].specialization.pop_back(); }},
    {"pipeline 0: a workgroup of 0 in x", [](Plan& p, Capabilities&) { p.pipelines[0].specialization[0] = 0; }},
    {"pipeline 0: a workgroup of 64 in x", [](Plan&, Capabilities& c) { c.max_workgroup_size[0] = 63; }},
    {"pipeline 0: a workgroup of 64 invocations", [](Plan&, Capabilities& c) { c.max_invocations = 63; }},
    {"pipeline 0: 9 operands",
     [](Plan& p, Capabilities& c) {
         c.max_storage_buffers = 100;
         p.pipelines[0].views.resize(MAX_OPERANDS + 1);
         p.steps[0].operands.resize(MAX_OPERANDS + 1);
     }},
    {"pipeline 0: 3 storage buffers", [](Plan&, Capabilities& c) { c.max_storage_buffers = 2; }},
    {"pipeline 0: a uniform block that is empty", [](Plan& p, Capabilities&) { p.uniform.clear(); }},
    {"pipeline 0: 6 bytes of push constants", [](Plan& p, Capabilities&) { p.pipelines[0].push_bytes = 6; }},
    {"pipeline 0: 8 bytes of push constants", [](Plan&, Capabilities& c) { c.max_push_constant_bytes = 4; }},
    {"step 1: there is no pipeline 3", [](Plan& p, Capabilities&) { p.steps[1].pipeline = 3; }},
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
    {"setup step 0: operand 0: 1000 bytes in one binding", [](Plan&, Capabilities& c) { c.max_storage_buffer_range = 996; }},
    {"step 1: operand 2: it is written and overlaps operand 1",
     [](Plan& p, Capabilities&) {
         p.inputs = 1;
         p.steps[1].operands[1] = {.tensor = 2, .offset = 512};
     }},
    {"1 setup steps for 0 bytes of packed memory", [](Plan& p, Capabilities&) { p.packed_bytes = 0; }},
    {"0 setup steps for 512 bytes of packed memory", [](Plan& p, Capabilities&) { p.setup.clear(); }},
    {"setup step 0: operand 0: setup names output 2", [](Plan& p, Capabilities&) { p.setup[0].operands[0].tensor = 2; }},
    {"setup step 0: operand 0: setup names scratch memory",
     [](Plan& p, Capabilities&) { p.setup[0].operands[0].place = Place::scratch; }},
    {"step 1: operand 2: packed memory is written behind setup",
     [](Plan& p, Capabilities&) { p.steps[1].operands[2].place = Place::packed; }},
    {"step 0: operand 1: there is no place 9", [](Plan& p, Capabilities&) { p.steps[0].operands[1].place = Place(9); }},
    {"step 2: operand 0: 513 bytes from 0 on, of 512",
     [](Plan& p, Capabilities&) { p.steps[2].operands[0] = {.place = Place::packed, .bytes = 513}; }},
    {"step 2: operand 0: offset 256", [](Plan&, Capabilities& c) { c.texel_buffer_alignment = 512; }},
    {"step 2: operand 0: 36 bytes of texels with 16", [](Plan& p, Capabilities&) { p.steps[2].operands[0].bytes = 36; }},
    {"step 2: operand 0: 2 texels", [](Plan&, Capabilities& c) { c.max_texel_buffer_elements = 1; }},
    {"step 2: operand 1: texels are written", [](Plan& p, Capabilities&) { p.pipelines[2].views[1] = View::texel_r32f; }},
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

TEST(Setup, IsAPlanOfItsOwn)
{
    const plan::Setup setup = setup_of(good());
    EXPECT_EQ(setup.inputs, std::vector<uint8_t>{0}) << "it reads nothing else";
    const Status status = check(setup.plan, Capabilities{});
    EXPECT_TRUE(status) << status.message();
    EXPECT_EQ(setup.plan.inputs, 1u);
    EXPECT_EQ(setup.plan.tensor_bytes, (std::vector<uint64_t>{1000, 512}));
    EXPECT_EQ(setup.plan.pipelines, std::vector{good().pipelines[1]}) << "those of its own steps";
    EXPECT_TRUE(setup.plan.uniform.empty()) << "which they don't read";
    Plan reads_uniform = good();
    reads_uniform.pipelines[1].uses_uniform = true;
    EXPECT_EQ(setup_of(reads_uniform).plan.uniform, reads_uniform.uniform);
    EXPECT_EQ(setup.plan.steps.at(0).operands, (std::vector<Operand>{{.tensor = 0}, {.tensor = 1, .access = Access::write}}));
    EXPECT_EQ(setup.plan.packed_bytes, 0u);
    EXPECT_TRUE(setup.plan.setup.empty());
    EXPECT_EQ(named_tensors(good()), (std::vector<bool>{true, true, true}));
    Plan packs_all = good();
    packs_all.steps.erase(packs_all.steps.begin(), packs_all.steps.begin() + 2);
    EXPECT_EQ(named_tensors(packs_all), (std::vector<bool>{false, false, true}));
}

}  // namespace
}  // namespace vkonnx::plan
