// Bindings that C++ and GLSL agree on.
#ifndef VKONNX_BINDINGS_H
#define VKONNX_BINDINGS_H

// of the uniform buffer, behind the four storage buffers that a kernel may use
#define UNIFORM_BINDING 4

#endif
