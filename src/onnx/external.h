// SPDX-License-Identifier: Apache-2.0
// Weights in files of their own. Where they lie is a model's word, and untrusted: a file is read only if it lies below a folder
// that the caller named, whatever links lead to it. Nothing is kept open or in memory: each read opens the file anew and holds it
// against what is wanted of it, so that one which changed since the model was loaded gives an error or its new bytes. Who may
// write to the folder at that moment is trusted.
#pragma once

#include <vkonnx/onnx.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace vkonnx::onnx {

// The elements of a tensor are `bytes` bytes of a file from `offset` on. The sum of the two fits in int64_t.
struct ExternalData {
    std::string location = {};  // in the folder, by ONNX's rules: a relative path with slashes, in UTF-8
    uint64_t offset = 0;
    uint64_t bytes = 0;
};

// The folder whose files a model may name, wherever the process goes later.
struct ExternalFolder {
    std::filesystem::path path = {};  // empty: it may name none
    // Where a model's name is a link, as in caches of downloads, the folder of the file itself: links may lead there, too. What
    // that file says is the word of those who write to that folder.
    std::filesystem::path behind_link = {};

    static ExternalFolder named(const std::string& folder);
    static ExternalFolder of_model(const std::string& path);
};

// What is wrong with the words themselves, wherever the folder is; "" if nothing.
std::string wrong_location(std::string_view location);

// Checks that the bytes are there.
Status check_external(const ExternalFolder& folder, const ExternalData& data);

// Some of the bytes: those of the tensor from `from` on, as many as there is room for.
Status read_external(const ExternalFolder& folder, const ExternalData& data, uint64_t from, std::span<std::byte> to);

}  // namespace vkonnx::onnx
