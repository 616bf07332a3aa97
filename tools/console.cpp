#include "console.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

namespace vkonnx::tools {

// Returns the number of bytes of the character at the front, or 0 where it must not be shown as it is.
static size_t shown_bytes(std::string_view text)
{
    const auto byte = [&](size_t i) { return uint32_t(static_cast<unsigned char>(text[i])); };
    const uint32_t lead = byte(0);
    if (lead < 0x80)
        return lead >= 0x20 && lead != 0x7f;
    const size_t size = lead >= 0xf8 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    if (size == 0 || size > text.size())
        return 0;
    uint32_t code = lead & (0x7f >> size);
    for (size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};  // a code below it is C1, or written in more bytes than it needs
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    const bool is_mark = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return code < least[size] || code > 0x10ffff || is_surrogate || is_mark ? 0 : size;
}

static std::string visible_but(char kept, std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        const size_t size = text[0] == kept ? 1 : shown_bytes(text);
        if (size > 0) {
            shown += text.substr(0, size);
        } else {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\x%02x", unsigned(static_cast<unsigned char>(text[0])));
            shown += escape;
        }
        text.remove_prefix(size > 0 ? size : 1);
    }
    return shown;
}

std::string visible(std::string_view text)
{
    return visible_but(' ', text);
}

std::string visible_lines(std::string_view text)
{
    return visible_but('\n', text);
}

// Returns `code`, or 1 where it is 0 and something that was printed is lost.
static int finished(int code)
{
    std::cout.flush();
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && !std::ferror(stdout) && std::cout)
        return code;
    // An earlier write may have failed. The cause of that is no longer known.
    std::fprintf(stderr, "standard output can't be written%s%s\n", flushed ? "" : ": ", flushed ? "" : std::strerror(errno));
    return code == 0 ? 1 : code;
}

int tool_main(int (*work)(int, char**), int argc, char** argv)
{
    int code = 1;
    try {
        code = work(argc, argv);
    } catch (const std::bad_alloc&) {  // from sizes that someone asked for
        std::fprintf(stderr, "there is not enough memory\n");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", visible(error.what()).c_str());
    }
    return finished(code);
}

}  // namespace vkonnx::tools
