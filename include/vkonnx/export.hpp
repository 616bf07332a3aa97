// SPDX-License-Identifier: Apache-2.0
// This header has VKONNX_API, which marks what a shared library exports. VKONNX_SHARED is defined where the library is a shared
// one, and VKONNX_BUILDING while it is compiled; CMake's targets define both.
#ifndef VKONNX_EXPORT_HPP
#define VKONNX_EXPORT_HPP

#if defined(VKONNX_SHARED) && defined(_WIN32)
#ifdef VKONNX_BUILDING
#define VKONNX_API __declspec(dllexport)
#else
#define VKONNX_API __declspec(dllimport)
#endif
#elif defined(VKONNX_SHARED) && defined(__GNUC__)
#define VKONNX_API __attribute__((visibility("default")))
#else
#define VKONNX_API
#endif

#endif
