#include "kit/shrink.h"

#include <algorithm>
#include <optional>

#include "kit/layout.h"

namespace vkonnx::kit {
namespace {

using List = std::vector<int64_t>;

// ---- the numbers that are shared by several tensors and attributes

struct Numbers {
    int64_t batch = 1;
    int64_t groups = 1;
    int64_t in = 1;   // channels of a group
    int64_t out = 1;  // output channels of a group
    bool bias = false;
    List extents = {};
    List kernels = {};
};

struct Formats {
    Layout data = Layout::ncx;
    onednn::FilterFormat filter = onednn::FilterFormat::iox;
};

Formats formats_of(const Case& problem)
{
    if (const auto* a = std::get_if<onednn::ConvTranspose>(&problem.attributes))
        return {a->data_format, a->filter_format};
    return {problem.inputs[0].layout, onednn::FilterFormat::iox};
}

List part_of(const List& list, size_t first, size_t count)
{
    const auto begin = list.begin() + ptrdiff_t(first);
    return List(begin, begin + ptrdiff_t(count));
}

// Returns the kernel_shape of a pool, whose windows no filter gives. It is null for other operators.
List* pool_kernel_of(Case& problem)
{
    if (auto* a = std::get_if<AveragePool>(&problem.attributes))
        return &a->kernel_shape;
    auto* a = std::get_if<MaxPool>(&problem.attributes);
    return a ? &a->kernel_shape : nullptr;
}

// Writes the numbers to where they stand. A kernel_shape that is not given stays so.
void put(Case& problem, const Numbers& numbers)
{
    const size_t axes = numbers.extents.size();
    const Formats formats = formats_of(problem);
    const DataPlaces data = places_of(formats.data, axes);
    TensorDesc& x = problem.inputs[0];
    x.dims.resize(axes + 2);
    x.dims[data.batch] = numbers.batch;
    x.dims[data.channels] = numbers.groups * numbers.in;
    std::copy(numbers.extents.begin(), numbers.extents.end(), x.dims.begin() + ptrdiff_t(data.first_axis));
    if (List* kernel_shape = pool_kernel_of(problem)) {
        *kernel_shape = numbers.kernels;
        return;
    }
    const FilterPlaces filter = places_of(formats.filter, axes);
    TensorDesc& w = problem.inputs[1];
    w.dims.resize(axes + 2);
    w.dims[filter.in] = numbers.groups * numbers.in;
    w.dims[filter.out] = numbers.out;
    std::copy(numbers.kernels.begin(), numbers.kernels.end(), w.dims.begin() + ptrdiff_t(filter.first_axis));
    problem.inputs.resize(2);
    if (numbers.bias)
        problem.inputs.push_back({x.dtype, {numbers.groups * numbers.out}});
    if (auto* a = std::get_if<onednn::ConvTranspose>(&problem.attributes))
        a->groups = numbers.groups;
    if (auto* a = std::get_if<ConvTranspose>(&problem.attributes)) {
        a->group = numbers.groups;
        if (!a->kernel_shape.empty())
            a->kernel_shape = numbers.kernels;
    }
}

// Returns the numbers of a problem, or nothing where the tensors do not fit each other.
std::optional<Numbers> numbers_of(const Case& problem)
{
    const bool has_windows =
        std::holds_alternative<ConvTranspose>(problem.attributes) || std::holds_alternative<AveragePool>(problem.attributes) ||
        std::holds_alternative<MaxPool>(problem.attributes) || std::holds_alternative<onednn::ConvTranspose>(problem.attributes);
    if (!has_windows || problem.inputs.empty() || problem.inputs[0].dims.size() < 3)
        return std::nullopt;
    const size_t axes = problem.inputs[0].dims.size() - 2;
    const Formats formats = formats_of(problem);
    const DataPlaces data = places_of(formats.data, axes);
    const List& x = problem.inputs[0].dims;
    Case again = problem;
    Numbers numbers = {.batch = x[data.batch], .in = x[data.channels], .extents = part_of(x, data.first_axis, axes)};
    if (const List* kernel_shape = pool_kernel_of(again)) {
        numbers.kernels = *kernel_shape;
    } else {
        if (problem.inputs.size() < 2 || problem.inputs[1].dims.size() != axes + 2)
            return std::nullopt;
        const auto* conv = std::get_if<ConvTranspose>(&problem.attributes);
        numbers.groups = conv ? conv->group : std::get<onednn::ConvTranspose>(problem.attributes).groups;
        if (numbers.groups < 1)
            return std::nullopt;
        const FilterPlaces filter = places_of(formats.filter, axes);
        numbers.in /= numbers.groups;
        numbers.out = problem.inputs[1].dims[filter.out];
        numbers.bias = problem.inputs.size() == 3;
        numbers.kernels = part_of(problem.inputs[1].dims, filter.first_axis, axes);
    }
    put(again, numbers);
    return again.inputs == problem.inputs && numbers.kernels.size() == axes ? std::optional(numbers) : std::nullopt;
}

// ---- lists

struct ListPlace {
    List* list = nullptr;
    int64_t default_entry = 0;
    bool required = false;
};

// Returns the lists that say something of their own. kernel_shape only repeats the kernel.
std::vector<ListPlace> own_lists(ConvTranspose& a)
{
    return {{&a.output_shape, 1}, {&a.output_padding, 0}, {&a.pads, 0}, {&a.strides, 1}, {&a.dilations, 1}};
}

template <class Pool>
requires std::same_as<Pool, AveragePool> || std::same_as<Pool, MaxPool> std::vector<ListPlace> own_lists(Pool& a)
{
    return {{&a.pads, 0}, {&a.strides, 1}, {&a.dilations, 1}};
}

// Returns all lists among the attributes.
template <class Op>
std::vector<ListPlace> own_lists(Op& op)
{
    std::vector<ListPlace> lists;
    fields(op, [&](std::string_view, auto& member, auto...) {
        if constexpr (std::same_as<decltype(member), List&>)
            lists.push_back({&member});
    });
    return lists;
}

std::vector<ListPlace> own_lists(onednn::ConvTranspose& a)
{
    return {
        {&a.output_padding, 0}, {&a.pads_begin, 0, true}, {&a.pads_end, 0, true}, {&a.strides, 1, true}, {&a.dilations, 1, true}};
}

std::vector<ListPlace> own_lists_of(Case& problem)
{
    return std::visit([](auto& op) { return own_lists(op); }, problem.attributes);
}

// Drops the entries of one axis of n, from a list of n, of 2n (pads) or of n + 2 (output_shape) entries. Other lists stay.
void drop_axis(List& list, size_t axis, size_t axes, bool is_output_shape)
{
    const auto drop = [&](size_t index) { list.erase(list.begin() + ptrdiff_t(index)); };
    if (list.size() == axes) {
        drop(axis);
    } else if (is_output_shape && list.size() == axes + 2) {
        drop(axis + 2);
    } else if (!is_output_shape && list.size() == 2 * axes) {
        drop(axes + axis);
        drop(axis);
    }
}

// ---- candidates

// This class makes simpler problems. Those that take away most come first.
class Candidates {
public:
    explicit Candidates(const Case& problem) : problem_(problem)
    {
        if (const auto numbers = numbers_of(problem)) {
            axes(*numbers);
            switches();
            tensors(*numbers);
        } else {
            switches();
        }
        lists();
    }

