// SPDX-License-Identifier: Apache-2.0
// This file reads weights from files of their own. The model says where they lie, and is not trusted: a file is read only if it
// lies below a folder that the caller named, whatever links lead to it. Nothing is kept open or in memory: each read opens the
// file anew and checks it, so that one which changed since the model was loaded gives an error or its new bytes. Those who may
// write to the folder at that moment are trusted.
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

// This struct names the folder whose files a model may name. It stays the same when the process changes its directory.
struct ExternalFolder {
    std::filesystem::path path = {};  // empty: it may name none
    // Where a model's path is a link, as in caches of downloads, this is the folder of the file itself. Links may lead there,
    // too, because those who write to that folder also decide what the model says.
    std::filesystem::path behind_link = {};

    static ExternalFolder named(const std::string& folder);
    static ExternalFolder of_model(const std::string& path);
};

// Returns what is wrong with the location itself, wherever the folder is, or "".
std::string wrong_location(std::string_view location);

// Checks that the bytes are there.
Status check_external(const ExternalFolder& folder, const ExternalData& data);

// Reads some of the tensor's bytes: from `from` on, as many as there is room for.
Status read_external(const ExternalFolder& folder, const ExternalData& data, uint64_t from, std::span<std::byte> to);

}  // namespace vkonnx::onnx
