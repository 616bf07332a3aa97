#version 450
// A row of the variant table with tile sizes, for specialization_test.cpp.
#extension GL_GOOGLE_include_directive : require
#include "specialization/plain.h"

layout(binding = 0) writeonly buffer Output
{
    uint y[];
};

void main()
{
    y[TILE_N] = TILE_M;
}
