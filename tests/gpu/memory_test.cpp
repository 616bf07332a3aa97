// This file tests device memory: how few allocations there are, what a limit refuses, and what comes back.
#include <gtest/gtest.h>

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "memory_kinds.h"
#include "small_problem.h"

namespace vkonnx::gpu_test {
namespace {

constexpr int64_t mib = int64_t(1) << 20;

TensorDesc bytes_desc(int64_t bytes)
{
    return {DType::uint8, {bytes}};
}

std::vector<uint8_t> pattern(int64_t bytes, uint32_t seed)
{
    std::vector<uint8_t> values(size_t(bytes), 0);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = uint8_t((i + seed) * 2654435761u >> 24);
    return values;
}

void expect_holds(const Tensor& tensor, uint32_t seed)
{
    std::vector<uint8_t> values(size_t(tensor.desc().dims[0]), 0);
    const Status read = tensor.download(values);
    ASSERT_TRUE(read) << read.message();
    EXPECT_TRUE(values == pattern(tensor.desc().dims[0], seed)) << "seed " << seed;
}

TEST(Memory, ManySmallTensorsShareFewAllocations)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            SCOPED_TRACE(present.label + kind.name);
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            std::vector<Tensor> tensors;
            for (uint32_t i = 0; i < 1000; ++i) {
                const auto tensor = device->tensor(bytes_desc(1000 + i), pattern(1000 + i, i));
                ASSERT_TRUE(tensor) << tensor.message();
                tensors.push_back(*tensor);
            }
            EXPECT_LE(shim.calls("vkAllocateMemory"), 6u) << "1.5 MiB of tensors, and the staging buffer";
            for (uint32_t i = 0; i < 1000; ++i)
                expect_holds(tensors[i], i);
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

TEST(Memory, SharesBlocksAtRandomAndMixesNothingUp)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            const uint32_t seed = 7;
            SCOPED_TRACE(present.label + kind.name + ", seed " + std::to_string(seed));
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            std::mt19937 random(seed);
            std::vector<std::pair<Tensor, uint32_t>> held;
            for (uint32_t step = 0; step < 800; ++step) {
                if (held.size() < 40 || random() % 2) {
                    const int64_t size = random() % 60 ? 1 + random() % 40000 : 1 + random() % (9 * mib);
                    const auto tensor = device->tensor(bytes_desc(size), pattern(size, step));
                    ASSERT_TRUE(tensor) << tensor.message();
                    held.emplace_back(*tensor, step);
                } else {
                    std::swap(held[random() % held.size()], held.back());
                    expect_holds(held.back().first, held.back().second);
                    held.pop_back();
                }
            }
            const MemoryUse use = device->memory();
            EXPECT_LE(use.used, use.allocated);
            EXPECT_LE(use.peak_allocated, 2 * use.peak_used + 64 * uint64_t(mib)) << "fragments";
            held.clear();
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

TEST(Memory, EmptyBlocksGoBackButOne)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        DeviceOptions options = through(shim, present);
        options.self_test = present.capabilities.is_cpu;  // elsewhere it leaves a block that the host sees
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        const auto blocks = [&] { return shim.calls("vkAllocateMemory") - shim.calls("vkFreeMemory"); };
        EXPECT_EQ(device->memory().used, 0u) << "what the self-test took is back";
        std::vector<Tensor> tensors;
        for (int i = 0; i < 60; ++i)
            tensors.push_back(*device->tensor(bytes_desc(mib)));
        EXPECT_GE(blocks(), 3u);
        EXPECT_LE(blocks(), 10u);
        // Every second tensor goes, so that most blocks stay; then the rest.
        for (size_t i = 0; i < tensors.size(); i += 2)
            tensors[i] = {};
        EXPECT_GE(device->memory().used, 30 * uint64_t(mib));
        tensors.clear();
        EXPECT_EQ(device->memory().used, 0u);
        EXPECT_EQ(blocks(), 1u);
        const uint64_t kept = device->memory().allocated;
        EXPECT_GE(kept, uint64_t(mib));
        EXPECT_LE(kept, 32 * uint64_t(mib));
        shim.reset_calls();
        const auto again = device->tensor(bytes_desc(1000));
        ASSERT_TRUE(again);
        EXPECT_EQ(shim.calls("vkAllocateMemory"), 0u) << "that one is used again";
    }
}