    std::vector<Case> take() { return std::move(found_); }

private:
    template <class Change>
    void with(const Change& change)
    {
        Case candidate = problem_;
        change(candidate);
        found_.push_back(std::move(candidate));
    }

    // Tries the value `rest` itself, the middle between, and the next one.
    template <class Change>
    void towards(int64_t rest, int64_t value, const Change& change)
    {
        const int64_t step = value > rest ? -1 : 1;
        const int64_t middle = rest + (value - rest) / 2;
        if (value != rest)
            with([&](Case& candidate) { change(candidate, rest); });
        if (value != rest && middle != rest)
            with([&](Case& candidate) { change(candidate, middle); });
        if (value != rest && value + step != rest && value + step != middle)
            with([&](Case& candidate) { change(candidate, value + step); });
    }

    void axes(const Numbers& numbers)
    {
        const size_t count = numbers.extents.size();
        for (size_t axis = 0; count > 1 && axis < count; ++axis)
            with([&](Case& candidate) {
                Numbers fewer = numbers;
                fewer.extents.erase(fewer.extents.begin() + ptrdiff_t(axis));
                fewer.kernels.erase(fewer.kernels.begin() + ptrdiff_t(axis));
                const auto* conv = std::get_if<ConvTranspose>(&candidate.attributes);
                for (const ListPlace& place : own_lists_of(candidate))
                    drop_axis(*place.list, axis, count, conv && place.list == &conv->output_shape);
                put(candidate, fewer);
            });
    }

