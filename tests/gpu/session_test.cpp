// Tensors in the memory of others.
#include "onnx_session.h"

namespace vkonnx::gpu_test {
namespace {

template <class T>
std::vector<T> downloaded(const Tensor& tensor)
{
    std::vector<T> values(size_t(*element_count(tensor.desc())));
    const Status status = tensor.download(values);
    EXPECT_TRUE(status) << status.message();
    return values;
}

TEST(TensorPart, IsMemoryOfTheWhole)
{
    on_every_device([](CaseDevice& on) {
        const Device& device = on.device();
        const uint32_t step = std::max(4u, device.capabilities().storage_buffer_alignment);
        std::vector<float> values(step);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(i);
        auto whole = device.tensor({DType::float32, {int64_t(step)}}, values);
        ASSERT_TRUE(whole) << whole.message();
        auto part = whole->part(step, {DType::float32, {1, 1, 3}});
        ASSERT_TRUE(part) << part.message();
        EXPECT_EQ(downloaded<float>(*part), std::vector<float>(values.begin() + step / 4, values.begin() + step / 4 + 3));
        EXPECT_TRUE(part->shares_memory(*whole));
        const auto next = whole->part(2 * step, {DType::float32, {1, 1, 2}});
        ASSERT_TRUE(next) << next.message();
        EXPECT_FALSE(part->shares_memory(*next));
        EXPECT_FALSE(part->shares_memory(Tensor()));
        const auto op = device.prepare(AveragePool{.kernel_shape = {2}}, {part->desc()});
        ASSERT_TRUE(op) << op.message();
        whole = Tensor();  // the parts keep it
        ASSERT_TRUE(device.run(*op, {*part}, {*next}));
        EXPECT_EQ(downloaded<float>(*next), (std::vector<float>{float(step) / 4 + 0.5f, float(step) / 4 + 1.5f}));
        ASSERT_TRUE(part->upload(std::vector<float>{5, 6, 7}));
        EXPECT_EQ(downloaded<float>(*part), (std::vector<float>{5, 6, 7}));

        const auto small = device.tensor({DType::uint8, {int64_t(step) + 4}});
        ASSERT_TRUE(small) << small.message();
        EXPECT_EQ(small->part(2, {DType::uint8, {1}}).message(),
                  "part: offset = 2 must be a multiple of " + std::to_string(step));
        EXPECT_EQ(small->part(step, {DType::uint8, {5}}).message(),
                  "part: uint8[5] with 5 bytes from byte " + std::to_string(step) + " on do not fit into uint8[" +
                      std::to_string(step + 4) + "] with " + std::to_string(step + 4) + " bytes");
        EXPECT_FALSE(small->part(uint64_t(step) << 40, {DType::uint8, {1}}));
        EXPECT_FALSE(small->part(0, {DType::float32, {-1}}));
    });
}

}  // namespace
}  // namespace vkonnx::gpu_test
