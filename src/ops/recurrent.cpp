// SPDX-License-Identifier: Apache-2.0
// This file resolves RNN, GRU and LSTM.
#include "ops/schema.h"
#include "return_if_error.h"

namespace vkonnx::ops {

namespace {

using Activation = RecurrentActivation;
using Option = Schema::Option;

constexpr int64_t recurrent_versions[] = {7, 14, 22};
// The documents name double, too, but GLSL has no such functions of doubles.
constexpr Schema::Type recurrent_types[] = {{DType::float32, 7}, {DType::float16, 7}, {DType::bfloat16, 22}};
constexpr Schema::Type length_types[] = {{DType::int32, 7}};

constexpr Schema::Input inputs_of_lstm[] = {{"X", "T", recurrent_types},
                                            {"W", "T", recurrent_types},
                                            {"R", "T", recurrent_types},
                                            {"B", "T", recurrent_types, Option::optional},
                                            {"sequence_lens", "T1", length_types, Option::optional},
                                            {"initial_h", "T", recurrent_types, Option::optional},
                                            {"initial_c", "T", recurrent_types, Option::optional},
                                            {"P", "T", recurrent_types, Option::optional}};
constexpr size_t inputs_without_c = 6;
constexpr Schema::Output outputs_of_lstm[] = {{"Y", Option::optional}, {"Y_h", Option::optional}, {"Y_c", Option::optional}};
constexpr size_t outputs_without_c = 2;

constexpr Schema::Attribute rnn_attributes[] = {{"direction"}, {"activations"}, {"activation_alpha"}, {"activation_beta"},
                                                {"clip"},      {"hidden_size"}, {"layout", 14}};
constexpr Schema::Attribute gru_attributes[] = {{"direction"}, {"activations"}, {"activation_alpha"}, {"activation_beta"},
                                                {"clip"},      {"hidden_size"}, {"layout", 14},       {"linear_before_reset"}};
constexpr Schema::Attribute lstm_attributes[] = {{"direction"}, {"activations"}, {"activation_alpha"}, {"activation_beta"},
                                                 {"clip"},      {"hidden_size"}, {"input_forget"},     {"layout", 14}};

constexpr Schema rnn_schema = {.name = RNN::name,
                               .versions = recurrent_versions,
                               .older = older_versions,
                               .inputs = std::span(inputs_of_lstm).first(inputs_without_c),
                               .outputs = std::span(outputs_of_lstm).first(outputs_without_c),
                               .attributes = rnn_attributes};
constexpr Schema gru_schema = {.name = GRU::name,
                               .versions = recurrent_versions,
                               .older = older_versions,
                               .inputs = std::span(inputs_of_lstm).first(inputs_without_c),
                               .outputs = std::span(outputs_of_lstm).first(outputs_without_c),
                               .attributes = gru_attributes};
constexpr Schema lstm_schema = {.name = LSTM::name,
                                .versions = recurrent_versions,
                                .older = older_versions,
                                .inputs = inputs_of_lstm,
                                .outputs = outputs_of_lstm,
                                .attributes = lstm_attributes};

// Parameters tells whether an activation takes a value of activation_alpha and of activation_beta, and the default if it has one.
struct Parameters {
    bool alpha = false;
    bool beta = false;
    std::optional<float> default_alpha = {};
    std::optional<float> default_beta = {};
};

Parameters parameters_of(Activation activation)
{
    switch (activation) {
    case Activation::affine:
    case Activation::scaled_tanh:
        return {.alpha = true, .beta = true};
    case Activation::leaky_relu:
        return {.alpha = true, .default_alpha = 0.01f};
    case Activation::thresholded_relu:
    case Activation::elu:
        return {.alpha = true, .default_alpha = 1.0f};
    case Activation::hard_sigmoid:
        return {.alpha = true, .beta = true, .default_alpha = 0.2f, .default_beta = 0.5f};
    case Activation::relu:
    case Activation::tanh:
    case Activation::sigmoid:
    case Activation::softsign:
    case Activation::softplus:
        return {};
    }
    return {};
}

// Takes the next value of a list for a function, or its default.
Result<float> next_of(const Document& document, std::string_view list_name, std::span<const float>& list, Activation function,
                      std::optional<float> otherwise)
{
    if (!list.empty()) {
        const float value = list.front();
        list = list.subspan(1);
        return value;
    }
    if (otherwise)
        return *otherwise;
    return document.refuse({list_name, " has no value for ", word_of(Spellings<Activation>(recurrent_activation_words), function),
                            ", which has no default"});
}

template <class Attributes>
Result<std::vector<RecurrentFunction>> functions_of(const Document& document, const Attributes& attributes,
                                                    std::span<const Activation> defaults, int64_t directions)
{
    const size_t count = defaults.size() * size_t(directions);
    std::vector<Activation> chosen = attributes.activations;
    if (chosen.empty())
        for (int64_t d = 0; d < directions; ++d)
            chosen.insert(chosen.end(), defaults.begin(), defaults.end());
    if (chosen.size() != count)
        return document.refuse({"activations has ", int64_t(chosen.size()), chosen.size() == 1 ? " function" : " functions",
                                ", expected ", int64_t(count), ", ", int64_t(defaults.size()), " for each direction"});
    std::span<const float> alphas = attributes.activation_alpha;
    std::span<const float> betas = attributes.activation_beta;
    std::vector<RecurrentFunction> functions;
    for (const Activation activation : chosen) {
        if (word_of(Spellings<Activation>(recurrent_activation_words), activation).empty())
            return document.refuse({"activations has number ", int64_t(activation), ", which is no function"});
        const Parameters takes = parameters_of(activation);
        RecurrentFunction function = {.activation = activation};
        if (takes.alpha) {
            const Result<float> alpha = next_of(document, "activation_alpha", alphas, activation, takes.default_alpha);
            VKONNX_RETURN_IF_ERROR(alpha.status());
            function.alpha = *alpha;
        }
        if (takes.beta) {
            const Result<float> beta = next_of(document, "activation_beta", betas, activation, takes.default_beta);
            VKONNX_RETURN_IF_ERROR(beta.status());
            function.beta = *beta;
        }
        functions.push_back(function);
    }
    return functions;
}

Status check_shape(const Document& document, std::string_view name, const TensorDesc& desc, const std::vector<int64_t>& expected)
{
    VKONNX_RETURN_IF_ERROR(check_tensor(document, name, desc));
    if (desc.dims == expected)
        return {};
    return document.refuse({name, " = ", to_string(desc), " must be ", to_string(TensorDesc{desc.dtype, expected})});
}

// Reads all extents, which follow from X, W and R.
Status read_extents(const Document& document, std::span<const TensorDesc> inputs, RecurrentGeometry& geometry)
{
    for (size_t i = 0; i < 3; ++i) {
        const std::string_view name = inputs_of_lstm[i].name;
        VKONNX_RETURN_IF_ERROR(check_layout(document, std::string(name) + ".layout", inputs[i].layout));
        VKONNX_RETURN_IF_ERROR(check_tensor(document, name, inputs[i]));
        if (inputs[i].dims.size() != 3)
            return document.refuse({name, " = ", to_string(inputs[i]), " must have rank 3"});
    }
    const std::vector<int64_t>& x = inputs[0].dims;
    geometry.steps = x[geometry.batch_first ? 1 : 0];
    geometry.batch = x[geometry.batch_first ? 0 : 1];
    geometry.input_size = x[2];
    geometry.hidden = inputs[2].dims[2];
    if (geometry.hidden < 1)
        return document.refuse({"R = ", to_string(inputs[2]), " must have a last dimension of at least 1, which is hidden_size"});
    if (geometry.steps < 1)
        return document.refuse({"X = ", to_string(inputs[0]), " must have at least one step"});
    const Exact rows = Exact(geometry.gates) * geometry.hidden * 2;
    if (!rows.fits)
        return document.refuse({"R = ", to_string(inputs[2]), " has a hidden_size beyond 64 bits with its gates"});
    return {};
}

Status check_shapes(const Document& document, std::span<const TensorDesc> inputs, const RecurrentGeometry& geometry)
{
    const int64_t directions = geometry.directions;
    const int64_t rows = geometry.gates * geometry.hidden;
    const std::vector<int64_t> state = geometry.batch_first ? std::vector<int64_t>{geometry.batch, directions, geometry.hidden}
                                                            : std::vector<int64_t>{directions, geometry.batch, geometry.hidden};
    const std::vector<int64_t> expected[] = {inputs[0].dims,
                                             {directions, rows, geometry.input_size},
                                             {directions, rows, geometry.hidden},
                                             {directions, 2 * rows},
                                             {geometry.batch},
                                             state,
                                             state,
                                             {directions, 3 * geometry.hidden}};
    for (size_t i = 1; i < inputs.size(); ++i)
        if (inputs[i].dtype != DType::undefined)
            VKONNX_RETURN_IF_ERROR(check_shape(document, inputs_of_lstm[i].name, inputs[i], expected[i]));
    return {};
}

std::string equation_of(const RecurrentGeometry& geometry)
{
    switch (geometry.kind) {
    case RecurrentKind::rnn:
        return ": Ht = f(Xt*W^T + Ht-1*R^T + Wb + Rb)";
    case RecurrentKind::gru:
        return geometry.linear_before_reset ? ": ht = g(Xt*Wh^T + rt . (Ht-1*Rh^T + Rbh) + Wbh), Ht = (1 - zt) . ht + zt . Ht-1"
                                            : ": ht = g(Xt*Wh^T + (rt . Ht-1)*Rh^T + Rbh + Wbh), Ht = (1 - zt) . ht + zt . Ht-1";
    case RecurrentKind::lstm:
        return ": Ct = ft . Ct-1 + it . ct, Ht = ot . h(Ct)";
    }
    return "";
}

template <class Attributes>
Result<RecurrentGeometry> resolve_recurrent(const Attributes& attributes, std::span<const TensorDesc> inputs,
                                            RecurrentGeometry geometry, std::span<const Activation> defaults)
{
    const Result<Document> document = document_of(attributes, inputs);
    VKONNX_RETURN_IF_ERROR(document.status());
    VKONNX_RETURN_IF_ERROR(check_flag(*document, "layout", attributes.layout));
    if constexpr (std::same_as<Attributes, GRU>) {
        VKONNX_RETURN_IF_ERROR(check_flag(*document, "linear_before_reset", attributes.linear_before_reset));
        geometry.linear_before_reset = attributes.linear_before_reset.value_or(0) == 1;
    }
    if constexpr (std::same_as<Attributes, LSTM>) {
        VKONNX_RETURN_IF_ERROR(check_flag(*document, "input_forget", attributes.input_forget));
        geometry.input_forget = attributes.input_forget.value_or(0) == 1;
        geometry.rounds_h = attributes.rounds_h;
    }
    if (word_of(Spellings<RecurrentDirection>(recurrent_direction_words), attributes.direction).empty())
        return document->refuse({"direction is number ", int64_t(attributes.direction), ", which is none"});
    const auto most = int64_t(schema_of(attributes).outputs.size());
    if (attributes.outputs < 1 || attributes.outputs > most)
        return document->refuse({"outputs = ", attributes.outputs, " must be from 1 to ", most});
    if (attributes.clip && !(*attributes.clip >= 0))
        return document->refuse({"clip = ", std::to_string(*attributes.clip), " must be at least 0"});
    geometry.op = Attributes::name;
    geometry.inputs.assign(inputs.begin(), inputs.end());
    geometry.direction = attributes.direction;
    geometry.directions = attributes.direction == RecurrentDirection::bidirectional ? 2 : 1;
    geometry.batch_first = attributes.layout.value_or(0) == 1;
    geometry.clip = attributes.clip;
    geometry.outputs = attributes.outputs;
    VKONNX_RETURN_IF_ERROR(read_extents(*document, inputs, geometry));
    if (attributes.hidden_size && *attributes.hidden_size != geometry.hidden)
        return document->refuse(
            {"hidden_size = ", *attributes.hidden_size, " must be ", geometry.hidden, ", the last dimension of R"});
    VKONNX_RETURN_IF_ERROR(check_shapes(*document, inputs, geometry));
    Result<std::vector<RecurrentFunction>> functions = functions_of(*document, attributes, defaults, geometry.directions);
    VKONNX_RETURN_IF_ERROR(functions.status());
    geometry.functions = std::move(*functions);

    const int64_t d = geometry.directions, b = geometry.batch, h = geometry.hidden, t = geometry.steps;
    const DType dtype = inputs[0].dtype;
    geometry.y = {dtype, geometry.batch_first ? std::vector<int64_t>{b, t, d, h} : std::vector<int64_t>{t, d, b, h}};
    geometry.state = {dtype, geometry.batch_first ? std::vector<int64_t>{b, d, h} : std::vector<int64_t>{d, b, h}};
    VKONNX_RETURN_IF_ERROR(check_tensor(*document, "Y", geometry.y));
    geometry.equation = join({document->title(), equation_of(geometry), ", ",
                              word_of(Spellings<RecurrentDirection>(recurrent_direction_words), attributes.direction)});
    return geometry;
}

}  // namespace

const Schema& schema_of(const RNN&)
{
    return rnn_schema;
}

const Schema& schema_of(const GRU&)
{
    return gru_schema;
}

const Schema& schema_of(const LSTM&)
{
    return lstm_schema;
}

Result<RecurrentGeometry> resolve(const RNN& attributes, std::span<const TensorDesc> inputs)
{
    constexpr Activation defaults[] = {Activation::tanh};
    return resolve_recurrent(attributes, inputs, {.kind = RecurrentKind::rnn, .gates = 1}, defaults);
}

Result<RecurrentGeometry> resolve(const GRU& attributes, std::span<const TensorDesc> inputs)
{
    constexpr Activation defaults[] = {Activation::sigmoid, Activation::tanh};
    return resolve_recurrent(attributes, inputs, {.kind = RecurrentKind::gru, .gates = 3}, defaults);
}

Result<RecurrentGeometry> resolve(const LSTM& attributes, std::span<const TensorDesc> inputs)
{
    constexpr Activation defaults[] = {Activation::sigmoid, Activation::tanh, Activation::tanh};
    return resolve_recurrent(attributes, inputs, {.kind = RecurrentKind::lstm, .gates = 4}, defaults);
}

TensorDesc output_of(const RecurrentGeometry& geometry)
{
    return geometry.y;
}

std::vector<TensorDesc> outputs_of(const RecurrentGeometry& geometry)
{
    std::vector<TensorDesc> outputs(size_t(geometry.outputs), geometry.state);
    outputs.front() = geometry.y;
    return outputs;
}

}  // namespace vkonnx::ops