    // Sets the type, the fill, and each attribute without numbers of its own to its default, one at a time.
    void switches()
    {
        for (TensorDesc& input : std::vector<TensorDesc>(problem_.inputs))
            if (input.dtype != DType::float32) {
                with([](Case& candidate) {
                    for (TensorDesc& each : candidate.inputs)
                        each.dtype = DType::float32;
                });
                break;
            }
        if (problem_.fill != Fill::integers && !std::holds_alternative<Shape>(problem_.attributes))
            with([](Case& candidate) { candidate.fill = Fill::integers; });
        std::visit([&](const auto& attributes) { switches_of(attributes); }, problem_.attributes);
    }

    template <class Attributes, class Value>
    void reset(Value Attributes::*member, const Value& value)
    {
        if (std::get<Attributes>(problem_.attributes).*member != value)
            with([&](Case& candidate) { std::get<Attributes>(candidate.attributes).*member = value; });
    }

    template <class Attributes>
    void reset(List Attributes::*member)
    {
        reset(member, List());
    }

    void switches_of(const ConvTranspose&)
    {
        reset(&ConvTranspose::opset, newest_opset);
        reset(&ConvTranspose::rules, Rules::specification);
        reset(&ConvTranspose::auto_pad, AutoPad::notset);
        reset(&ConvTranspose::kernel_shape);
    }

    void switches_of(const AveragePool&)
    {
        reset(&AveragePool::opset, newest_opset);
        reset(&AveragePool::rules, Rules::specification);
        reset(&AveragePool::auto_pad, AutoPad::notset);
        reset(&AveragePool::ceil_mode, std::optional<int64_t>());
        reset(&AveragePool::count_include_pad, std::optional<int64_t>());
    }

    void switches_of(const MaxPool&)
    {
        reset(&MaxPool::opset, newest_opset);
        reset(&MaxPool::rules, Rules::specification);
        reset(&MaxPool::auto_pad, AutoPad::notset);
        reset(&MaxPool::ceil_mode, std::optional<int64_t>());
        reset(&MaxPool::storage_order, std::optional<int64_t>());
        reset(&MaxPool::outputs, int64_t{1});
    }

    void switches_of(const onednn::ConvTranspose&) { reset(&onednn::ConvTranspose::auto_pad, AutoPad::notset); }

    void switches_of(const Shape& shape)
    {
        reset(&Shape::opset, newest_opset);
        reset(&Shape::start, std::optional<int64_t>());
        reset(&Shape::end, std::optional<int64_t>());
        for (size_t i = 0; i < problem_.inputs[0].dims.size(); ++i)
            with([&](Case& candidate) {
                List& dims = candidate.inputs[0].dims;
                dims.erase(dims.begin() + ptrdiff_t(i));
            });
        for (size_t i = 0; i < problem_.inputs[0].dims.size(); ++i)
            towards(1, problem_.inputs[0].dims[i],
                    [&](Case& candidate, int64_t extent) { candidate.inputs[0].dims[i] = extent; });
        if (shape.start)
            towards(0, *shape.start, [](Case& candidate, int64_t value) { std::get<Shape>(candidate.attributes).start = value; });
        if (shape.end)
            towards(0, *shape.end, [](Case& candidate, int64_t value) { std::get<Shape>(candidate.attributes).end = value; });
    }