TEST(Memory, ALargeTensorHasItsOwnAllocation)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        const MemoryUse before = device->memory();
        {
            const auto large = device->tensor(bytes_desc(20 * mib));
            ASSERT_TRUE(large) << large.message();
            EXPECT_EQ(device->memory().allocated - before.allocated, 20 * uint64_t(mib)) << "and not a byte more";
        }
        EXPECT_EQ(device->memory().allocated, before.allocated) << "gone with it";
    }
}

// A tensor may be larger than what kernels can bind of it at once.
TEST(Memory, ATensorMayExceedTheStorageBufferRange)
{
    constexpr uint32_t range = 1u << 27;  // lavapipe's own
    constexpr int64_t words = (300 * mib + 8) / 8;
    for (const PresentDevice& present : every_device())
        for (const bool split : {false, true}) {
            SCOPED_TRACE(present.label + (split ? ", split" : ""));
            kit::VulkanShim shim({.split_memory = split, .max_storage_buffer_range = range});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            std::vector<uint64_t> values(words);
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = i * 0x9e3779b97f4a7c15u;
            const auto large = device->tensor({DType::uint64, {words}}, values);
            ASSERT_TRUE(large) << large.message();
            EXPECT_GT(device->memory().used, uint64_t(range));
            std::vector<uint64_t> back(words);
            const Status read = large->download(back);
            ASSERT_TRUE(read) << read.message();
            EXPECT_TRUE(back == values);
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

TEST(Memory, TellsItsUseAndPeaks)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        EXPECT_EQ(device->memory().used, 0u);
        EXPECT_GT(device->memory().peak_used, 0u) << "the self-test needed some";
        {
            const auto one = device->tensor(bytes_desc(3 * mib));
            EXPECT_EQ(device->memory().used, 3 * uint64_t(mib));
            const auto two = device->tensor(bytes_desc(16 * mib));
            ASSERT_TRUE(one && two);
            EXPECT_EQ(device->memory().used, 19 * uint64_t(mib));
            EXPECT_GE(device->memory().allocated, 19 * uint64_t(mib));
        }
        const auto three = device->tensor(bytes_desc(2 * mib));
        ASSERT_TRUE(three);
        const MemoryUse use = device->memory();
        EXPECT_EQ(use.used, 2 * uint64_t(mib));
        EXPECT_EQ(use.peak_used, 19 * uint64_t(mib));
        EXPECT_GE(use.peak_allocated, 19 * uint64_t(mib));
        EXPECT_LT(use.allocated, 19 * uint64_t(mib));
    }
}

TEST(Memory, MaxMemoryIsRefusedBeforeAllocating)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false});
        DeviceOptions options = through(shim, present);
        options.max_memory = 4 * uint64_t(mib);
        options.self_test = present.capabilities.is_cpu;  // elsewhere it leaves a block that the host sees
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        auto first = device->tensor(bytes_desc(3 * mib));
        ASSERT_TRUE(first) << first.message();
        const int64_t before = shim.live_objects();
        shim.reset_calls();
        const auto second = device->tensor(bytes_desc(2 * mib));
        EXPECT_EQ(second.code(), Code::out_of_memory);
        EXPECT_EQ(second.message(),
                  "uint8[2097152] needs 2097152 bytes, but 3145728 of DeviceOptions::max_memory = 4194304 are in use");
        EXPECT_EQ(shim.calls("vkAllocateMemory"), 0u);
        EXPECT_LE(shim.live_objects(), before);
        EXPECT_EQ(device->tensor(bytes_desc(5 * mib)).code(), Code::out_of_memory) << "not even into an empty device";

        *first = {};
        // Where the host may not see the device's memory, an upload would take more of it.
        const auto third = present.capabilities.is_cpu ? device->tensor(bytes_desc(4 * mib), pattern(4 * mib, 3))
                                                       : device->tensor(bytes_desc(4 * mib));
        ASSERT_TRUE(third) << third.message();
        if (present.capabilities.is_cpu)
            expect_holds(*third, 3);
        EXPECT_EQ(device->memory().allocated, 4 * uint64_t(mib)) << "to the last byte";
    }
}

