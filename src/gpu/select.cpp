// SPDX-License-Identifier: Apache-2.0
// This file implements select_device, which tells what DeviceOptions::select means.
#include "gpu/instance.h"

#include <algorithm>
#include <charconv>

namespace vkonnx::gpu {
namespace {

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return result;
}

std::optional<size_t> number(std::string_view text)
{
    size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// Returns a text such as "0 'llvmpipe', 1 'SwiftShader' (rejected: it has no compute queue)".
std::string listed(std::span<const DeviceInfo> devices, std::span<const size_t> which)
{
    std::string text;
    for (const size_t i : which) {
        text += (text.empty() ? "" : ", ") + std::to_string(i) + " '" + devices[i].name + "'";
        if (!devices[i].rejected.empty())
            text += " (rejected: " + devices[i].rejected + ")";
    }
    return text;
}

std::vector<size_t> all_of(std::span<const DeviceInfo> devices)
{
    std::vector<size_t> all(devices.size());
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    return all;
}

Status none_fits(std::span<const DeviceInfo> devices, std::string_view select)
{
    const std::string wanted = select.empty() ? "no device can be used" : "no device fits '" + std::string(select) + "'";
    const std::string there = devices.empty() ? "; there is none" : "; there is " + listed(devices, all_of(devices));
    return Status(Code::no_device, wanted + there);
}

int rank(DeviceKind kind)
{
    switch (kind) {
    case DeviceKind::discrete_gpu:
        return 0;
    case DeviceKind::integrated_gpu:
        return 1;
    case DeviceKind::virtual_gpu:
        return 2;
    case DeviceKind::other:
        return 3;
    case DeviceKind::cpu:
        return 4;
    }
    return 5;
}

bool is_gpu(DeviceKind kind)
{
    return kind == DeviceKind::discrete_gpu || kind == DeviceKind::integrated_gpu || kind == DeviceKind::virtual_gpu;
}

Result<size_t> best(std::span<const DeviceInfo> devices)
{
    std::optional<size_t> found;
    for (size_t i = 0; i < devices.size(); ++i)
        if (devices[i].rejected.empty() && (!found || rank(devices[i].kind) < rank(devices[*found].kind)))
            found = i;
    return found ? Result<size_t>(*found) : none_fits(devices, "");
}

// Returns the usable device of a kind at this place, counted from 0.
Result<size_t> of_kind(std::span<const DeviceInfo> devices, std::string_view select, bool gpu, size_t place)
{
    for (size_t i = 0; i < devices.size(); ++i) {
        const bool fits = gpu ? is_gpu(devices[i].kind) : devices[i].kind == DeviceKind::cpu;
        if (fits && devices[i].rejected.empty() && place-- == 0)
            return i;
    }
    return none_fits(devices, select);
}

Result<size_t> only_one(std::span<const DeviceInfo> devices, std::string_view select, const std::vector<size_t>& matches)
{
    std::vector<size_t> usable;
    for (const size_t i : matches)
        if (devices[i].rejected.empty())
            usable.push_back(i);
    if (usable.size() == 1)
        return usable[0];
    if (usable.size() > 1)
        return Status(Code::no_device, "'" + std::string(select) + "' fits several devices: " + listed(devices, usable) +
                                           "; name one by its index");
    if (matches.size() == 1)
        return Status(Code::no_device, "device " + std::to_string(matches[0]) + " '" + devices[matches[0]].name +
                                           "' can't be used: " + devices[matches[0]].rejected);
    return none_fits(devices, select);
}

}  // namespace

Result<size_t> select_device(std::span<const DeviceInfo> devices, std::string_view select)
{
    const std::string wanted = lower(select);
    if (wanted.empty())
        return best(devices);
    if (const auto index = number(wanted); index && *index < devices.size())
        return only_one(devices, select, {*index});
    for (const std::string_view kind : {"gpu", "cpu"}) {
        if (wanted == kind)
            return of_kind(devices, select, kind == "gpu", 0);
        if (wanted.starts_with(std::string(kind) + ":"))
            if (const auto place = number(wanted.substr(kind.size() + 1)))
                return of_kind(devices, select, kind == "gpu", *place);
    }

    std::vector<size_t> matches, exact;
    if (wanted.starts_with("uuid:")) {
        std::string uuid = wanted.substr(5);
        std::erase(uuid, '-');
        for (size_t i = 0; i < devices.size(); ++i)
            if (devices[i].uuid == uuid)
                matches.push_back(i);
        return only_one(devices, select, matches);
    }
    for (size_t i = 0; i < devices.size(); ++i) {
        const std::string name = lower(devices[i].name);
        if (name == wanted)
            exact.push_back(i);
        if (name.find(wanted) != std::string::npos)
            matches.push_back(i);
    }
    return only_one(devices, select, exact.empty() ? matches : exact);
}

}  // namespace vkonnx::gpu
