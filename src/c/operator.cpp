// SPDX-License-Identifier: Apache-2.0
// This file has operators by name, their attributes by fields(), and what is known of them without a device.
#include <algorithm>
#include <array>

#include "c/handles.h"
#include "return_if_error.h"

using namespace vkonnx;
using namespace vkonnx::c;

// ---- names

namespace {

using Names = std::array<vkonnx_operator_name, operator_count>;

// Returns the names, sorted by domain, then by name.
const Names& names() noexcept
{
    static const Names sorted = [] {
        Names all;
        std::ranges::transform(every_operator(), all.begin(), [](const Operator& op) {
            return vkonnx_operator_name{sizeof(vkonnx_operator_name), domain(op).data(), name(op).data()};
        });
        std::ranges::sort(all, {}, [](const vkonnx_operator_name& one) {
            return std::pair(std::string_view(one.domain), std::string_view(one.name));
        });
        return all;
    }();
    return sorted;
}

Result<Operator> operator_named(std::string_view domain, std::string_view name)
{
    if (domain == "ai.onnx")
        domain = "";
    for (const Operator& op : every_operator())
        if (vkonnx::domain(op) == domain && vkonnx::name(op) == name)
            return op;
    std::string list;
    for (const vkonnx_operator_name& one : names())
        if (one.domain == domain)
            list.append(list.empty() ? "" : ", ").append(one.name);
    return Status(Code::unsupported, "operator '" + std::string(name) + "' of domain '" + std::string(domain) + "': " +
                                         (list.empty() ? "there is no such domain; expected '', 'onednn.graph' or 'vkonnx'"
                                                       : "there is none of that name; expected one of " + list));
}

// ---- attributes

// A Value is what C gives for an attribute, in the member for its type.
struct Value {
    vkonnx_attribute_type type = VKONNX_ATTRIBUTE_INT;
    int64_t i = 0;
    float f = 0;
    std::string_view s = {};
    std::span<const int64_t> ints = {};
    std::span<const float> floats = {};
    std::span<const char* const> strings = {};
};

std::string_view type_name(vkonnx_attribute_type type)
{
    switch (type) {
    case VKONNX_ATTRIBUTE_FLOAT:
        return "a float";
    case VKONNX_ATTRIBUTE_INT:
        return "an integer";
    case VKONNX_ATTRIBUTE_STRING:
        return "a string";
    case VKONNX_ATTRIBUTE_FLOATS:
        return "a list of floats";
    case VKONNX_ATTRIBUTE_STRINGS:
        return "a list of strings";
    default:
        return "a list of integers";
    }
}

// A Member is what fields() visits, as one row of C: it shows a member with its value, and sets it.
class Member {
public:
    // Where no value is given, the member is only shown.
    Member(vkonnx_attribute& shown, const Value* given, Memory& memory, std::vector<const char*>& strings)
        : shown_(shown), given_(given), memory_(memory), strings_(strings)
    {
    }

    std::string wrong = {};