TEST(Memory, MaxMemoryHoldsUnderChange)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            const uint32_t seed = 11;
            SCOPED_TRACE(present.label + kind.name + ", seed " + std::to_string(seed));
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent});
            DeviceOptions options = through(shim, present);
            options.max_memory = 3 * uint64_t(mib);
            const auto device = Device::open(options);
            ASSERT_TRUE(device) << device.message();
            std::mt19937 random(seed);
            std::vector<Tensor> held;
            int refused = 0;
            for (int step = 0; step < 500; ++step) {
                const auto tensor = device->tensor(bytes_desc(1 + random() % (mib / 4)));
                if (tensor) {
                    held.push_back(*tensor);
                } else {
                    EXPECT_TRUE(holds(tensor.message(), "DeviceOptions::max_memory = 3145728")) << tensor.message();
                    EXPECT_GE(device->memory().used, uint64_t(mib)) << "refused far too early";
                    ++refused;
                    for (int i = 0; i < 5; ++i)
                        held.erase(held.begin() + std::ptrdiff_t(random() % held.size()));
                }
                ASSERT_LE(device->memory().allocated, options.max_memory);
            }
            EXPECT_GT(refused, 10);
            EXPECT_LE(device->memory().peak_allocated, options.max_memory);
            held.clear();
            expect_works(*device);
        }
}

TEST(Memory, StagingIsReused)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.split_memory = true});
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        auto tensor = device->tensor(bytes_desc(mib));
        ASSERT_TRUE(tensor && tensor->upload(pattern(mib, 1)));
        shim.reset_calls();
        for (uint32_t seed = 2; seed < 12; ++seed) {
            ASSERT_TRUE(tensor->upload(pattern(mib, seed)));
            expect_holds(*tensor, seed);
        }
        EXPECT_EQ(shim.calls("vkCmdCopyBuffer"), 20u);
        EXPECT_EQ(shim.calls("vkCreate*") + shim.calls("vkAllocate*"), 0u);

        // The buffer grows by doubling, up to 16 MiB.
        std::vector<Tensor> tensors;
        for (const int64_t size : {mib + 1, 2 * mib, 3 * mib, 5 * mib, 6 * mib, 9 * mib, 17 * mib})
            tensors.push_back(*device->tensor(bytes_desc(size)));
        shim.reset_calls();
        for (Tensor& each : tensors)
            ASSERT_TRUE(each.upload(pattern(each.desc().dims[0], 5)));
        EXPECT_EQ(shim.calls("vkCreateBuffer"), 4u) << "2, 4, 8 and 16 MiB";
        EXPECT_EQ(shim.calls("vkCmdCopyBuffer"), 8u) << "the last in two pieces";
        for (const Tensor& each : tensors)
            expect_holds(each, 5);
        EXPECT_EQ(shim.violations(), std::vector<std::string>());
    }
}

TEST(Memory, StagingShrinksToFitTheLimit)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim({.guards = false, .split_memory = true});
        DeviceOptions options = through(shim, present);
        options.max_memory = 8 * uint64_t(mib);
        const auto device = Device::open(options);
        ASSERT_TRUE(device) << device.message();
        auto tensor = device->tensor(bytes_desc(7 * mib));
        ASSERT_TRUE(tensor) << tensor.message();
        shim.reset_calls();
        const Status uploaded = tensor->upload(pattern(7 * mib, 9));
        ASSERT_TRUE(uploaded) << uploaded.message();
        EXPECT_GE(shim.calls("vkCmdCopyBuffer"), 7u) << "in pieces of at most 1 MiB";
        expect_holds(*tensor, 9);
        EXPECT_LE(device->memory().peak_allocated, options.max_memory);
    }
}

