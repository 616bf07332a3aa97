#include "kit/stress.h"

#include <algorithm>
#include <random>
#include <thread>

namespace vkonnx::kit {
namespace {

constexpr int64_t channels = 2;
constexpr double patience = 60;  // seconds for one job, far more than it takes

// These operators halve a picture and double it again. They are exact for multiples of 4.
const AveragePool halve = {.kernel_shape = {2, 2}, .strides = {2, 2}};
const ConvTranspose redouble = {.strides = {2, 2}, .group = channels};
const TensorDesc weights_desc = {DType::float32, {channels, 1, 2, 2}};

TensorDesc picture(int64_t height, int64_t width)
{
    return {DType::float32, {1, channels, height, width}};
}

// Returns means of 2 x 2 elements of a picture of twice this height and width.
std::vector<float> halved(const std::vector<float>& x, size_t height, size_t width)
{
    std::vector<float> y;
    for (size_t row = 0; row < channels * height; ++row)
        for (size_t column = 0; column < width; ++column) {
            const float* at = &x[2 * row * 2 * width + 2 * column];
            y.push_back((at[0] + at[1] + at[2 * width] + at[2 * width + 1]) / 4);
        }
    return y;
}

// Returns a picture that has each element of a picture of this height and width four times.
std::vector<float> redoubled(const std::vector<float>& x, size_t height, size_t width)
{
    std::vector<float> y;
    for (size_t row = 0; row < 2 * channels * height; ++row)
        for (size_t column = 0; column < 2 * width; ++column)
            y.push_back(x[row / 2 * width + column / 2]);
    return y;
}

struct Shared {
    static constexpr int64_t height = 5, width = 7;  // of the halved picture
    Op halve = {};
    Op redouble = {};
    Tensor weights = {};
};

// A worker throws this to end its thread.
struct Failed {
    std::string what;
};

template <class T>
T value_of(Result<T> result)
{
    if (!result)
        throw Failed{std::string(result.message())};
    return *result;
}

void demand(const Status& status)
{
    if (!status)
        throw Failed{std::string(status.message())};
}

class Worker {
public:
    Worker(const Device& device, const Shared& shared, const StressOptions& options, unsigned index)
        : device_(device), shared_(shared), options_(options), index_(index), random_(options.seed + index)
    {
    }

    void work()
    {
        try {
            while (counts.rounds < options_.rounds) {
                round();
                ++counts.rounds;
            }
        } catch (const Failed& failed) {
            counts.failure = "thread " + std::to_string(index_) + ", round " + std::to_string(counts.rounds) + ": " + failed.what;
        }
    }

    StressCounts counts;

private:
    void round()
    {
        switch (counts.rounds % 5) {
        case 0:
            run_own_op();
            break;
        case 1:
            submit_shared_op();
            break;
        case 2:
            run_chain();
            break;
        case 3:
            run_shape();
            break;
        case 4:
            if (options_.open && index_ == 0)
                open_another();
            break;
        }
    }

    int64_t draw(int64_t from, int64_t to) { return std::uniform_int_distribution<int64_t>(from, to)(random_); }

    std::vector<float> fill(size_t count)
    {
        std::vector<float> values(count);
        for (float& value : values)
            value = float(4 * draw(-1000, 1000));
        return values;
    }

    template <class Attributes>
    Op prepare(const Attributes& attributes, const std::vector<TensorDesc>& inputs)
    {
        const std::vector<TensorDesc> outputs = value_of(infer(attributes, inputs));
        Op op = value_of(device_.prepare(attributes, inputs));
        if (!std::equal(outputs.begin(), outputs.end(), op.outputs().begin(), op.outputs().end()))
            throw Failed{"infer and prepare differ"};
        ++counts.prepared;
        return op;
    }

    Binding bind(const Op& op, const std::vector<Tensor>& inputs, const Tensor& output)
    {
        ++counts.bound;
        return value_of(device_.bind(op, inputs, {&output, 1}));
    }

    template <class T>
    void expect(const Tensor& tensor, const std::vector<T>& expected)
    {
        std::vector<T> values(expected.size());
        demand(tensor.download(values));
        if (!options_.verify)
            return;
        if (values != expected)
            throw Failed{to_string(tensor.desc()) + " holds wrong values"};
        ++counts.verified;
    }

    // Runs an Op with new extents each time: the pipelines are shared, the Ops are not. About half of them want a pipeline that
    // no other Op holds.
    void run_own_op()
    {
        const int64_t height = draw(1, 20), width = draw(1, 20);
        AveragePool own = halve;
        own.count_include_pad = draw(0, 1);  // there is no padding
        const Op op = prepare(own, {picture(2 * height, 2 * width)});
        const std::vector<float> values = fill(size_t(4 * channels * height * width));
        const Tensor x = value_of(device_.tensor(op.inputs()[0], values));
        const Tensor y = value_of(device_.tensor(op.outputs()[0]));
        demand(device_.run(op, {x}, {y}));
        ++counts.runs;
        expect(y, halved(values, size_t(height), size_t(width)));
    }