    bool takes(vkonnx_attribute_type type)
    {
        shown_.type = type;
        if (given_ && given_->type != type)
            wrong = "has type " + std::string(type_name(given_->type)) + ", expected " + std::string(type_name(type));
        return given_ && given_->type == type;
    }
    void visit(int64_t& number)
    {
        if (takes(VKONNX_ATTRIBUTE_INT))
            number = given_->i;
        shown_.given = true;
        shown_.i = number;
    }
    void visit(std::optional<int64_t>& number)
    {
        if (takes(VKONNX_ATTRIBUTE_INT))
            number = given_->i;
        shown_.given = number.has_value();
        shown_.i = number.value_or(0);
    }
    void visit(std::optional<float>& number)
    {
        if (takes(VKONNX_ATTRIBUTE_FLOAT))
            number = given_->f;
        shown_.given = number.has_value();
        shown_.f = number.value_or(0);
    }
    void visit(std::vector<int64_t>& list)
    {
        if (takes(VKONNX_ATTRIBUTE_INTS))
            list.assign(given_->ints.begin(), given_->ints.end());
        shown_.given = !list.empty();
        shown_.ints = list.data();
        shown_.int_count = list.size();
    }
    void visit(std::vector<float>& list)
    {
        if (takes(VKONNX_ATTRIBUTE_FLOATS))
            list.assign(given_->floats.begin(), given_->floats.end());
        shown_.given = !list.empty();
        shown_.floats = list.data();
        shown_.float_count = list.size();
    }
    template <class Enum>
    void visit(Enum& value, Spellings<Enum> words)
    {
        if (takes(VKONNX_ATTRIBUTE_STRING))
            value = read(given_->s, words).value_or(value);
        shown_.given = true;
        shown_.s = word_of(words, value).data();
        show(words);
    }
    template <class Enum>
    void visit(std::vector<Enum>& list, Spellings<Enum> words)
    {
        if (takes(VKONNX_ATTRIBUTE_STRINGS)) {
            std::vector<Enum> values;
            for (const char* string : given_->strings)
                values.push_back(read(string ? string : "", words).value_or(Enum()));
            if (wrong.empty())
                list = std::move(values);
        }
        strings_.clear();
        for (const Enum value : list)
            strings_.push_back(word_of(words, value).data());
        shown_.given = !list.empty();
        shown_.strings = strings_.data();
        shown_.string_count = strings_.size();
        show(words);
    }

private:
    vkonnx_attribute& shown_;
    const Value* given_;
    Memory& memory_;
    std::vector<const char*>& strings_;  // the strings of a list

    // Returns the value of a text, or sets `wrong` where it is none of the words.
    template <class Enum>
    std::optional<Enum> read(std::string_view text, Spellings<Enum> words)
    {
        const std::optional<Enum> value = value_of(words, text);
        std::string list;
        for (const Spelling<Enum>& one : words)
            list.append(list.empty() ? "" : &one == &words.back() ? " or " : ", ").append(one.word);
        if (!value)
            wrong = "is '" + std::string(text) + "', expected " + list;
        return value;
    }
    template <class Enum>
    void show(Spellings<Enum> words)
    {
        if (shown_.words)
            return;
        shown_.words = memory_.list(words, [](const Spelling<Enum>& one) { return one.word.data(); });
        shown_.word_count = words.size();
    }
};

// Sets the attribute of that name where there is a value. Shows all anew, because a setter may have moved what they point to.
Status set(vkonnx_operator& op, std::string_view name, const Value* given)
{
    const std::vector<std::string_view>& known = op.takes.attributes;
    if (given && std::find(known.begin(), known.end(), name) == known.end()) {
        std::string list;
        for (const std::string_view one : known)
            list.append(list.empty() ? "" : ", ").append(one);
        return Status(Code::invalid_argument, std::string(vkonnx::name(op.op)) + ": unknown attribute '" + std::string(name) +
                                                  "'; expected " + (list.empty() ? "none" : "one of " + list));
    }
    std::string wrong;
    size_t index = 0;
    fields(op.op, [&](std::string_view field, auto& member, auto... words) {
        if (std::find(known.begin(), known.end(), field) == known.end())
            return;
        vkonnx_attribute& shown = op.attributes[index];
        Member row(shown, given && field == name ? given : nullptr, op.memory, op.strings[index++]);
        shown.struct_size = sizeof(shown);
        shown.name = field.data();
        row.visit(member, words...);
        if (!row.wrong.empty())
            wrong = std::string(vkonnx::name(op.op)) + ": attribute " + std::string(field) + " " + row.wrong;
    });
    return wrong.empty() ? Status() : Status(Code::invalid_argument, wrong);
}

vkonnx_status* set(const char* function, vkonnx_operator* op, const char* attribute, const Value& value)
{
    return call(function, {{"op", op}, {"attribute", attribute}}, [&] { return set(*op, attribute, &value); });
}

Status refuse_what_is_no_attribute(const vkonnx_operator& op, const char* what)
{
    return Status(Code::invalid_argument,
                  std::string(name(op.op)) + " of domain '" + std::string(domain(op.op)) + "' has no " + what);
}

}  // namespace