TEST(Memory, WhatTheHostSeesIsCopiedDirectly)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        kit::VulkanShim shim;
        const auto device = Device::open(through(shim, present));
        ASSERT_TRUE(device) << device.message();
        if (!device->capabilities().is_cpu)
            continue;
        shim.reset_calls();
        const auto tensor = device->tensor(bytes_desc(mib), pattern(mib, 4));
        ASSERT_TRUE(tensor);
        expect_holds(*tensor, 4);
        EXPECT_EQ(shim.calls("vkCmd*") + shim.calls("vkQueueSubmit") + shim.calls("vkMapMemory"), 1u)
            << "one new block is mapped, nothing is submitted";
        auto part = tensor->part(4096, bytes_desc(1000));
        ASSERT_TRUE(part && part->upload(pattern(1000, 5)));
        expect_holds(*part, 5);
        EXPECT_EQ(shim.calls("vkCmd*") + shim.calls("vkQueueSubmit"), 0u);
        std::vector<uint8_t> expected = pattern(mib, 4);
        std::ranges::copy(pattern(1000, 5), expected.begin() + 4096);
        std::vector<uint8_t> whole(expected.size());
        ASSERT_TRUE(tensor->download(whole));
        EXPECT_TRUE(whole == expected);
    }
}

// In memory that is not coherent the host's view of an atom may be older than what the device wrote into another part of it.
TEST(Memory, PartsAreWrittenWithoutTheirNeighbours)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            SCOPED_TRACE(present.label + kind.name);
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            const int64_t step = std::max(4u, device->capabilities().storage_buffer_alignment);
            const auto source = device->tensor(bytes_desc(step), pattern(step, 2));
            const auto whole = device->tensor(bytes_desc(3 * step), pattern(3 * step, 1));
            ASSERT_TRUE(source && whole);
            auto before = whole->part(0, bytes_desc(step));
            const auto between = whole->part(uint64_t(step), bytes_desc(step));
            auto after = whole->part(uint64_t(2 * step), bytes_desc(step));
            ASSERT_TRUE(before && between && after);
            const auto copy = device->prepare(Elementwise{.kind = ElementwiseKind::identity}, {bytes_desc(step)});
            ASSERT_TRUE(copy) << copy.message();
            ASSERT_TRUE(device->run(*copy, {*source}, {*between}));
            ASSERT_TRUE(before->upload(pattern(step, 3)));
            ASSERT_TRUE(after->upload(pattern(step, 4)));
            expect_holds(*before, 3);
            expect_holds(*between, 2);
            expect_holds(*after, 4);
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

TEST(Memory, ThreadsShareThePool)
{
    for (const PresentDevice& present : every_device())
        for (const MemoryKind& kind : memory_kinds) {
            SCOPED_TRACE(present.label + kind.name);
            kit::VulkanShim shim({.split_memory = kind.split, .incoherent_memory = kind.incoherent});
            const auto device = Device::open(through(shim, present));
            ASSERT_TRUE(device) << device.message();
            std::atomic<int> right = 0;
            std::vector<std::thread> threads;
            for (uint32_t thread = 0; thread < 4; ++thread)
                threads.emplace_back([&, thread] {
                    std::mt19937 random(thread);
                    std::vector<std::pair<Tensor, uint32_t>> held;
                    for (uint32_t i = 0; i < 100; ++i) {
                        const int64_t size = 1 + random() % 20000;
                        const auto made = device->tensor(bytes_desc(size), pattern(size, thread * 1000 + i));
                        if (!made)
                            return;
                        held.emplace_back(*made, thread * 1000 + i);
                        std::swap(held[random() % held.size()], held.back());
                        std::vector<uint8_t> values(size_t(held.back().first.desc().dims[0]), 0);
                        if (held.back().first.download(values) &&
                            values == pattern(held.back().first.desc().dims[0], held.back().second))
                            ++right;
                        if (random() % 3)
                            held.pop_back();
                    }
                });
            for (std::thread& thread : threads)
                thread.join();
            EXPECT_EQ(right, 400);
            EXPECT_EQ(shim.violations(), std::vector<std::string>());
            EXPECT_EQ(shim.guard_report(), "");
        }
}

