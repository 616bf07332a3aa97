// This header bounds the memory that stb_image takes.
#pragma once

#include <cstddef>

// Bounds the calls of this thread from now on. A block of memory beyond this many bytes is refused, and with it the picture.
void stb_bound_blocks(size_t bytes);
