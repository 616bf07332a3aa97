// stb_image with bounded memory.
#pragma once

#include <cstddef>

// For the calls of this thread from now on: a block of memory beyond this many bytes is refused, and with it the picture.
void stb_bound_blocks(size_t bytes);