const vkonnx_operator_name* vkonnx_operator_name_at(size_t index)
{
    return index < names().size() ? &names()[index] : nullptr;
}

int64_t vkonnx_newest_opset(void)
{
    return newest_opset;
}

vkonnx_status* vkonnx_operator_create(const char* domain, const char* name, vkonnx_operator** result)
{
    return call(__func__, {{"name", name}, {"result", result}}, [&]() -> Status {
        Result<Operator> op = operator_named(domain ? domain : "", name);
        VKONNX_RETURN_IF_ERROR(op.status());
        auto made = std::make_unique<vkonnx_operator>();
        made->op = std::move(*op);
        Result<Signature> takes = signature(made->op);
        VKONNX_RETURN_IF_ERROR(takes.status());
        made->takes = std::move(*takes);
        made->signature = {.struct_size = sizeof(vkonnx_signature),
                           .inputs = made->memory.list(made->takes.inputs, [](std::string_view input) { return input.data(); }),
                           .input_count = made->takes.inputs.size(),
                           .least_inputs = made->takes.least_inputs,
                           .most_inputs = made->takes.most_inputs};
        made->attributes.resize(made->takes.attributes.size());
        made->strings.resize(made->attributes.size());
        VKONNX_RETURN_IF_ERROR(set(*made, {}, nullptr));
        *result = made.release();
        return {};
    });
}

void vkonnx_operator_destroy(vkonnx_operator* op)
{
    delete op;
}

vkonnx_status* vkonnx_operator_set_int(vkonnx_operator* op, const char* attribute, int64_t value)
{
    return set(__func__, op, attribute, {.type = VKONNX_ATTRIBUTE_INT, .i = value});
}

vkonnx_status* vkonnx_operator_set_ints(vkonnx_operator* op, const char* attribute, const int64_t* values, size_t count)
{
    if (!values && count > 0)
        return call(__func__, {{"values", values}}, [] { return Status(); });
    return set(__func__, op, attribute, {.type = VKONNX_ATTRIBUTE_INTS, .ints = std::span(values, count)});
}

vkonnx_status* vkonnx_operator_set_float(vkonnx_operator* op, const char* attribute, float value)
{
    return set(__func__, op, attribute, {.type = VKONNX_ATTRIBUTE_FLOAT, .f = value});
}

vkonnx_status* vkonnx_operator_set_floats(vkonnx_operator* op, const char* attribute, const float* values, size_t count)
{
    if (!values && count > 0)
        return call(__func__, {{"values", values}}, [] { return Status(); });
    return set(__func__, op, attribute, {.type = VKONNX_ATTRIBUTE_FLOATS, .floats = std::span(values, count)});
}

vkonnx_status* vkonnx_operator_set_string(vkonnx_operator* op, const char* attribute, const char* value)
{
    if (!value)
        return call(__func__, {{"value", value}}, [] { return Status(); });
    return set(__func__, op, attribute, {.type = VKONNX_ATTRIBUTE_STRING, .s = value});
}

vkonnx_status* vkonnx_operator_set_strings(vkonnx_operator* op, const char* attribute, const char* const* values, size_t count)
{
    if (!values && count > 0)
        return call(__func__, {{"values", values}}, [] { return Status(); });
    return set(__func__, op, attribute, {.type = VKONNX_ATTRIBUTE_STRINGS, .strings = std::span(values, count)});
}

vkonnx_status* vkonnx_operator_set_opset(vkonnx_operator* op, int64_t opset)
{
    return call(__func__, {{"op", op}}, [&]() -> Status {
        int64_t* place = opset_of(op->op);
        if (!place)
            return refuse_what_is_no_attribute(*op, "opset");
        *place = opset;
        return {};
    });
}

vkonnx_status* vkonnx_operator_set_outputs(vkonnx_operator* op, int64_t outputs)
{
    return call(__func__, {{"op", op}}, [&]() -> Status {
        int64_t* place = outputs_of(op->op);
        if (!place)
            return refuse_what_is_no_attribute(*op, "outputs to choose");
        *place = outputs;
        return {};
    });
}