    // Leaves out optional attributes, and brings extents nearer to 1.
    template <class Op>
    void switches_of(const Op& op)
    {
        reset(&Op::opset, newest_opset);
        if (problem_.inputs[0].layout != Layout::ncx)
            with([](Case& candidate) { candidate.inputs[0].layout = Layout::ncx; });
        fields(op, [&](std::string_view name, const auto& value, auto...) {
            if constexpr (requires { value.has_value(); })
                if (value)
                    with([&](Case& candidate) {
                        fields(std::get<Op>(candidate.attributes), [&](std::string_view other, auto& own, auto...) {
                            if constexpr (requires { own.reset(); })
                                if (other == name)
                                    own.reset();
                        });
                    });
        });
        for (size_t i = problem_.inputs.size(); i-- > 1;)
            with([&](Case& candidate) { candidate.inputs.erase(candidate.inputs.begin() + ptrdiff_t(i)); });
        drop_axis_of_all();
        for (size_t i = 0; i < problem_.inputs.size(); ++i)
            for (size_t a = 0; a < problem_.inputs[i].dims.size(); ++a)
                towards(1, problem_.inputs[i].dims[a],
                        [&](Case& candidate, int64_t extent) { candidate.inputs[i].dims[a] = extent; });
        same_extent_of_all();
        if (problem_.inputs.size() > 1)
            same_extent_anywhere();
    }

    // Leaves out each step, together with the input that it has behind the operator's own, and tries numbers instead of inputs.
    void steps_of(const Elementwise& elementwise)
    {
        const auto inputs_before = [&](size_t end) {
            size_t count = 0;
            for (size_t i = 0; i < end; ++i)
                count += takes_input(elementwise.steps[i]);
            return count;
        };
        const size_t all = inputs_before(elementwise.steps.size());
        for (size_t i = 0; i < elementwise.steps.size(); ++i) {
            const bool takes = takes_input(elementwise.steps[i]);
            const size_t place = problem_.inputs.size() - all + inputs_before(i);
            const auto drop_input = [takes, place](Case& candidate) {
                if (takes && place < candidate.inputs.size())
                    candidate.inputs.erase(candidate.inputs.begin() + ptrdiff_t(place));
            };
            with([&](Case& candidate) {
                auto& steps = std::get<Elementwise>(candidate.attributes).steps;
                steps.erase(steps.begin() + ptrdiff_t(i));
                drop_input(candidate);
            });
            const ElementwiseStep& own = elementwise.steps[i];
            if (own.swapped || own.alpha || own.beta || own.min || own.max || own.gamma ||
                own.approximate != GeluApproximation::none)
                with([&](Case& candidate) {
                    ElementwiseStep& step = std::get<Elementwise>(candidate.attributes).steps[i];
                    step.swapped = false;
                    step.alpha = step.beta = step.min = step.max = step.gamma = std::nullopt;
                    step.approximate = GeluApproximation::none;
                });
            if (takes)
                with([&](Case& candidate) {
                    std::get<Elementwise>(candidate.attributes).steps[i].number = 1;
                    drop_input(candidate);
                });
        }
    }

    static bool takes_input(const ElementwiseStep& step)
    {
        constexpr ElementwiseKind kinds[] = {ElementwiseKind::prelu, ElementwiseKind::add, ElementwiseKind::sub,
                                             ElementwiseKind::mul,   ElementwiseKind::div, ElementwiseKind::min,
                                             ElementwiseKind::max,   ElementwiseKind::pow};
        return !step.number && std::find(std::begin(kinds), std::end(kinds), step.kind) != std::end(kinds);
    }

