#include "html.h"

#include "console.h"

namespace vkonnx::tools {

std::string html_escape(std::string_view text)
{
    std::string escaped;
    for (const char c : visible_lines(text))
        switch (c) {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        case '\'':
            escaped += "&#39;";
            break;
        default:
            escaped += c;
        }
    return escaped;
}

}  // namespace vkonnx::tools
