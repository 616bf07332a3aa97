// SPDX-License-Identifier: Apache-2.0
#include "ops/schema.h"

#include "guard.h"
#include "return_if_error.h"

namespace vkonnx {

const Schema* schema(const Operator& op) noexcept
{
    if (op.valueless_by_exception())
        return nullptr;
    if (const auto* elementwise = std::get_if<Elementwise>(&op); elementwise && name(elementwise->kind).empty())
        return nullptr;
    return std::visit([](const auto& one) { return &ops::schema_of(one); }, op);
}

Result<int64_t> Schema::version_at(int64_t opset) const
{
    return guarded([&]() -> Result<int64_t> {
        const int64_t first = versions.front();
        if (opset < 1)
            return Status(Code::invalid_argument, ops::join({name, ": opset = ", opset, " must be at least 1"}));
        if (opset < first && older.empty())
            return Status(Code::invalid_argument, ops::join({name, ": opset = ", opset, " must be at least ", first,
                                                             ", the version in which the operator came"}));
        if (opset < first)
            return Status(Code::unsupported, ops::join({name, ": opset = ", opset, " must be at least ", first, ": ", older}));
        return *(std::upper_bound(versions.begin(), versions.end(), opset) - 1);
    });
}

// The inputs are those of the newest version.
Result<Signature> signature(const Operator& op)
{
    return guarded([&]() -> Result<Signature> {
        Signature signature;
        const Schema* known = schema(op);
        if (!known)
            return signature;
        const std::vector<const Schema::Input*> inputs = ops::inputs_at(*known, known->versions.back());
        for (size_t i = 0; i < inputs.size(); ++i)
            signature.inputs.push_back(inputs[i]->name);
        signature.least_inputs = ops::least_of(inputs);
        signature.most_inputs = ops::most_of(inputs);
        for (const Schema::Attribute& attribute : known->attributes)
            signature.attributes.push_back(attribute.name);
        if (const auto* chain = std::get_if<Elementwise>(&op); chain && !chain->steps.empty()) {  // steps' operands have no names
            const size_t operands = ops::count_operands(*chain);
            signature.least_inputs += operands;
            signature.most_inputs = std::min(signature.most_inputs + operands, ops::most_inputs_of_chains);
        }
        return signature;
    });
}

namespace ops {
namespace {

// Refuses `what` for its version. `exists` is "exists from version " or "is an attribute until version ".
Status refuse_version(const Document& document, std::string_view what, std::string_view exists, int64_t version)
{
    return document.refuse(
        {what, " must not be given: it ", exists, version, ", and opset ", document.opset, " means version ", document.version});
}

}  // namespace

size_t least_of(std::span<const Schema::Input* const> inputs)
{
    size_t least = 0;
    for (size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i]->option != Schema::Option::optional)
            least = i + 1;
    return least;
}

size_t most_of(std::span<const Schema::Input* const> inputs)
{
    const bool is_variadic = !inputs.empty() && inputs.back()->option == Schema::Option::variadic;
    return is_variadic ? most_tensors : inputs.size();
}

std::vector<const Schema::Input*> inputs_at(const Schema& schema, int64_t version)
{
    std::vector<const Schema::Input*> inputs;
    for (const Schema::Input& input : schema.inputs)
        if (input.member.empty() && input.is_at(version))
            inputs.push_back(&input);
    return inputs;
}

std::string input_name(std::span<const Schema::Input* const> inputs, size_t index)
{
    const size_t place = std::min(index, inputs.size() - 1);
    const std::string_view name = inputs[place]->name;
    if (inputs[place]->option != Schema::Option::variadic)
        return std::string(name);
    return join({name.substr(0, name.size() - 1), int64_t(index - place)});
}

Result<Document> document_of(const Schema& schema, int64_t opset)
{
    const Result<int64_t> version = schema.version_at(opset);
    VKONNX_RETURN_IF_ERROR(version.status());
    return Document{.op = schema.name, .version = *version, .opset = opset};
}

Status check_attribute_version(const Document& document, const Schema& schema, std::string_view attribute)
{
    for (const Schema::Attribute& one : schema.attributes) {
        if (one.name != attribute)
            continue;
        if (document.version < one.since)
            return refuse_version(document, attribute, "exists from version ", one.since);
        if (document.version > one.until)
            return refuse_version(document, attribute, "is an attribute until version ", one.until);
        return {};
    }
    return document.refuse({attribute, " must not be given: the operator has no such attribute"});
}

Status check_output_versions(const Document& document, const Schema& schema, int64_t count)
{
    for (int64_t i = 0; i < std::min(count, int64_t(schema.outputs.size())); ++i) {
        const Schema::Output& output = schema.outputs[size_t(i)];
        if (document.version < output.since)
            return refuse_version(document, join({"output ", output.name}), "exists from version ", output.since);
    }
    return {};
}

Status refuse_missing(const Document& document, std::string_view input)
{
    return document.refuse({input, " is not given (DType::undefined), but it is no optional input"});
}

Status check_inputs(const Document& document, const Schema& schema, std::span<const TensorDesc> inputs)
{
    const std::vector<const Schema::Input*> known = inputs_at(schema, document.version);
    const bool is_variadic = !known.empty() && known.back()->option == Schema::Option::variadic;
    VKONNX_RETURN_IF_ERROR(check_input_count(document, inputs.size(), least_of(known), most_of(known),
                                             is_variadic ? Code::unsupported : Code::invalid_argument));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Schema::Input& input = *known[std::min(i, known.size() - 1)];
        const DType dtype = inputs[i].dtype;
        const std::string name = input_name(known, i);
        if (dtype == DType::undefined && input.option == Schema::Option::optional)
            continue;
        if (dtype == DType::undefined)
            return refuse_missing(document, name);
        VKONNX_RETURN_IF_ERROR(check_type(document, name, dtype, input.types));
        for (size_t j = 0; j < i; ++j) {
            if (known[std::min(j, known.size() - 1)]->type_constraint != input.type_constraint ||
                inputs[j].dtype == DType::undefined)
                continue;
            if (inputs[j].dtype == dtype)
                break;  // the inputs between the two were compared before
            return document.refuse({name, " has type ", vkonnx::name(dtype), ", but must have ", input_name(known, j), "'s type ",
                                    vkonnx::name(inputs[j].dtype)});
        }
    }
    return {};
}

}  // namespace ops
}  // namespace vkonnx