vkonnx_status* vkonnx_operator_set_rules(vkonnx_operator* op, vkonnx_rules rules)
{
    const char* function = __func__;
    return call(function, {{"op", op}}, [&]() -> Status {
        Rules* place = vkonnx::rules_of(op->op);
        const Result<Rules> given = c::rules_of(function, rules);
        VKONNX_RETURN_IF_ERROR(given.status());
        if (!place)
            return refuse_what_is_no_attribute(*op, "rules");
        *place = *given;
        return {};
    });
}

const vkonnx_attribute* vkonnx_operator_attribute_at(const vkonnx_operator* op, size_t index)
{
    return op && index < op->attributes.size() ? &op->attributes[index] : nullptr;
}

const vkonnx_signature* vkonnx_operator_get_signature(const vkonnx_operator* op)
{
    return op ? &op->signature : nullptr;
}

vkonnx_status* vkonnx_operator_add_step(vkonnx_operator* op, const vkonnx_step* step)
{
    const char* function = __func__;
    return call(function, {{"op", op}, {"step", step}}, [&]() -> Status {
        const Result<vkonnx_step> given = read("vkonnx_step", step);
        VKONNX_RETURN_IF_ERROR(given.status());
        VKONNX_RETURN_IF_ERROR(require(function, {{"step->op", given->op}}));
        auto* first = std::get_if<Elementwise>(&op->op);
        const auto* next = std::get_if<Elementwise>(&given->op->op);
        if (!first || !next)
            return refuse_what_is_no_attribute(first ? *given->op : *op, "steps: it is no elementwise operator");
        if (!next->steps.empty())
            return Status(Code::invalid_argument, std::string(function) + ": step->op has steps of its own");
        first->steps.push_back({.kind = next->kind,
                                .alpha = next->alpha,
                                .beta = next->beta,
                                .min = next->min,
                                .max = next->max,
                                .number = given->has_number ? std::optional(given->number) : std::nullopt,
                                .swapped = given->swapped,
                                .gamma = next->gamma,
                                .approximate = next->approximate});
        return {};
    });
}

// ---- without a device

vkonnx_status* vkonnx_infer(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                            const vkonnx_tensor_descs** result)
{
    const char* function = __func__;
    return call(function, {{"op", op}, {"result", result}}, [&]() -> Status {
        const Result<std::vector<TensorDesc>> descs = inputs_of(function, inputs, input_count);
        Result<std::vector<TensorDesc>> outputs = descs ? infer(op->op, *descs) : descs.status();
        VKONNX_RETURN_IF_ERROR(outputs.status());
        auto owned = std::make_unique<OwnedFrom<vkonnx_tensor_descs, std::vector<TensorDesc>>>(std::move(*outputs));
        fill(*owned, owned->source, owned->memory);
        *result = owned.release();
        return {};
    });
}

vkonnx_status* vkonnx_evaluate(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                               const void* const* data, const size_t* data_sizes, void* const* results,
                               const size_t* result_sizes, size_t result_count)
{
    const char* function = __func__;
    return call(function,
                {{"op", op}, {"data", data}, {"data_sizes", data_sizes}, {"results", results}, {"result_sizes", result_sizes}},
                [&]() -> Status {
                    const Result<std::vector<TensorDesc>> descs = inputs_of(function, inputs, input_count);
                    VKONNX_RETURN_IF_ERROR(descs.status());
                    std::vector<std::span<const std::byte>> bytes;
                    for (size_t i = 0; i < input_count; ++i)
                        bytes.emplace_back(static_cast<const std::byte*>(data[i]), data[i] ? data_sizes[i] : 0);
                    const Result<std::vector<std::vector<std::byte>>> made = evaluate(op->op, *descs, bytes);
                    VKONNX_RETURN_IF_ERROR(made.status());
                    if (made->size() != result_count)
                        return Status(Code::invalid_argument, std::string(function) + ": result_count is " +
                                                                  std::to_string(result_count) + ", expected " +
                                                                  std::to_string(made->size()));
                    for (size_t i = 0; i < result_count; ++i) {
                        const size_t size = results[i] ? result_sizes[i] : 0;
                        if (size != made->at(i).size())
                            return Status(Code::invalid_argument, std::string(function) + ": result_sizes[" + std::to_string(i) +
                                                                      "] is " + std::to_string(size) + ", expected " +
                                                                      std::to_string(made->at(i).size()));
                    }
                    for (size_t i = 0; i < result_count; ++i)
                        if (!made->at(i).empty())
                            std::memcpy(results[i], made->at(i).data(), made->at(i).size());
                    return {};
                });
}

