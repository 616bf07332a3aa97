// SPDX-License-Identifier: Apache-2.0
#include "api/tune.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "api/operands.h"
#include "api/planned.h"
#include "api/state.h"
#include "api/timing.h"
#include "gpu/persistent_cache.h"
#include "ops/problem_text.h"
#include "return_if_error.h"

namespace vkonnx::api {
namespace {

// A kernel is timed if its estimate is at most this many times the least one. Estimates are right within a factor of 3.
constexpr double most_times = 8;
constexpr int runs = 5;
// A kernel whose first time is this many times the fastest one's is not timed again.
constexpr double out_of_the_race = 2;
// This comes before the problem in the name by which the cache keeps its kernel.
constexpr const char* kept_tuning = "tuning ";

std::string device_of(const DeviceInfo& info)
{
    std::string text = info.name + ", " + info.driver;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
}

// ---- what is timed

// Noise makes numbers from 0.5 to 1 of either sign, so that no kernel gains by shortcuts for zeros. Integers have any bits.
class Noise {
public:
    std::vector<std::byte> elements(const TensorDesc& desc)
    {
        const size_t width = bits(desc.dtype) / 8;
        std::vector<std::byte> bytes(size_t(*element_count(desc)) * width);
        for (size_t at = 0; at < bytes.size(); at += width) {
            const uint64_t element = one(desc.dtype);
            std::memcpy(bytes.data() + at, &element, std::min(width, sizeof element));  // hosts of Vulkan are little-endian
        }
        return bytes;
    }

private:
    uint64_t one(DType dtype)
    {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        const uint64_t random = state_ >> 12;
        const uint64_t sign = state_ >> 63;
        switch (dtype) {
        case DType::float16:
            return sign << 15 | 0x3800 | (random >> 32 & 0x3ff);
        case DType::bfloat16:
            return sign << 15 | 0x3f00 | (random >> 32 & 0x7f);
        case DType::float64:
            return sign << 63 | uint64_t(0x3fe) << 52 | random;
        default:
            return sign << 31 | 0x3f000000 | (random >> 16 & 0x7fffff);
        }
    }

    uint64_t state_ = 1;
};

struct Candidate {
    std::string kernel;
    double seconds = HUGE_VAL;  // the least time
};

class Race {
public:
    Race(const Device& device, const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options)
        : device_(device), op_(op), inputs_(inputs), options_(options)
    {
    }

    Status run(std::span<const KernelInfo> kernels)
    {
        VKONNX_RETURN_IF_ERROR(make_inputs());
        for (const KernelInfo& kernel : kernels)
            VKONNX_RETURN_IF_ERROR(time(kernel.name));
        return {};
    }

    Tuned winner() const
    {
        const auto faster = [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; };
        const auto best = std::min_element(candidates_.begin(), candidates_.end(), faster);
        Tuned tuned = {.kernel = best->kernel, .why = "timed (PrepareOptions::tune):"};
        for (const Candidate& one : candidates_) {
            char text[32];
            std::snprintf(text, sizeof text, " %.3g ms", one.seconds * 1e3);
            tuned.why += (&one == &candidates_.front() ? " " : ", ") + one.kernel + text;
        }
        return tuned;
    }

private:
    Status make_inputs()
    {
        Noise noise;
        for (size_t i = 0; i < inputs_.size(); ++i) {
            const auto constant = std::find_if(options_.constants.begin(), options_.constants.end(),
                                               [&](const ConstantInput& one) { return one.input == i; });
            if (constant != options_.constants.end() || inputs_[i].dtype == DType::undefined)
                continue;
            Result<Tensor> made = device_.tensor(inputs_[i], noise.elements(inputs_[i]));
            VKONNX_RETURN_IF_ERROR(made.status());
            bound_.push_back(std::move(*made));
        }
        return {};
    }

    Status make_outputs(const Op& op)
    {
        while (outputs_.size() < op.outputs().size()) {
            Result<Tensor> made = device_.tensor(op.outputs()[outputs_.size()]);
            VKONNX_RETURN_IF_ERROR(made.status());
            outputs_.push_back(std::move(*made));
        }
        return {};
    }

