// This header lists the specialization constants of tile_test.comp: a workgroup of all three dimensions, sized by rows in any
// order.
#ifndef VKONNX_TILE_TEST_CONSTANTS_H
#define VKONNX_TILE_TEST_CONSTANTS_H

#include "shaders/library/constants.h"

#define TILE_TEST_SPECIALIZATION(SIZE, CONSTANT)                                                                                 \
    SIZE(0, columns, x)                                                                                                          \
    CONSTANT(1, depth, 8)                                                                                                        \
    SIZE(2, planes, z)                                                                                                           \
    SIZE(3, rows, y)

SPECIALIZATION(TileTest, TILE_TEST_SPECIALIZATION)

#endif
