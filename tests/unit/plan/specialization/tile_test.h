// This header lists the specialization constants of tile_test.comp: a workgroup of all three dimensions, sized by rows in any
// order.
#ifndef VKONNX_SPECIALIZATION_TILE_TEST_H
#define VKONNX_SPECIALIZATION_TILE_TEST_H

#include "specialization/rows.h"

#define TILE_TEST_SPECIALIZATION(SIZE, CONSTANT)                                                                                 \
    SIZE(0, columns, x)                                                                                                          \
    CONSTANT(1, depth, 8)                                                                                                        \
    SIZE(2, planes, z)                                                                                                           \
    SIZE(3, rows, y)

SPECIALIZATION(TileTest, TILE_TEST_SPECIALIZATION)

#endif