    // Keeps several jobs in flight, uploads for the next one meanwhile, and waits from the last to the first.
    void submit_shared_op()
    {
        constexpr size_t count = 4;
        std::vector<std::vector<float>> values;
        std::vector<Tensor> outputs;
        std::vector<Job> jobs;
        for (size_t i = 0; i < count; ++i) {
            values.push_back(fill(size_t(channels * Shared::height * Shared::width)));
            const Tensor x = value_of(device_.tensor(shared_.redouble.inputs()[0], values.back()));
            outputs.push_back(value_of(device_.tensor(shared_.redouble.outputs()[0])));
            jobs.push_back(value_of(device_.submit(bind(shared_.redouble, {x, shared_.weights}, outputs.back()))));
            const auto in_flight = std::count_if(jobs.begin(), jobs.end(), [](Job& job) { return !job.done(); });
            counts.most_jobs_in_flight = std::max(counts.most_jobs_in_flight, uint64_t(in_flight));
        }
        for (size_t i = count; i-- > 0;) {
            demand(jobs[i].wait(patience));
            ++counts.jobs;
            expect(outputs[i], redoubled(values[i], Shared::height, Shared::width));
        }
    }

    // Halves and redoubles a picture in one submit, twice.
    void run_chain()
    {
        const Tensor x = value_of(device_.tensor(shared_.halve.inputs()[0]));
        const Tensor half = value_of(device_.tensor(shared_.halve.outputs()[0]));
        const Tensor y = value_of(device_.tensor(shared_.redouble.outputs()[0]));
        Recording recording = value_of(device_.recording());
        demand(recording.add(bind(shared_.halve, {x}, half)));
        demand(recording.add(bind(shared_.redouble, {half, shared_.weights}, y)));
        for (int i = 0; i < 2; ++i) {
            const std::vector<float> values = fill(size_t(4 * channels * Shared::height * Shared::width));
            demand(Tensor(x).upload(values));
            Job job = value_of(recording.submit());
            demand(job.wait(patience));
            ++counts.jobs;
            const std::vector<float> small = halved(values, Shared::height, Shared::width);
            expect(half, small);
            expect(y, redoubled(small, Shared::height, Shared::width));
        }
    }

    void run_shape()
    {
        const TensorDesc any = {DType::uint8, {draw(0, 9), draw(0, int64_t(1) << 40), 3}};
        const Op op = prepare(Shape{}, {any});
        const Tensor y = value_of(device_.tensor(op.outputs()[0]));
        demand(device_.run(op, {}, {y}));
        ++counts.runs;
        expect(y, any.dims);
    }

    void open_another()
    {
        const Device other = value_of(Device::open(*options_.open));
        const Tensor tensor = value_of(other.tensor(weights_desc, std::vector<float>(8, 3)));
        expect(tensor, std::vector<float>(8, 3));
        ++counts.opened;
    }

    const Device& device_;
    const Shared& shared_;
    const StressOptions& options_;
    const unsigned index_;
    std::mt19937 random_;
};

Shared share(const Device& device)
{
    Shared shared;
    shared.halve = value_of(device.prepare(halve, {picture(2 * Shared::height, 2 * Shared::width)}));
    shared.redouble = value_of(device.prepare(redouble, {picture(Shared::height, Shared::width), weights_desc}));
    shared.weights = value_of(device.tensor(weights_desc, std::vector<float>(8, 1)));
    return shared;
}

void add(StressCounts& sum, const StressCounts& counts)
{
    sum.rounds += counts.rounds;
    sum.prepared += counts.prepared;
    sum.bound += counts.bound;
    sum.runs += counts.runs;
    sum.jobs += counts.jobs;
    sum.most_jobs_in_flight = std::max(sum.most_jobs_in_flight, counts.most_jobs_in_flight);
    sum.opened += counts.opened;
    sum.verified += counts.verified;
    if (sum.failure.empty())
        sum.failure = counts.failure;
}

}  // namespace

StressCounts stress(const Device& device, const StressOptions& options)
{
    StressCounts sum;
    try {
        const Shared shared = share(device);
        std::vector<Worker> workers;
        for (unsigned i = 0; i < options.threads; ++i)
            workers.emplace_back(device, shared, options, i);
        std::vector<std::thread> threads;
        for (Worker& worker : workers)
            threads.emplace_back([&worker] { worker.work(); });
        for (std::thread& thread : threads)
            thread.join();
        for (const Worker& worker : workers)
            add(sum, worker.counts);
    } catch (const Failed& failed) {
        sum.failure = failed.what;
    }
    return sum;
}

std::string to_string(const StressCounts& counts)
{
    const auto explained = [](const char* what, uint64_t count) { return ", " + std::to_string(count) + " " + what; };
    return std::to_string(counts.rounds) + " rounds" + explained("Ops prepared", counts.prepared) +
           explained("Bindings", counts.bound) + explained("runs", counts.runs) + explained("jobs", counts.jobs) +
           explained("in flight at most in one thread", counts.most_jobs_in_flight) + explained("devices opened", counts.opened) +
           explained("tensors verified", counts.verified);
}

}  // namespace vkonnx::kit
