// This file tests fields(), which names every attribute once to a visitor, in the words of the operator's document.
#include <vkonnx/vkonnx.hpp>

#include <gtest/gtest.h>

#include <map>

namespace vkonnx {
namespace {

using Names = std::vector<std::string>;

Names names_of(const Operator& op)
{
    Names names;
    fields(op, [&](std::string_view name, const auto&...) { names.emplace_back(name); });
    return names;
}

Names words_of(const Operator& op, std::string_view wanted)
{
    Names words;
    fields(op, [&](std::string_view name, const auto&, auto... spellings) {
        [[maybe_unused]] const auto take = [&](const auto& all) {
            for (const auto& one : all)
                words.emplace_back(one.word);
        };
        if (name == wanted)
            (take(spellings), ...);
    });
    return words;
}

TEST(Operators, EveryAttributeIsVisitedInTheOrderOfTheStruct)
{
    EXPECT_EQ(names_of(ConvTranspose{}),
              (Names{"auto_pad", "kernel_shape", "strides", "dilations", "pads", "output_padding", "output_shape", "group"}));
    EXPECT_EQ(names_of(AveragePool{}),
              (Names{"auto_pad", "kernel_shape", "strides", "dilations", "pads", "ceil_mode", "count_include_pad"}));
    EXPECT_EQ(names_of(Shape{}), (Names{"start", "end"}));
    EXPECT_EQ(names_of(Elementwise{}), (Names{"alpha", "beta", "min", "max", "gamma", "approximate", "fmod"}));
    EXPECT_EQ(names_of(Cast{}), (Names{"to", "saturate", "round_mode"}));
    EXPECT_EQ(names_of(Resize{}),
              (Names{"mode", "coordinate_transformation_mode", "nearest_mode", "axes", "sizes", "scales", "roi", "cubic_coeff_a",
                     "exclude_outside", "extrapolation_value", "antialias", "keep_aspect_ratio_policy"}));
    EXPECT_EQ(names_of(onednn::ConvTranspose{}), (Names{"strides", "pads_begin", "pads_end", "dilations", "auto_pad",
                                                        "output_padding", "groups", "data_format", "filter_format"}));
}

// Elementwise has the fields of all kinds. The signature tells which of them one kind has.
TEST(Operators, SignaturesTellInputsAndAttributes)
{
    struct Row {
        Operator op;
        std::vector<std::string_view> inputs, attributes;
        size_t least = 1, most = 1;
    };
    const std::vector<Row> rows = {
        {ConvTranspose{},
         {"X", "W", "B"},
         {"auto_pad", "kernel_shape", "strides", "dilations", "pads", "output_padding", "output_shape", "group"},
         2,
         3},
        {AveragePool{}, {"X"}, {"auto_pad", "kernel_shape", "strides", "dilations", "pads", "ceil_mode", "count_include_pad"}},
        {Shape{}, {"data"}, {"start", "end"}},
        {Cast{}, {"input"}, {"to", "saturate", "round_mode"}},
        {Resize{},
         {"X"},
         {"mode", "coordinate_transformation_mode", "nearest_mode", "axes", "sizes", "scales", "roi", "cubic_coeff_a",
          "exclude_outside", "extrapolation_value", "antialias", "keep_aspect_ratio_policy"}},
        {onednn::ConvTranspose{},
         {"X", "W", "B"},
         {"strides", "pads_begin", "pads_end", "dilations", "auto_pad", "output_padding", "groups", "data_format",
          "filter_format"},
         2,
         3},
        {MaxPool{}, {"X"}, {"auto_pad", "kernel_shape", "strides", "dilations", "pads", "ceil_mode", "storage_order"}},
        {GlobalAveragePool{}, {"X"}, {}},
        {GlobalMaxPool{}, {"X"}, {}},
        {ReduceMean{}, {"data"}, {"axes", "keepdims", "noop_with_empty_axes"}},
        {ReduceSum{}, {"data"}, {"axes", "keepdims", "noop_with_empty_axes"}},
        {ReduceLogSumExp{}, {"data"}, {"axes", "keepdims", "noop_with_empty_axes"}},
        {ArgMax{}, {"data"}, {"axis", "keepdims", "select_last_index"}},
        {CumSum{}, {"x"}, {"axis", "exclusive", "reverse"}},
        {TopK{}, {"X"}, {"k", "axis", "largest", "sorted"}},
        {ScatterElements{}, {"data", "indices", "updates"}, {"axis", "reduction"}, 3, 3},
        {ScatterND{}, {"data", "indices", "updates"}, {"reduction"}, 3, 3},
        {Softmax{}, {"input"}, {"axis"}},
        {LogSoftmax{}, {"input"}, {"axis"}},
        {InstanceNormalization{}, {"input", "scale", "B"}, {"epsilon"}, 3, 3},
        {BatchNormalization{},
         {"X", "scale", "B", "input_mean", "input_var"},
         {"epsilon", "momentum", "spatial", "training_mode"},
         5,
         5},
        {LRN{}, {"X"}, {"alpha", "beta", "bias", "size"}},
        {LayerNormalization{}, {"X", "Scale", "B"}, {"axis", "epsilon", "stash_type"}, 2, 3},
        {RNN{},
         {"X", "W", "R", "B", "sequence_lens", "initial_h"},
         {"direction", "activations", "activation_alpha", "activation_beta", "clip", "hidden_size", "layout"},
         3,
         6},
        {GRU{},
         {"X", "W", "R", "B", "sequence_lens", "initial_h"},
         {"direction", "activations", "activation_alpha", "activation_beta", "clip", "hidden_size", "layout",
          "linear_before_reset"},
         3,
         6},
        {LSTM{},
         {"X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P"},
         {"direction", "activations", "activation_alpha", "activation_beta", "clip", "hidden_size", "input_forget", "layout"},
         3,
         8},
        {Elementwise{.kind = ElementwiseKind::relu}, {"X"}, {}},
        {Elementwise{.kind = ElementwiseKind::exp}, {"input"}, {}},
        {Elementwise{.kind = ElementwiseKind::elu}, {"X"}, {"alpha"}},
        {Elementwise{.kind = ElementwiseKind::hard_sigmoid}, {"X"}, {"alpha", "beta"}},
        {Elementwise{.kind = ElementwiseKind::sin}, {"input"}, {}},
        {Elementwise{.kind = ElementwiseKind::selu}, {"X"}, {"alpha", "gamma"}},
        {Elementwise{.kind = ElementwiseKind::gelu}, {"X"}, {"approximate"}},
        {Elementwise{.kind = ElementwiseKind::clip}, {"input", "min", "max"}, {"min", "max"}, 1, 3},
        {Elementwise{.kind = ElementwiseKind::prelu}, {"X", "slope"}, {}, 2, 2},
        {Elementwise{.kind = ElementwiseKind::add}, {"A", "B"}, {}, 2, 2},
        {Elementwise{.kind = ElementwiseKind::sum}, {"data_0"}, {}, 1, 254},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(name(row.op));
        const Result<Signature> explained = signature(row.op);
        ASSERT_TRUE(explained) << explained.message();
        EXPECT_EQ(explained->inputs, row.inputs);
        EXPECT_EQ(explained->attributes, row.attributes);
        EXPECT_EQ(explained->least_inputs, row.least);
        EXPECT_EQ(explained->most_inputs, row.most);
    }
}

TEST(Operators, DomainsAreThoseOfModelFiles)
{
    EXPECT_EQ(domain(Operator(onednn::ConvTranspose{})), "onednn.graph");
    EXPECT_EQ(domain(Operator(ConvTranspose{})), "");
    EXPECT_EQ(domain(Operator(Elementwise{})), "");
}

// What a visitor sets under a name must be in the member of that name.
TEST(Operators, AVisitorSetsTheMemberThatItNames)
{
    std::map<std::string_view, int64_t> numbers;
    int64_t next = 10;
    struct Setter {
        std::map<std::string_view, int64_t>& numbers;
        int64_t& next;
        void operator()(std::string_view name, std::vector<int64_t>& list) const { list = {numbers[name] = next++}; }
        void operator()(std::string_view name, std::vector<float>& list) const { list = {float(numbers[name] = next++)}; }
        void operator()(std::string_view name, std::optional<int64_t>& number) const { number = numbers[name] = next++; }
        void operator()(std::string_view name, std::optional<float>& number) const { number = float(numbers[name] = next++); }
        void operator()(std::string_view name, int64_t& number) const { number = numbers[name] = next++; }
        void operator()(std::string_view, AutoPad& value, Spellings<AutoPad>) const { value = AutoPad::valid; }
        void operator()(std::string_view, Layout& value, Spellings<Layout>) const { value = Layout::ncx; }
        void operator()(std::string_view, RoundMode& value, Spellings<RoundMode>) const { value = RoundMode::down; }
        void operator()(std::string_view, ResizeMode& value, Spellings<ResizeMode>) const { value = ResizeMode::cubic; }
        void operator()(std::string_view, CoordinateTransformationMode& value, Spellings<CoordinateTransformationMode>) const
        {
            value = CoordinateTransformationMode::asymmetric;
        }
        void operator()(std::string_view, NearestMode& value, Spellings<NearestMode>) const { value = NearestMode::ceil; }
        void operator()(std::string_view, KeepAspectRatioPolicy& value, Spellings<KeepAspectRatioPolicy>) const
        {
            value = KeepAspectRatioPolicy::not_smaller;
        }
        void operator()(std::string_view, RecurrentDirection& value, Spellings<RecurrentDirection>) const
        {
            value = RecurrentDirection::reverse;
        }
        void operator()(std::string_view, std::vector<RecurrentActivation>& list, Spellings<RecurrentActivation>) const
        {
            list = {RecurrentActivation::elu};
        }
        void operator()(std::string_view, onednn::FilterFormat& value, Spellings<onednn::FilterFormat>) const
        {
            value = onednn::FilterFormat::iox;
        }
        void operator()(std::string_view, ShiftDirection& value, Spellings<ShiftDirection>) const
        {
            value = ShiftDirection::right;
        }
        void operator()(std::string_view, GeluApproximation& value, Spellings<GeluApproximation>) const
        {
            value = GeluApproximation::tanh;
        }
        void operator()(std::string_view, PadMode& value, Spellings<PadMode>) const { value = PadMode::edge; }
        void operator()(std::string_view, DepthToSpaceMode& value, Spellings<DepthToSpaceMode>) const
        {
            value = DepthToSpaceMode::crd;
        }
        void operator()(std::string_view, ScatterReduction& value, Spellings<ScatterReduction>) const
        {
            value = ScatterReduction::max;
        }
    };
    const auto list = [&](std::string_view name) { return std::vector<int64_t>{numbers.at(name)}; };
    const Setter setter{numbers, next};

    ConvTranspose conv;
    fields(conv, setter);
    EXPECT_EQ(conv.auto_pad, AutoPad::valid);
    EXPECT_EQ(conv.kernel_shape, list("kernel_shape"));
    EXPECT_EQ(conv.strides, list("strides"));
    EXPECT_EQ(conv.dilations, list("dilations"));
    EXPECT_EQ(conv.pads, list("pads"));
    EXPECT_EQ(conv.output_padding, list("output_padding"));
    EXPECT_EQ(conv.output_shape, list("output_shape"));
    EXPECT_EQ(conv.group, numbers.at("group"));

    Conv convolution;
    fields(convolution, setter);
    EXPECT_EQ(convolution.auto_pad, AutoPad::valid);
    EXPECT_EQ(convolution.kernel_shape, list("kernel_shape"));
    EXPECT_EQ(convolution.strides, list("strides"));
    EXPECT_EQ(convolution.dilations, list("dilations"));
    EXPECT_EQ(convolution.pads, list("pads"));
    EXPECT_EQ(convolution.group, numbers.at("group"));

    Gemm product;
    fields(product, setter);
    EXPECT_EQ(product.alpha, float(numbers.at("alpha")));
    EXPECT_EQ(product.beta, float(numbers.at("beta")));
    EXPECT_EQ(product.transA, numbers.at("transA"));
    EXPECT_EQ(product.transB, numbers.at("transB"));

    Transpose transpose;
    fields(transpose, setter);
    EXPECT_EQ(transpose.perm, list("perm"));

    Slice slice;
    fields(slice, setter);
    EXPECT_EQ(slice.starts, list("starts"));
    EXPECT_EQ(slice.ends, list("ends"));
    EXPECT_EQ(slice.axes, list("axes"));
    EXPECT_EQ(slice.steps, list("steps"));

    Pad pad;
    fields(pad, setter);
    EXPECT_EQ(pad.mode, PadMode::edge);
    EXPECT_EQ(pad.pads, list("pads"));
    EXPECT_EQ(pad.axes, list("axes"));
    EXPECT_EQ(pad.value, float(numbers.at("value")));

    Concat concat;
    fields(concat, setter);
    EXPECT_EQ(concat.axis, numbers.at("axis"));

    Split split;
    fields(split, setter);
    EXPECT_EQ(split.axis, numbers.at("axis"));
    EXPECT_EQ(split.split, list("split"));
    EXPECT_EQ(split.num_outputs, numbers.at("num_outputs"));

    DepthToSpace depth_to_space;
    fields(depth_to_space, setter);
    EXPECT_EQ(depth_to_space.blocksize, numbers.at("blocksize"));
    EXPECT_EQ(depth_to_space.mode, DepthToSpaceMode::crd);

    SpaceToDepth space_to_depth;
    fields(space_to_depth, setter);
    EXPECT_EQ(space_to_depth.blocksize, numbers.at("blocksize"));
    EXPECT_EQ(space_to_depth.mode, DepthToSpaceMode::crd);

    ScatterElements scatter_elements;
    fields(scatter_elements, setter);
    EXPECT_EQ(scatter_elements.axis, numbers.at("axis"));
    EXPECT_EQ(scatter_elements.reduction, ScatterReduction::max);

    ScatterND scatter_nd;
    fields(scatter_nd, setter);
    EXPECT_EQ(scatter_nd.reduction, ScatterReduction::max);

    Expand expand;
    fields(expand, setter);
    EXPECT_EQ(expand.shape, list("shape"));

    Tile tile;
    fields(tile, setter);
    EXPECT_EQ(tile.repeats, list("repeats"));

    Operator op = AveragePool{};
    fields(op, setter);
    const auto& pool = std::get<AveragePool>(op);
    EXPECT_EQ(pool.auto_pad, AutoPad::valid);
    EXPECT_EQ(pool.kernel_shape, list("kernel_shape"));
    EXPECT_EQ(pool.strides, list("strides"));
    EXPECT_EQ(pool.dilations, list("dilations"));
    EXPECT_EQ(pool.pads, list("pads"));
    EXPECT_EQ(pool.ceil_mode, numbers.at("ceil_mode"));
    EXPECT_EQ(pool.count_include_pad, numbers.at("count_include_pad"));

    Shape shape;
    fields(shape, setter);
    EXPECT_EQ(shape.start, numbers.at("start"));
    EXPECT_EQ(shape.end, numbers.at("end"));

    Cast cast;
    fields(cast, setter);
    EXPECT_EQ(cast.to, numbers.at("to"));
    EXPECT_EQ(cast.saturate, numbers.at("saturate"));
    EXPECT_EQ(cast.round_mode, RoundMode::down);

    Resize resize;
    fields(resize, setter);
    EXPECT_EQ(resize.mode, ResizeMode::cubic);
    EXPECT_EQ(resize.coordinate_transformation_mode, CoordinateTransformationMode::asymmetric);
    EXPECT_EQ(resize.nearest_mode, NearestMode::ceil);
    EXPECT_EQ(resize.axes, list("axes"));
    EXPECT_EQ(resize.sizes, list("sizes"));
    EXPECT_EQ(resize.scales, std::vector<float>{float(numbers.at("scales"))});
    EXPECT_EQ(resize.roi, std::vector<float>{float(numbers.at("roi"))});
    EXPECT_EQ(resize.cubic_coeff_a, float(numbers.at("cubic_coeff_a")));
    EXPECT_EQ(resize.exclude_outside, numbers.at("exclude_outside"));
    EXPECT_EQ(resize.extrapolation_value, float(numbers.at("extrapolation_value")));
    EXPECT_EQ(resize.antialias, numbers.at("antialias"));
    EXPECT_EQ(resize.keep_aspect_ratio_policy, KeepAspectRatioPolicy::not_smaller);

    Elementwise elementwise;
    fields(elementwise, setter);
    EXPECT_EQ(elementwise.alpha, float(numbers.at("alpha")));
    EXPECT_EQ(elementwise.beta, float(numbers.at("beta")));
    EXPECT_EQ(elementwise.min, float(numbers.at("min")));
    EXPECT_EQ(elementwise.max, float(numbers.at("max")));
    EXPECT_EQ(elementwise.gamma, float(numbers.at("gamma")));
    EXPECT_EQ(elementwise.approximate, GeluApproximation::tanh);

    onednn::ConvTranspose onednn;
    fields(onednn, setter);
    EXPECT_EQ(onednn.strides, list("strides"));
    EXPECT_EQ(onednn.pads_begin, list("pads_begin"));
    EXPECT_EQ(onednn.pads_end, list("pads_end"));
    EXPECT_EQ(onednn.dilations, list("dilations"));
    EXPECT_EQ(onednn.auto_pad, AutoPad::valid);
    EXPECT_EQ(onednn.output_padding, list("output_padding"));
    EXPECT_EQ(onednn.groups, numbers.at("groups"));
    EXPECT_EQ(onednn.data_format, Layout::ncx);
    EXPECT_EQ(onednn.filter_format, onednn::FilterFormat::iox);
}

TEST(Operators, WordsAreThoseOfTheDocument)
{
    EXPECT_EQ(words_of(ConvTranspose{}, "auto_pad"), (Names{"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}));
    EXPECT_EQ(words_of(AveragePool{}, "auto_pad"), (Names{"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}));
    EXPECT_EQ(words_of(onednn::ConvTranspose{}, "auto_pad"), (Names{"None", "SAME_UPPER", "SAME_LOWER", "VALID"}));
    EXPECT_EQ(words_of(onednn::ConvTranspose{}, "data_format"), (Names{"NXC", "NCX"}));
    EXPECT_EQ(words_of(onednn::ConvTranspose{}, "filter_format"), (Names{"XIO", "OIX", "IOX"}));
    EXPECT_EQ(words_of(ConvTranspose{}, "strides"), Names{});
    EXPECT_EQ(name(Layout::ncx), "NCX");
    EXPECT_EQ(name(Layout::nxc), "NXC");
    EXPECT_EQ(name(Layout(2)), "");
}

TEST(Operators, WordsAndValuesLeadToEachOther)
{
    const Spellings<AutoPad> words = auto_pad_words;
    EXPECT_EQ(word_of(words, AutoPad::same_lower), "SAME_LOWER");
    EXPECT_EQ(word_of(words, AutoPad(4)), "");
    EXPECT_EQ(value_of(words, "SAME_LOWER"), AutoPad::same_lower);
    EXPECT_EQ(value_of(words, "same_lower"), std::nullopt);
    EXPECT_EQ(value_of(Spellings<Rules>(rules_words), "onnxruntime"), Rules::onnxruntime);
}

TEST(Operators, NamesAndWhatIsNoAttribute)
{
    EXPECT_EQ(name(ConvTranspose{}), "ConvTranspose");
    EXPECT_EQ(name(AveragePool{}), "AveragePool");
    EXPECT_EQ(name(Shape{}), "Shape");
    EXPECT_EQ(name(onednn::ConvTranspose{}), "ConvTranspose");
    EXPECT_EQ(name(Elementwise{.kind = ElementwiseKind::leaky_relu}), "LeakyRelu");
    EXPECT_EQ(name(Elementwise{.kind = ElementwiseKind(250)}), "");
    Operator pool = AveragePool{};
    *opset_of(pool) = 7;
    *rules_of(pool) = Rules::onnxruntime;
    EXPECT_EQ(std::get<AveragePool>(pool).opset, 7);
    EXPECT_EQ(std::get<AveragePool>(pool).rules, Rules::onnxruntime);
    const Operator conv = ConvTranspose{.opset = 11}, shape = Shape{.opset = 15}, onednn = onednn::ConvTranspose{};
    EXPECT_EQ(*opset_of(conv), 11);
    EXPECT_EQ(*opset_of(shape), 15);
    EXPECT_EQ(rules_of(shape), nullptr);
    EXPECT_EQ(opset_of(onednn), nullptr);
    EXPECT_EQ(rules_of(onednn), nullptr);
}

TEST(Operators, ShapeIsKnownToExplain)
{
    const TensorDesc data = {DType::float32, {2, 3, 5, 7}};
    const Result<Explanation> part = explain(Shape{.start = 1, .end = -1}, std::span(&data, 1), {});
    ASSERT_TRUE(part) << part.message();
    EXPECT_EQ(part->host_result, (std::vector<int64_t>{3, 5}));
    const TensorDesc x = {DType::float32, {1, 1, 4}};
    const Result<Explanation> pool = explain(AveragePool{.kernel_shape = {2}}, std::span(&x, 1), {});
    ASSERT_TRUE(pool) << pool.message();
    EXPECT_EQ(pool->host_result, std::vector<int64_t>());
}

}  // namespace
}  // namespace vkonnx
