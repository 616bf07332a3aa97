// What goes to a terminal: text that cannot command it, and the end of every tool, which does not lose output in silence.
#pragma once

#include <string>
#include <string_view>

namespace vkonnx::tools {

// Control characters (C0, DEL, C1, line and direction marks) and bytes that are no UTF-8 as "\x1b". For names and sentences.
std::string visible(std::string_view text);

// The same for a text of several lines: line ends stay.
std::string visible_lines(std::string_view text);

// The body of every main: the exit code of `work`; 1 with a sentence where it throws, and where it says 0 but what it printed
// could not be written. A closed pipe ends the process by SIGPIPE, where that signal is not ignored.
int tool_main(int (*work)(int, char**), int argc, char** argv);

}  // namespace vkonnx::tools
