// This header is for what goes to a terminal: text that can't command it, and the end of every tool, at which no output is lost
// in silence.
#pragma once

#include <string>
#include <string_view>

namespace vkonnx::tools {

// Returns the text with control characters (C0, DEL, C1, line and direction marks) and bytes that are no UTF-8 written as "\x1b".
// It is for names and sentences.
std::string visible(std::string_view text);

// Does the same for a text of several lines, whose line ends stay.
std::string visible_lines(std::string_view text);

// This function is the body of every main. It returns the exit code of `work`, or 1 with a sentence where `work` throws, or where
// it returns 0 but what it printed could not be written. A closed pipe ends the process by SIGPIPE, where that signal is not
// ignored.
int tool_main(int (*work)(int, char**), int argc, char** argv);

}  // namespace vkonnx::tools