    Status time(const std::string& kernel)
    {
        PrepareOptions forced = options_;
        forced.tune = false;
        forced.kernel = kernel;
        forced.staging = {};
        const Result<Op> op = device_.prepare(op_, inputs_, forced);
        VKONNX_RETURN_IF_ERROR(op.status());
        VKONNX_RETURN_IF_ERROR(make_outputs(*op));
        const OpState& state = *state_of(*op);
        const auto buffers = tensors_of(state, bound_, outputs_, Tensor());
        VKONNX_RETURN_IF_ERROR(buffers.status());
        const Result<double> first = seconds_of(state.program, *buffers, 2, Clock::device);
        VKONNX_RETURN_IF_ERROR(first.status());
        double seconds = *first;
        if (seconds < out_of_the_race * fastest_) {
            const Result<double> more = seconds_of(state.program, *buffers, runs, Clock::device);
            VKONNX_RETURN_IF_ERROR(more.status());
            seconds = std::min(seconds, *more);
        }
        fastest_ = std::min(fastest_, seconds);
        candidates_.push_back({kernel, seconds});
        return {};
    }

    const Device& device_;
    const Operator& op_;
    const std::span<const TensorDesc> inputs_;
    const PrepareOptions& options_;
    std::vector<Tensor> bound_;
    std::vector<Tensor> outputs_;  // used by every kernel in turn
    std::vector<Candidate> candidates_;
    double fastest_ = HUGE_VAL;
};

// Returns the kernels that are worth timing.
std::vector<KernelInfo> close_ones(std::vector<KernelInfo> kernels)
{
    std::erase_if(kernels, [](const KernelInfo& one) { return !one.unfit.empty() || one.only_by_name || one.last_resort; });
    double least = HUGE_VAL;
    for (const KernelInfo& one : kernels)
        least = std::min(least, one.seconds);
    std::erase_if(kernels, [&](const KernelInfo& one) { return one.seconds > most_times * least; });
    return kernels;
}

bool fits(std::span<const KernelInfo> kernels, const std::string& kernel)
{
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const KernelInfo& one) { return one.name == kernel && one.unfit.empty(); });
}

}  // namespace

Status Tunings::parse(std::string_view text)
{
    for (size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty() || line.front() == '#')
            continue;
        const size_t first = line.find('\t');
        const size_t second = first == line.npos ? line.npos : line.find('\t', first + 1);
        if (first == 0 || second == line.npos || second == first + 1 || second + 1 == line.size())
            return Status(Code::invalid_argument, "DeviceOptions::tunings: line " + std::to_string(number) + ", '" +
                                                      std::string(line.substr(0, 60)) +
                                                      "', must be a kernel, a problem and a device with tabs between them");
        add(std::string(line.substr(first + 1, second - first - 1)), std::string(line.substr(second + 1)),
            std::string(line.substr(0, first)));
    }
    return {};
}

void Tunings::add(const std::string& problem, const std::string& device, const std::string& kernel)
{
    const std::lock_guard lock(mutex_);
    kernels_.insert_or_assign({problem, device}, kernel);
}

std::optional<std::string> Tunings::find(const std::string& problem, const std::string& device) const
{
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find({problem, device});
    return found == kernels_.end() ? std::nullopt : std::optional(found->second);
}

std::string Tunings::text() const
{
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& [key, kernel] : kernels_)
        text += kernel + "\t" + key.first + "\t" + key.second + "\n";
    return text;
}

void take_kept_tunings(DeviceState& state)
{
    const std::string beginning = kept_tuning;
    for (const auto& [name, kernel] : state.gpu->cache().texts(beginning))
        state.tuner.tunings.add(name.substr(beginning.size()), device_of(state.gpu->physical().info), kernel);
}

Result<Tuned> tuned(const Device& device, const Operator& op, std::span<const TensorDesc> inputs, const PrepareOptions& options)
{
    const std::string problem = ops::problem_text(op, inputs, options);
    if (problem.empty())
        return Tuned();
    const Result<std::vector<KernelInfo>> kernels = kernels_of(op, inputs, device.capabilities(), options);
    if (!kernels)
        return Tuned();
    Tuner& tuner = state_of(device)->tuner;
    const std::string on = device_of(device.info());
    const std::lock_guard lock(tuner.timing);
    if (const std::optional<std::string> known = tuner.tunings.find(problem, on); known && fits(*kernels, *known))
        return Tuned{*known, "the fastest when it was timed (DeviceOptions::tunings)"};
    const std::vector<KernelInfo> close = close_ones(*kernels);
    if (close.size() < 2)
        return Tuned();
    Race race(device, op, inputs, options);
    if (Status status = race.run(close); !status)
        return status.code() == Code::out_of_memory || status.code() == Code::unsupported ? Result<Tuned>(Tuned()) : status;
    Tuned winner = race.winner();
    tuner.tunings.add(problem, on, winner.kernel);
    state_of(device)->gpu->cache().keep_text(kept_tuning + problem, winner.kernel);
    return winner;
}

}  // namespace vkonnx::api
