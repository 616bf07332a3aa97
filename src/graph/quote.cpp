// SPDX-License-Identifier: Apache-2.0
#include "graph/quote.h"

#include <algorithm>
#include <cstdint>

namespace vkonnx::graph {

// Returns how many bytes the first character has, or 0 where it must not be shown as it is.
static size_t shown_bytes(std::string_view text)
{
    auto byte = [&](size_t i) { return uint32_t(static_cast<unsigned char>(text[i])); };
    uint32_t lead = byte(0);
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7f;
    size_t size = lead >= 0xf8 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (size == 0 || size > text.size())
        return 0;
    uint32_t code = lead & (0x7f >> size);
    for (size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};  // smaller codes are C1 or take fewer bytes
    bool is_surrogate = code >= 0xd800 && code < 0xe000;
    bool is_mark = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < least[size] || code > 0x10ffff || is_surrogate || is_mark ? 0 : size;
}

std::string visible(std::string_view text)
{
    constexpr size_t longest = 80;
    constexpr char digits[] = "0123456789abcdef";
    std::string shown;
    size_t at = 0;
    for (size_t size; at < std::min(text.size(), longest); at += std::max<size_t>(size, 1)) {
        size = shown_bytes(text.substr(at));
        auto byte = static_cast<unsigned char>(text[at]);
        shown += size > 0 ? std::string(text.substr(at, size)) : std::string{'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    return at < text.size() ? shown + "..." : shown;
}

std::string quote(std::string_view text)
{
    return "'" + visible(text) + "'";
}

}  // namespace vkonnx::graph