// ---- VkAllocationCallbacks that count

struct Counts {
    std::atomic<int64_t> allocated = 0;
    std::atomic<int64_t> alive = 0;
};

// This header stands before each block that is handed out. It tells where the block begins for free, and how long it is.
struct Header {
    void* begin;
    size_t size;
};

void* VKAPI_CALL allocate(void* user, size_t size, size_t alignment, VkSystemAllocationScope)
{
    Counts& counts = *static_cast<Counts*>(user);
    void* const begin = std::malloc(sizeof(Header) + alignment + size);
    if (!begin)
        return nullptr;
    const uintptr_t first = reinterpret_cast<uintptr_t>(begin) + sizeof(Header);
    std::byte* const block = static_cast<std::byte*>(begin) + sizeof(Header) + (alignment - first % alignment) % alignment;
    const Header header = {begin, size};
    std::memcpy(block - sizeof(Header), &header, sizeof(Header));
    ++counts.allocated;
    ++counts.alive;
    return block;
}

void VKAPI_CALL release(void* user, void* block)
{
    if (!block)
        return;
    Header header;
    std::memcpy(&header, static_cast<std::byte*>(block) - sizeof(Header), sizeof(Header));
    std::free(header.begin);
    --static_cast<Counts*>(user)->alive;
}

void* VKAPI_CALL reallocate(void* user, void* block, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    void* const moved = size ? allocate(user, size, alignment, scope) : nullptr;
    if (block && moved) {
        Header header;
        std::memcpy(&header, static_cast<std::byte*>(block) - sizeof(Header), sizeof(Header));
        std::memcpy(moved, block, std::min(size, header.size));
    }
    if (moved || !size)
        release(user, block);
    return moved;
}

TEST(AllocationCallbacks, AreGivenToEveryCallAndBalanced)
{
    for (const PresentDevice& present : every_device()) {
        SCOPED_TRACE(present.label);
        Counts counts;
        {
            kit::VulkanShim shim({.split_memory = true});
            DeviceOptions options = through(shim, present);
            {
                // The struct need not outlive `open`.
                VkAllocationCallbacks callbacks = {};
                callbacks.pUserData = &counts;
                callbacks.pfnAllocation = allocate;
                callbacks.pfnReallocation = reallocate;
                callbacks.pfnFree = release;
                options.allocation_callbacks = &callbacks;
                const auto device = Device::open(options);
                std::memset(&callbacks, 0, sizeof(callbacks));
                ASSERT_TRUE(device) << device.message();
                expect_works(*device);
                const SmallRun small(*device);
                auto recording = device->recording();
                const auto binding = device->bind(small.op, {&small.x, 1}, {&small.y, 1});
                ASSERT_TRUE(recording && binding && recording->add(*binding) && recording->run());
                EXPECT_GT(counts.alive, 0);
            }
            EXPECT_GT(shim.calls("vkCreate*") + shim.calls("vkDestroy*"), 20u);
            EXPECT_EQ(shim.calls_without_callbacks(), 0u);
            EXPECT_EQ(shim.live_objects(), 0);

            options.allocation_callbacks = nullptr;
            ASSERT_TRUE(Device::open(options));
            EXPECT_GT(shim.calls_without_callbacks(), 0u) << "the shim notices calls without them";
        }
        EXPECT_GT(counts.allocated, 0);
        EXPECT_EQ(counts.alive, 0);
    }
}

}  // namespace
}  // namespace vkonnx::gpu_test
