// SPDX-License-Identifier: Apache-2.0
#include "gpu/cache_format.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string_view>

namespace vkonnx::gpu {
namespace {

constexpr std::string_view cache_magic = "vkonnxPC";
constexpr uint32_t format_version = 1;
constexpr size_t checksum_at = 72;
constexpr size_t payload_at = 80;
constexpr size_t version_bytes = 16;
constexpr size_t vulkan_header_bytes = 32;  // the size of VkPipelineCacheHeaderVersionOne

class Writer {
public:
    void number(uint64_t value, size_t bytes)
    {
        for (size_t i = 0; i < bytes; ++i)
            out_.push_back(std::byte(value >> (8 * i) & 0xff));
    }
    void bytes(std::span<const std::byte> some) { out_.insert(out_.end(), some.begin(), some.end()); }
    void bytes(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
    std::vector<std::byte>& out() { return out_; }

private:
    std::vector<std::byte> out_;
};

// A Reader reads on until something is missing. All that follows is then zero and empty.
class Reader {
public:
    explicit Reader(std::span<const std::byte> from) : rest_(from) {}
    std::span<const std::byte> bytes(uint64_t count)
    {
        is_good_ = is_good_ && count <= rest_.size();
        if (!is_good_)
            return {};
        const std::span<const std::byte> some = rest_.first(size_t(count));
        rest_ = rest_.subspan(size_t(count));
        return some;
    }
    uint64_t number(size_t count)
    {
        uint64_t value = 0;
        const std::span<const std::byte> some = bytes(count);
        for (size_t i = 0; i < some.size(); ++i)
            value |= uint64_t(some[i]) << (8 * i);
        return value;
    }
    std::string text()
    {
        const std::span<const std::byte> some = bytes(number(4));
        return {reinterpret_cast<const char*>(some.data()), some.size()};
    }
    bool is_good() const { return is_good_; }
    bool is_at_end() const { return is_good_ && rest_.empty(); }

private:
    std::span<const std::byte> rest_;
    bool is_good_ = true;
};

// Returns the header without its last two fields, the size and the checksum.
std::vector<std::byte> header(const CacheIdentity& identity)
{
    Writer writer;
    writer.bytes(cache_magic);
    for (const uint32_t value :
         {format_version, uint32_t(sizeof(void*)), identity.vendor, identity.device, identity.driver, identity.driver_version})
        writer.number(value, 4);
    writer.bytes(std::as_bytes(std::span(identity.uuid)));
    std::string version = VKONNX_VERSION;
    version.resize(version_bytes);
    writer.bytes(version);
    return std::move(writer.out());
}

uint64_t checksum(std::span<const std::byte> before, std::span<const std::byte> payload)
{
    Hash hash;
    hash.add(before);
    hash.add(payload);
    return hash.value();
}

bool read_payload(std::span<const std::byte> bytes, CacheContent& content)
{
    Reader reader(bytes);
    for (uint64_t left = reader.number(4); left > 0 && reader.is_good(); --left) {
        std::string name = reader.text();
        std::string text = reader.text();
        if (reader.is_good())
            content.texts.insert_or_assign(std::move(name), std::move(text));
    }
    for (uint64_t left = reader.number(4); left > 0 && reader.is_good(); --left) {
        const uint64_t key = reader.number(8);
        const std::span<const std::byte> data = reader.bytes(reader.number(4));
        if (reader.is_good())
            content.pipelines.push_back({key, {data.begin(), data.end()}});
    }
    return reader.is_at_end();
}

}  // namespace

std::vector<std::byte> encode(const CacheIdentity& identity, const CacheContent& content, size_t max_bytes)
{
    size_t bytes = payload_at + 8;
    Writer payload;
    uint32_t texts = 0;
    for (const auto& [name, text] : content.texts)
        if (const size_t more = 8 + name.size() + text.size(); more <= max_bytes && bytes + more <= max_bytes) {
            bytes += more;
            ++texts;
            for (const std::string_view part : {std::string_view(name), std::string_view(text)}) {
                payload.number(part.size(), 4);
                payload.bytes(part);
            }
        }
    Writer pipelines;
    uint32_t count = 0;
    for (const CachedPipeline& pipeline : content.pipelines)
        if (const size_t more = 12 + pipeline.data.size(); more <= max_bytes && bytes + more <= max_bytes) {
            bytes += more;
            ++count;
            pipelines.number(pipeline.key, 8);
            pipelines.number(pipeline.data.size(), 4);
            pipelines.bytes(pipeline.data);
        }

    Writer whole;
    whole.bytes(header(identity));
    whole.number(bytes - payload_at, 8);
    whole.number(0, 8);  // the place of the checksum
    whole.number(texts, 4);
    whole.bytes(payload.out());
    whole.number(count, 4);
    whole.bytes(pipelines.out());
    const std::span<const std::byte> all = whole.out();
    const uint64_t sum = checksum(all.first(checksum_at), all.subspan(payload_at));
    for (size_t i = 0; i < 8; ++i)
        whole.out()[checksum_at + i] = std::byte(sum >> (8 * i) & 0xff);
    return std::move(whole.out());
}

std::optional<CacheContent> decode(const CacheIdentity& identity, std::span<const std::byte> bytes, std::string& why)
{
    const auto refuse = [&](const char* words) {
        why = words;
        return std::nullopt;
    };
    if (bytes.size() < payload_at || std::memcmp(bytes.data(), cache_magic.data(), cache_magic.size()) != 0)
        return refuse("it is no cache of vkonnx");
    Reader reader(bytes.subspan(checksum_at - 8, 16));
    const uint64_t size = reader.number(8);
    const uint64_t sum = reader.number(8);
    const std::span<const std::byte> payload = bytes.subspan(payload_at);
    if (size != payload.size() || sum != checksum(bytes.first(checksum_at), payload))
        return refuse("it is damaged");
    const std::vector<std::byte> expected = header(identity);
    if (!std::equal(expected.begin(), expected.end(), bytes.begin()))
        return refuse("it is of another version of vkonnx or of the driver");
    CacheContent content;
    if (!read_payload(payload, content))
        return refuse("it is damaged");
    std::erase_if(content.pipelines, [&](const CachedPipeline& one) { return !is_pipeline_data(identity, one.data); });
    return content;
}

bool is_pipeline_data(const CacheIdentity& identity, std::span<const std::byte> data)
{
    Reader reader(data);
    const uint64_t header_bytes = reader.number(4);
    const uint64_t version = reader.number(4);
    const uint64_t vendor = reader.number(4);
    const uint64_t device = reader.number(4);
    const std::span<const std::byte> uuid = reader.bytes(identity.uuid.size());
    return reader.is_good() && data.size() > vulkan_header_bytes && header_bytes == vulkan_header_bytes && version == 1 &&
           vendor == identity.vendor && device == identity.device &&
           std::memcmp(uuid.data(), identity.uuid.data(), uuid.size()) == 0;
}

std::string cache_name(const CacheIdentity& identity)
{
    Writer writer;
    for (const uint32_t value : {identity.vendor, identity.device, identity.driver, uint32_t(sizeof(void*))})
        writer.number(value, 4);
    writer.bytes(VKONNX_VERSION);
    Hash hash;
    hash.add(writer.out());
    char text[32];
    std::snprintf(text, sizeof text, "vkonnx-%016llx", static_cast<unsigned long long>(hash.value()));
    return text;
}

CacheContent merged(CacheContent newer, CacheContent older)
{
    newer.texts.merge(older.texts);
    std::set<uint64_t> keys;
    for (const CachedPipeline& one : newer.pipelines)
        keys.insert(one.key);
    for (CachedPipeline& one : older.pipelines)
        if (keys.insert(one.key).second)
            newer.pipelines.push_back(std::move(one));
    return newer;
}

}  // namespace vkonnx::gpu