    void switches_of(const Elementwise& elementwise)
    {
        reset(&Elementwise::opset, newest_opset);
        steps_of(elementwise);
        reset(&Elementwise::alpha, std::optional<float>());
        reset(&Elementwise::beta, std::optional<float>());
        reset(&Elementwise::min, std::optional<float>());
        reset(&Elementwise::max, std::optional<float>());
        reset(&Elementwise::gamma, std::optional<float>());
        reset(&Elementwise::approximate, GeluApproximation::none);
        for (size_t i = problem_.inputs.size(); i-- > 1;)
            with([&](Case& candidate) { candidate.inputs.erase(candidate.inputs.begin() + ptrdiff_t(i)); });
        drop_axis_of_all();
        for (size_t i = 0; i < problem_.inputs.size(); ++i)
            for (size_t a = 0; a < problem_.inputs[i].dims.size(); ++a)
                towards(1, problem_.inputs[i].dims[a],
                        [&](Case& candidate, int64_t extent) { candidate.inputs[i].dims[a] = extent; });
        same_extent_of_all();
    }

    void switches_of(const Resize& resize)
    {
        reset(&Resize::opset, newest_opset);
        reset(&Resize::mode, ResizeMode::nearest);
        reset(&Resize::coordinate_transformation_mode, CoordinateTransformationMode::half_pixel);
        reset(&Resize::nearest_mode, NearestMode::round_prefer_floor);
        reset(&Resize::roi, std::vector<float>());
        reset(&Resize::cubic_coeff_a, std::optional<float>());
        reset(&Resize::exclude_outside, std::optional<int64_t>());
        reset(&Resize::extrapolation_value, std::optional<float>());
        reset(&Resize::antialias, std::optional<int64_t>());
        reset(&Resize::keep_aspect_ratio_policy, KeepAspectRatioPolicy::stretch);
        for (size_t i = 0; resize.axes.empty() && i < problem_.inputs[0].dims.size(); ++i)
            with([&](Case& candidate) {
                auto& op = std::get<Resize>(candidate.attributes);
                const size_t rank = candidate.inputs[0].dims.size();
                const auto drop = [](auto& list, size_t place) {
                    if (place < list.size())
                        list.erase(list.begin() + ptrdiff_t(place));
                };
                drop(candidate.inputs[0].dims, i);
                drop(op.sizes, i);
                drop(op.scales, i);
                drop(op.roi, rank + i);
                drop(op.roi, i);
            });
        for (size_t i = 0; i < resize.scales.size(); ++i)
            for (const float scale : {1.0f, 2.0f, 0.5f})
                if (resize.scales[i] != scale)
                    with([&](Case& candidate) { std::get<Resize>(candidate.attributes).scales[i] = scale; });
        for (size_t a = 0; a < problem_.inputs[0].dims.size(); ++a)
            towards(1, problem_.inputs[0].dims[a],
                    [&](Case& candidate, int64_t extent) { candidate.inputs[0].dims[a] = extent; });
    }

    // Changes one extent of X, and all extents of other inputs that are as long, such as those of scales for its channels.
    void same_extent_anywhere()
    {
        for (size_t a = 0; a < problem_.inputs[0].dims.size(); ++a) {
            const int64_t old = problem_.inputs[0].dims[a];
            towards(1, old, [&](Case& candidate, int64_t extent) {
                candidate.inputs[0].dims[a] = extent;
                for (size_t i = 1; i < candidate.inputs.size(); ++i)
                    std::replace(candidate.inputs[i].dims.begin(), candidate.inputs[i].dims.end(), old, extent);
            });
        }
    }

    // Drops one axis, counted from the last, of every input that has it.
    void drop_axis_of_all()
    {
        size_t rank = 0;
        for (const TensorDesc& input : problem_.inputs)
            rank = std::max(rank, input.dims.size());
        for (size_t last = 0; last < rank; ++last)
            with([&](Case& candidate) {
                for (TensorDesc& input : candidate.inputs)
                    if (input.dims.size() > last)
                        input.dims.erase(input.dims.end() - ptrdiff_t(last) - 1);
            });
    }

