// This file tests what is read out of a driver's statistics and assembly.
#include "compiled.h"

#include <gtest/gtest.h>

namespace vkonnx::tools {
namespace {

Block block_of(const char* listing, const char* text)
{
    return busiest_block(CompiledProgram{.texts = {{listing, text}}}).value_or(Block());
}

TEST(BusiestBlock, IsTheOneOfMostMultiplyAdds)
{
    const Block block = block_of("Assembly", "BB0:\n"
                                             "\ts_load_dwordx4 s[0:3], s[2:3], 0x0   ; f4080001 fa000000\n"
                                             "\tv_fma_f32 v1, v2, v3, v1             ; d54b0001 04060702\n"
                                             "BB1:\n"
                                             "\tv_fmac_f32_e32 v0, v1, v2            ; 56000501\n"
                                             "\tv_pk_fma_f16 v0, v1, v2, v0          ; cc0e4000 1c020501\n"
                                             "\tv_fmaak_f32 v0, v1, v2, 0x3f000000   ; 5a000501 3f000000\n"
                                             "\tv_add_f32_e32 v0, v1, v2             ; 06000501\n"
                                             "\ts_cbranch_scc1 BB1                   ; bf85fffc\n"
                                             "BB2:\n"
                                             "\tv_mad_f32 v1, v2, v3, v1             ; v_fma_f32 v_fma_f32\n"
                                             "\tv_dot2_f32_f16 v1, v2, v3, v1\n"
                                             "\n"
                                             "\ts_endpgm                             ; bf810000\n");
    EXPECT_EQ(block.multiply_adds, 3u);
    EXPECT_EQ(block.instructions, 5u);
}

TEST(BusiestBlock, CountsBothHalvesOfAPair)
{
    const Block block = block_of("Assembly", "BB7:\n"
                                             "\tv_dual_fmac_f32 v0, v2, v4 :: v_dual_fmac_f32 v1, v3, v5  ; c8000000\n"
                                             "\tv_dual_mov_b32 v0, v2 :: v_dual_fmaak_f32 v1, v3, v5, 0x1\n"
                                             "\tv_fma_f64 v[0:1], v[2:3], v[4:5], v[0:1]\n");
    EXPECT_EQ(block.multiply_adds, 4u);
    EXPECT_EQ(block.instructions, 5u);
}

// Sums of addresses, divisions and instructions with similar names must not be counted.
TEST(BusiestBlock, CountsProductsOfFloatsOnly)
{
    const Block block = block_of("Assembly", "BB0:\n"
                                             "\tv_mad_u32_u24 v0, v1, v2, v3\n"
                                             "\tv_mad_u64_u32 v[0:1], s0, v1, v2, v[0:1]\n"
                                             "\tv_div_fmas_f32 v0, v1, v2, v3\n"
                                             "\tv_mul_f32_e32 v0, v1, v2\n"
                                             "\ts_fmac_f32 s0, s1, s2\n"
                                             "\tv_max_f32_e32 v0, v1, v2\n");
    EXPECT_EQ(block.multiply_adds, 0u);
    EXPECT_EQ(block_of("Assembly", "").instructions, 0u);
}

TEST(BusiestBlock, IsReadFromNvksListing)
{
    const Block block = block_of("NAK assembly", "block.u 0 L2 [] -> {\n"
                                                 "      ur0       = ldc.b32 c[0x1][+0x80]            // delay=1 wr:0\n"
                                                 "      r1        = ffma r2 r3 r1                    // delay=1\n"
                                                 "} -> [1]\n"
                                                 "block 1 L3 [0] -> {\n"
                                                 "      r76..80   = ld.shared.b128 [r3.x16], pT      // delay=1 wr:1\n"
                                                 "      r16       = ffma.ftz r116 r79 r17            // delay=1\n"
                                                 "      r18       = hfma2 r116 r79 r17               // delay=1\n"
                                                 "      r19       = fmul r116 r79                    // ffma\n"
                                                 "@!p0              bra pT L434                      // delay=1\n"
                                                 "} -> [2]\n");
    EXPECT_EQ(block.multiply_adds, 2u);
    EXPECT_EQ(block.instructions, 5u);
}

TEST(BusiestBlock, IsReadFromAnvsListing)
{
    const Block block =
        block_of("GEN Assembly", "mad(8)          g1<1>F          g2<4,4,1>F      g3<4,4,1>F      g4<4,4,1>F { align16 1Q };\n"
                                 "LABEL8:\n"
                                 "mad(8)          g1<1>F          g2<4,4,1>F      g3<4,4,1>F      g4<4,4,1>F { align16 1Q };\n"
                                 "mad(16)         g9<1>HF         g2<4,4,1>HF     g3<4,4,1>HF     g4<4,4,1>HF { align16 1Q };\n"
                                 "mad(8)          g1<1>D          g2<4,4,1>D      g3<4,4,1>D      g4<4,4,1>D { align16 1Q };\n"
                                 "sends(8)        nullUD          g76UD           g75UD           0x020a02fd\n"
                                 "                hdc0 MsgDesc: (mad(8) block write)\n"
                                 "(+f0.0) while(8)        JIP:  LABEL8                                    { align1 1Q };\n"
                                 "mad(8)          g1<1>F          g2<4,4,1>F      g3<4,4,1>F      g4<4,4,1>F { align16 1Q };\n");
    EXPECT_EQ(block.multiply_adds, 2u);
    EXPECT_EQ(block.instructions, 5u);
}

TEST(BusiestBlock, IsReadFromTurnipsListing)
{
    const Block block = block_of("IR3 Assembly", "@in(r48.x)\tin0 (wrmask=0x7)\n"
                                                 "l2377:\n"
                                                 "(sy)(rpt1)mad.f32 r14.z, (r)r38.w, r33.w, (r)(last)r14.z\n"
                                                 "(nop3) mad.f16 hr0.x, hr1.x, hr2.x, hr0.x\n"
                                                 "mad.u16 r0.x, r1.x, r2.x, r0.x\n"
                                                 "(rpt5)nop\n"
                                                 "br p0.y, #l2377\n"
                                                 "mad.f32 r0.x, r1.x, r2.x, r0.x\n"
                                                 "; CL prog 18/1: mad.f32\n");
    EXPECT_EQ(block.multiply_adds, 3u);
    EXPECT_EQ(block.instructions, 2u + 4 + 1 + 6 + 1);
}

TEST(BusiestBlock, IsUnknownWithoutAssembly)
{
    CompiledProgram program = {.texts = {{"NIR Shader(s)", "BB0:\nv_fma_f32 v0, v1, v2, v3\n"}}};
    EXPECT_FALSE(busiest_block(program));
    program.texts.push_back({"Assembly", "BB0:\nv_fma_f32 v0, v1, v2, v3\n"});
    ASSERT_TRUE(busiest_block(program));
    EXPECT_EQ(busiest_block(program)->multiply_adds, 1u);
}

TEST(Statistic, IsFoundByTheDriversName)
{
    const CompiledProgram program = {.statistics = {{"VGPRs", 24}, {"Spilled VGPRs", 0}}};
    EXPECT_EQ(statistic(program, "VGPRs"), 24);
    EXPECT_EQ(statistic(program, "Spilled VGPRs"), 0);
    EXPECT_EQ(statistic(program, "GPRs"), std::nullopt);
}

// The table has chosen figures of RADV under short headings. Of another driver it has all figures, under the driver's names.
TEST(CompiledTable, HasTheFiguresThatTheDriverHas)
{
    CompiledProgram program = {.statistics = {{"Instruction Count", 123}, {"Spill Count", 4}}};
    EXPECT_EQ(compiled_table({{.kernel = "k", .specialization = "rank 2", .users = "a", .program = program}}),
              "  kernel  Instruction Count  Spill Count  specialization  for\n"
              "  k                     123            4  rank 2          a\n");
    program.statistics = {{"VGPRs", 24},
                          {"SGPRs", 128},
                          {"Spilled VGPRs", 1},
                          {"Spilled SGPRs", 2},
                          {"LDS size", 512},
                          {"Copies", 9},
                          {"Subgroups per SIMD", 16},
                          {"Instructions", 40},
                          {"Latency", 1234},
                          {"Inverse Throughput", 567}};
    program.texts = {{"Assembly", "BB0:\nv_fma_f32 v0, v1, v2, v3\ns_endpgm\n"}};
    EXPECT_EQ(compiled_table({{.kernel = "k", .specialization = "rank 2", .users = "a", .program = program}}),
              "  kernel  VGPRs  SGPRs  spilled VGPRs  spilled SGPRs  shared bytes  waves a SIMD  instructions  latency  "
              "inverse throughput  multiply-adds  specialization  for\n"
              "  k          24    128              1              2           512            16            40     1234  "
              "               567   1 of 2, 50 %  rank 2          a\n");
}

}  // namespace
}  // namespace vkonnx::tools
