// SPDX-License-Identifier: Apache-2.0
#include "gpu/pool.h"

#include <algorithm>

namespace vkonnx::gpu {
namespace {

constexpr uint64_t smallest_block = uint64_t(1) << 20;
constexpr uint64_t largest_block = uint64_t(32) << 20;
constexpr uint64_t largest_shared_piece = largest_block / 4;  // larger buffers have a block of their own

}  // namespace

struct Pool::Block {
    explicit Block(uint64_t bytes) : size(bytes), offsets(bytes) {}

    const uint64_t size;
    OffsetAllocator offsets;
    uint32_t type = 0;
    bool shared = true;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::byte* mapped = nullptr;

    bool empty() const { return offsets.free_bytes() == size; }
};

Pool::Pool(Device& device, uint64_t max_bytes) : device_(device), max_bytes_(max_bytes)
{
    use_.limit = max_bytes;
}

Pool::~Pool()
{
    if (!device_.may_destroy())
        return;
    for (const auto& blocks : blocks_)
        for (const auto& block : blocks)
            device_.vk().vkFreeMemory(device_.handle(), block->memory, device_.allocator());
}

Result<Pool::Piece> Pool::allocate(const VkMemoryRequirements& needs, std::span<const uint32_t> types, bool staging,
                                   const std::string& name)
{
    Failure failure;
    {
        std::lock_guard lock(mutex_);
        for (const uint32_t type : types) {
            const VkMemoryPropertyFlags flags = device_.physical().memory.memoryTypes[type].propertyFlags;
            const bool atoms = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) && !(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
            const uint64_t atom = atoms ? device_.physical().non_coherent_atom : 1;
            const uint64_t alignment = std::max<uint64_t>(needs.alignment, atom);
            const uint64_t size = (needs.size + atom - 1) / atom * atom;
            if (std::optional<Piece> piece = take(type, size, alignment, failure)) {
                piece->staging = staging;
                uint64_t& used = staging ? use_.staging : use_.used;
                uint64_t& peak = staging ? use_.peak_staging : use_.peak_used;
                used += size;
                peak = std::max(peak, used);
                return *piece;
            }
        }
        if (failure.over_limit)
            return Status(Code::out_of_memory,
                          name + " needs " + std::to_string(needs.size) + " bytes, but " + std::to_string(use_.allocated) +
                              " of DeviceOptions::max_memory = " + std::to_string(max_bytes_) + " are in use");
    }
    return device_.check(failure.result, failure.call);  // outside of the lock, because it may log
}

void Pool::free(const Piece& piece) noexcept
{
    std::lock_guard lock(mutex_);
    Block* const block = piece.block;
    block->offsets.give_back(piece.offset);
    (piece.staging ? use_.staging : use_.used) -= piece.size;
    if (!block->empty())
        return;
    const auto spare = std::find_if(blocks_[block->type].begin(), blocks_[block->type].end(),
                                    [&](const auto& other) { return other.get() != block && other->empty(); });
    if (!block->shared)
        drop_block(block);
    else if (spare != blocks_[block->type].end())
        drop_block((*spare)->size < block->size ? spare->get() : block);
}

MemoryUse Pool::use() const
{
    if (device_.is_forked())
        return use_;
    std::lock_guard lock(mutex_);
    return use_;
}

std::optional<Pool::Piece> Pool::take(uint32_t type, uint64_t size, uint64_t alignment, Failure& failure)
{
    const auto in = [&](Block& block) -> std::optional<Piece> {
        const std::optional<uint64_t> offset = block.offsets.take(size, alignment);
        if (!offset)
            return {};
        return Piece{block.memory,
                     *offset,
                     size,
                     block.mapped ? block.mapped + *offset : nullptr,
                     device_.physical().memory.memoryTypes[type].propertyFlags,
                     &block};
    };
    if (size <= largest_shared_piece)
        for (const auto& block : blocks_[type])
            if (block->shared)
                if (const std::optional<Piece> piece = in(*block))
                    return piece;
    Block* const added = grow(type, size, failure);
    return added ? in(*added) : std::nullopt;
}

Pool::Block* Pool::grow(uint32_t type, uint64_t size, Failure& failure)
{
    if (size <= largest_shared_piece)
        if (Block* const block = add_block(type, shared_block_size(type, size), true, failure))
            return block;
    if (Block* const block = add_block(type, size, false, failure))
        return block;
    drop_empty_blocks();
    return add_block(type, size, false, failure);
}

uint64_t Pool::shared_block_size(uint32_t type, uint64_t size) const
{
    const auto shared =
        std::count_if(blocks_[type].begin(), blocks_[type].end(), [](const auto& block) { return block->shared; });
    const uint64_t wanted = shared < 5 ? smallest_block << shared : largest_block;
    const VkPhysicalDeviceMemoryProperties& memory = device_.physical().memory;
    const uint64_t heap = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
    const uint64_t most = std::min({largest_block, heap / 64, max_bytes_ ? max_bytes_ / 16 : largest_block});
    return std::max(std::min(std::max(wanted, 2 * size), most), size);
}

Pool::Block* Pool::add_block(uint32_t type, uint64_t size, bool shared, Failure& failure)
{
    if (max_bytes_ != 0 && (use_.allocated > max_bytes_ || size > max_bytes_ - use_.allocated)) {
        failure.over_limit = true;
        return nullptr;
    }
    // All that can throw comes before the memory is taken.
    auto block = std::make_unique<Block>(size);
    blocks_[type].reserve(blocks_[type].size() + 1);
    block->type = type;
    block->shared = shared;

    const VolkDeviceTable& vk = device_.vk();
    auto info = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    info.allocationSize = size;
    info.memoryTypeIndex = type;
    VkResult result = vk.vkAllocateMemory(device_.handle(), &info, device_.allocator(), &block->memory);
    if (result != VK_SUCCESS) {
        failure = {result, "vkAllocateMemory", false};
        return nullptr;
    }
    if (device_.physical().memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        void* pointer = nullptr;
        result = vk.vkMapMemory(device_.handle(), block->memory, 0, VK_WHOLE_SIZE, 0, &pointer);
        if (result != VK_SUCCESS) {
            vk.vkFreeMemory(device_.handle(), block->memory, device_.allocator());
            failure = {result, "vkMapMemory", false};
            return nullptr;
        }
        block->mapped = static_cast<std::byte*>(pointer);
    }
    use_.allocated += size;
    use_.peak_allocated = std::max(use_.peak_allocated, use_.allocated);
    blocks_[type].push_back(std::move(block));
    return blocks_[type].back().get();
}

void Pool::drop_block(const Block* block) noexcept
{
    auto& blocks = blocks_[block->type];
    use_.allocated -= block->size;
    device_.vk().vkFreeMemory(device_.handle(), block->memory, device_.allocator());  // this also unmaps it
    blocks.erase(std::find_if(blocks.begin(), blocks.end(), [&](const auto& other) { return other.get() == block; }));
}

void Pool::drop_empty_blocks() noexcept
{
    for (auto& blocks : blocks_)
        for (size_t i = blocks.size(); i-- > 0;)
            if (blocks[i]->empty())
                drop_block(blocks[i].get());
}

}  // namespace vkonnx::gpu
