// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: what a shared library exports.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
// VKONNX_API marks what is exported. VKONNX_SHARED is defined where the library is a shared one, and VKONNX_BUILDING while it is
// compiled; CMake's targets define both.
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