namespace {

struct Problem {
    std::vector<TensorDesc> inputs = {};
    Capabilities capabilities = {};
    PrepareOptions options = {};
};

Result<Problem> problem_of(const char* function, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                           const vkonnx_capabilities* capabilities, const vkonnx_prepare_options* options)
{
    Result<std::vector<TensorDesc>> descs = inputs_of(function, inputs, input_count);
    Result<Capabilities> offered = capabilities_of(capabilities);
    Result<PrepareOptions> wanted = options_of(options);
    if (!descs || !offered || !wanted)
        return !descs ? descs.status() : !offered ? offered.status() : wanted.status();
    return Problem{.inputs = std::move(*descs), .capabilities = std::move(*offered), .options = std::move(*wanted)};
}

}  // namespace

vkonnx_status* vkonnx_explain(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                              const vkonnx_capabilities* capabilities, const vkonnx_prepare_options* options,
                              const vkonnx_explanation** result)
{
    const char* function = __func__;
    return call(function, {{"op", op}, {"capabilities", capabilities}, {"result", result}}, [&]() -> Status {
        const Result<Problem> problem = problem_of(function, inputs, input_count, capabilities, options);
        VKONNX_RETURN_IF_ERROR(problem.status());
        Result<Explanation> explained = explain(op->op, problem->inputs, problem->capabilities, problem->options);
        VKONNX_RETURN_IF_ERROR(explained.status());
        auto owned = std::make_unique<OwnedFrom<vkonnx_explanation, Explanation>>(std::move(*explained));
        fill(*owned, owned->source, owned->memory);
        *result = owned.release();
        return {};
    });
}

void vkonnx_explanation_destroy(const vkonnx_explanation* explanation)
{
    delete static_cast<const OwnedFrom<vkonnx_explanation, Explanation>*>(explanation);
}

vkonnx_status* vkonnx_kernels(const vkonnx_operator* op, const vkonnx_tensor_desc* const* inputs, size_t input_count,
                              const vkonnx_capabilities* capabilities, const vkonnx_prepare_options* options,
                              const vkonnx_kernel_infos** result)
{
    const char* function = __func__;
    return call(function, {{"op", op}, {"capabilities", capabilities}, {"result", result}}, [&]() -> Status {
        const Result<Problem> problem = problem_of(function, inputs, input_count, capabilities, options);
        VKONNX_RETURN_IF_ERROR(problem.status());
        Result<std::vector<KernelInfo>> infos = kernels(op->op, problem->inputs, problem->capabilities, problem->options);
        VKONNX_RETURN_IF_ERROR(infos.status());
        auto owned = std::make_unique<OwnedFrom<vkonnx_kernel_infos, std::vector<KernelInfo>>>(std::move(*infos));
        owned->count = owned->source.size();
        owned->kernels = make_list<vkonnx_kernel_info>(owned->source, owned->memory, [](auto& one, const KernelInfo& info) {
            one.name = info.name.c_str();
            one.unfit = info.unfit.c_str();
            one.seconds = info.seconds;
            one.keeps_order = info.keeps_order;
            one.only_by_name = info.only_by_name;
            one.last_resort = info.last_resort;
        });
        *result = owned.release();
        return {};
    });
}

void vkonnx_kernel_infos_destroy(const vkonnx_kernel_infos* infos)
{
    delete static_cast<const OwnedFrom<vkonnx_kernel_infos, std::vector<KernelInfo>>*>(infos);
}