    // Changes one extent, on an axis where all inputs that are not broadcast have it.
    void same_extent_of_all()
    {
        for (size_t last = 0; last < problem_.inputs[0].dims.size(); ++last) {
            const auto place = [&](TensorDesc& input) { return input.dims.end() - ptrdiff_t(last) - 1; };
            towards(1, *place(problem_.inputs[0]), [&](Case& candidate, int64_t extent) {
                const int64_t old = *place(candidate.inputs[0]);
                for (TensorDesc& input : candidate.inputs)
                    if (input.dims.size() > last && *place(input) == old)
                        *place(input) = extent;
            });
        }
    }

    // Changes formats, and every number that decides an extent.
    void tensors(const Numbers& numbers)
    {
        if (const auto* a = std::get_if<onednn::ConvTranspose>(&problem_.attributes)) {
            if (a->data_format != Layout::ncx)
                with([&](Case& candidate) {
                    std::get<onednn::ConvTranspose>(candidate.attributes).data_format = Layout::ncx;
                    put(candidate, numbers);
                });
            if (a->filter_format != onednn::FilterFormat::iox)
                with([&](Case& candidate) {
                    std::get<onednn::ConvTranspose>(candidate.attributes).filter_format = onednn::FilterFormat::iox;
                    put(candidate, numbers);
                });
        } else if (problem_.inputs[0].layout != Layout::ncx) {
            with([&](Case& candidate) {
                candidate.inputs[0].layout = Layout::ncx;
                put(candidate, numbers);
            });
        }
        const auto number = [&](int64_t Numbers::*member) {
            towards(1, numbers.*member, [&](Case& candidate, int64_t value) {
                Numbers fewer = numbers;
                fewer.*member = value;
                put(candidate, fewer);
            });
        };
        if (numbers.bias)
            with([&](Case& candidate) {
                Numbers without = numbers;
                without.bias = false;
                put(candidate, without);
            });
        if (numbers.groups > 1)
            with([&](Case& candidate) {
                Numbers merged = numbers;
                merged.groups = 1;
                merged.in *= numbers.groups;
                put(candidate, merged);
            });
        number(&Numbers::groups);
        number(&Numbers::batch);
        number(&Numbers::in);
        number(&Numbers::out);
        for (List Numbers::*list : {&Numbers::extents, &Numbers::kernels})
            for (size_t i = 0; i < (numbers.*list).size(); ++i)
                towards(1, (numbers.*list)[i], [&](Case& candidate, int64_t value) {
                    Numbers fewer = numbers;
                    (fewer.*list)[i] = value;
                    put(candidate, fewer);
                });
    }

    void lists()
    {
        const size_t count = own_lists_of(problem_).size();
        for (size_t number = 0; number < count; ++number) {
            const ListPlace place = own_lists_of(problem_)[number];
            const List list = *place.list;
            if (!place.required && !list.empty())
                with([&](Case& candidate) { own_lists_of(candidate)[number].list->clear(); });
            for (size_t i = 0; i < list.size(); ++i)
                towards(place.default_entry, list[i],
                        [&](Case& candidate, int64_t value) { (*own_lists_of(candidate)[number].list)[i] = value; });
        }
    }

    Case problem_;
    std::vector<Case> found_ = {};
};

}  // namespace

Case shrunk(const Case& problem, const std::function<bool(const Case&)>& fails, int most_tries)
{
    const bool is_valid = resolve(problem).ok();
    Case smallest = problem;
    std::vector<Case> candidates = Candidates(smallest).take();
    size_t next = 0;
    // The loop ends after a round over all candidates without success. After a success it goes on at the same place, because what
    // did not help before will hardly help now.
    for (size_t barren = 0; barren < candidates.size() && most_tries > 0; next = (next + 1) % candidates.size(), ++barren) {
        const Case& candidate = candidates[next];
        if (resolve(candidate).ok() != is_valid)
            continue;
        --most_tries;
        if (!fails(candidate))
            continue;
        smallest = candidate;
        candidates = Candidates(smallest).take();
        if (candidates.empty())
            break;
        next = next == 0 ? candidates.size() - 1 : (next - 1) % candidates.size();
        barren = SIZE_MAX;  // the loop's increment makes 0 of it
    }
    return smallest;
}

}  // namespace vkonnx::kit
