// Specialization constant ids, shared by C++ and GLSL. Every kernel's ids are dense from 0; id 0 is always its workgroup size.
#ifndef VKONNX_SPEC_IDS_H
#define VKONNX_SPEC_IDS_H

#define SPEC_WORKGROUP_SIZE 0

// conv_transpose_direct, conv_transpose_nd
#define SPEC_CONV_TRANSPOSE_RANK 1
#define SPEC_CONV_TRANSPOSE_BIAS 2
#define SPEC_CONV_TRANSPOSE_LAYOUT 3
#define SPEC_CONV_TRANSPOSE_FILTER 4

// values of SPEC_CONV_TRANSPOSE_LAYOUT and SPEC_CONV_TRANSPOSE_FILTER, as vkonnx::Layout and onednn::FilterFormat number them
#define LAYOUT_NCX 0
#define LAYOUT_NXC 1
#define FILTER_XIO 0
#define FILTER_OIX 1
#define FILTER_IOX 2

// average_pool_direct, average_pool_nd
#define SPEC_AVERAGE_POOL_RANK 1
#define SPEC_AVERAGE_POOL_COUNT_INCLUDE_PAD 2
#define SPEC_AVERAGE_POOL_EXACT_DIVISION 3

// binding of the uniform buffer, behind the four storage buffers that a kernel may use
#define UNIFORM_BINDING 4

#endif
