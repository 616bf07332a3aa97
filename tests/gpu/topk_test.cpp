// This file tests what case lists can't say of TopK: NaN of both signs and of any bits.
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

// Returns where the elements are, the one that is wanted most first.
template <class Word>
std::vector<int64_t> order_of(const CaseDevice& device, DType dtype, const std::vector<Word>& bits, int64_t largest)
{
    const auto count = int64_t(bits.size());
    const std::string file = kit::ModelBuilder()
                                 .opset(24)
                                 .input("X", dtype, {count})
                                 .initializer(kit::int64_tensor("K", {1}, {count}))
                                 .node("TopK", {"X", "K"}, {"values", "indices"}, {kit::int_attribute("largest", largest)})
                                 .output("values")
                                 .output("indices")
                                 .build();
    const std::vector<onnx::HostTensor> y = run(device, file, {host(dtype, {count}, bits)});
    std::vector<Word> moved;
    for (const int64_t index : values_of<int64_t>(y.at(1)))
        moved.push_back(bits.at(size_t(index)));
    EXPECT_EQ(values_of<Word>(y[0]), moved) << "elements are moved bit for bit";
    return values_of<int64_t>(y[1]);
}

TEST(TopK, EveryNaNIsGreaterThanAllNumbers)
{
    on_every_device([](const CaseDevice& device) {
        const std::vector<int64_t> greatest = {0, 2, 5, 3, 1, 4}, least = {4, 1, 3, 0, 2, 5};
        const auto expect_order = [&](DType dtype, const auto& bits) {
            SCOPED_TRACE(name(dtype));
            EXPECT_EQ(order_of(device, dtype, bits, 1), greatest);
            EXPECT_EQ(order_of(device, dtype, bits, 0), least);
        };
        // A negative NaN, 1, a NaN, Inf, -Inf, and the NaN with the fewest bits.
        expect_order(DType::float32,
                     std::vector<uint32_t>{0xffc0'0001, 0x3f80'0000, 0x7fff'ffff, 0x7f80'0000, 0xff80'0000, 0x7f80'0001});
        expect_order(DType::float16, std::vector<uint16_t>{0xfe01, 0x3c00, 0x7fff, 0x7c00, 0xfc00, 0x7c01});
        expect_order(DType::bfloat16, std::vector<uint16_t>{0xffc1, 0x3f80, 0x7fff, 0x7f80, 0xff80, 0x7f81});
        expect_order(DType::float64, std::vector<uint64_t>{0xfff8'0000'0000'0001, 0x3ff0'0000'0000'0000, 0x7fff'ffff'ffff'ffff,
                                                           0x7ff0'0000'0000'0000, 0xfff0'0000'0000'0000, 0x7ff0'0000'0000'0001});
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
