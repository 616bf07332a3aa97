// This file is the one place where stb's functions are compiled.
#include "stb_bounds.h"

#include <cstdlib>

// A file itself claims how large it unpacks, so each block of memory is bounded.
static thread_local size_t most_bytes = 0;

static void* bounded_realloc(void* block, size_t size)
{
    return size > most_bytes ? nullptr : std::realloc(block, size);
}

void stb_bound_blocks(size_t bytes)
{
    most_bytes = bytes;
}

#define STBI_MALLOC(size) bounded_realloc(nullptr, size)
#define STBI_REALLOC(block, size) bounded_realloc(block, size)
#define STBI_FREE(block) std::free(block)
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
