#include "console.h"

#include <gtest/gtest.h>

#include "cli.h"
#include "html.h"

namespace vkonnx::tools {
namespace {

TEST(Console, TextCannotCommandATerminal)
{
    const std::pair<std::string, std::string> rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"gr\u00fc\u00df \u20ac \U0001f600 \u00a0", "gr\u00fc\u00df \u20ac \U0001f600 \u00a0"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {std::string("a\0b\tc\nd\re\x7f", 10), "a\\x00b\\x09c\\x0ad\\x0de\\x7f"},
        {"\xc2\x9b"
         "31m\xc2\x80\xc2\x9f",
         "\\xc2\\x9b31m\\xc2\\x80\\xc2\\x9f"},  // C1 controls: CSI, the first and the last
        {"\x9b\xff\xfe", "\\x9b\\xff\\xfe"},
        {"\xc1\xbf\xe0\x9f\xbf\xf0\x8f\xbf\xbf", "\\xc1\\xbf\\xe0\\x9f\\xbf\\xf0\\x8f\\xbf\\xbf"},  // encoded in too many bytes
        {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"},  // a surrogate, and beyond the last character
        {"\u202eabc\u2066", "\\xe2\\x80\\xaeabc\\xe2\\x81\\xa6"},                 // marks that change the direction of text
        {"\xe2\x82", "\\xe2\\x82"},                                               // a sequence that is cut off
    };
    for (const auto& [text, shown] : rows) {
        EXPECT_EQ(visible(text), shown);
        EXPECT_EQ(visible(shown), shown);
    }
    EXPECT_EQ(visible_lines("a\nb\x1b\r\n"), "a\nb\\x1b\\x0d\n");
}

TEST(Console, TablesSentencesAndPagesAreVisible)
{
    Table table;
    table.add({"a\x1b", "1"});
    table.add({"abcde\n", "2"});
    EXPECT_EQ(table.text(), "a\\x1b      1\nabcde\\x0a  2\n") << "aligned as it is shown";
    testing::internal::CaptureStderr();
    EXPECT_EQ(fail(7, "a\x1b]0;title\x07"), 7);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "a\\x1b]0;title\\x07\n");
    EXPECT_EQ(html_escape("<a>\x1b\n\xff"), "&lt;a&gt;\\x1b\n\\xff");
}

TEST(Console, AnExceptionIsASentenceAndOne)
{
    testing::internal::CaptureStderr();
    EXPECT_EQ(tool_main([](int, char**) -> int { throw std::bad_alloc(); }, 0, nullptr), 1);
    EXPECT_EQ(tool_main([](int, char**) -> int { throw std::runtime_error("odd\x1b"); }, 0, nullptr), 1);
    EXPECT_EQ(tool_main([](int argc, char**) { return argc; }, 5, nullptr), 5);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "there is not enough memory\nodd\\x1b\n");
}

}  // namespace
}  // namespace vkonnx::tools
