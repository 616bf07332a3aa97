// SPDX-License-Identifier: Apache-2.0
//
// vkonnx 0.1.0: ONNX model files: load, inspect, run. Library target vkonnx::onnx.
// Licensed as LICENSE says. Report what goes wrong, with what `vkonnx devices` prints, to where you got vkonnx from.
//
//   Result<onnx::Model> model = onnx::Model::load("model.onnx");
//   const std::vector<onnx::NamedDesc> inputs = {{"X", x.desc}};
//   Result<onnx::Session> session = onnx::Session::prepare(gpu, *model, inputs);
//   Result<std::vector<onnx::HostTensor>> y = session->run({&x, 1});
//
// Files are untrusted: parsing is memory-safe and bounded by the file's size; what it refuses it names in one sentence. Weights
// in files of their own (external_data) are read from one folder only: ModelOptions::external_data_folder.
// Supported: the operators of operators.hpp; what only renames memory: Identity, Constant, Dropout (in inference), Reshape,
// Flatten, Squeeze, Unsqueeze; and what computes shapes, of values that are known before anything runs: ConstantOfShape,
// NonZero, Range, Size, beside what vkonnx::evaluate does; and If: a branch takes its place where its condition is such a value,
// or else both do (docs/operators.md); and Loop and Scan, whose bodies take their place as often as they run, which must be such
// a value. In every version from opset 7 on, most in older ones, too. A model's values have dimensions and no layout:
// TensorDesc::layout doesn't count here. Errors, handles, threads and lifetimes are as in vkonnx.hpp.
#ifndef VKONNX_ONNX_HPP
#define VKONNX_ONNX_HPP

#include <vkonnx/vkonnx.hpp>

#if defined(VKONNX_SHARED) && defined(_WIN32) && defined(VKONNX_BUILDING_ONNX)
#define VKONNX_ONNX_API __declspec(dllexport)
#else
#define VKONNX_ONNX_API VKONNX_API
#endif

namespace vkonnx::onnx {

// A HostTensor is a tensor in host memory: row-major, little-endian, types below 8 bits packed as ONNX packs them.
struct HostTensor {
    TensorDesc desc = {};
    std::vector<std::byte> data = {};       // byte_size(desc) bytes; empty for DType::string
    std::vector<std::string> strings = {};  // the elements for DType::string
};

// A HostView is the same, looked at where it lies.
struct HostView {
    TensorDesc desc = {};
    std::span<const std::byte> data = {};
    std::span<const std::string> strings = {};
};

// Gives the memory for an output of Session::run_into.
using OutputMemory = std::function<Result<std::span<std::byte>>(size_t output, const TensorDesc& desc)>;

// Reads one serialized TensorProto (the content of an official test case's .pb file), from raw_data or typed fields.
VKONNX_ONNX_API Result<HostTensor> parse_tensor(std::span<const std::byte> tensor_proto);

// A ValueInfo is a graph input or output as the file declares it.
struct ValueInfo {
    std::string name = {};
    DType dtype = DType::undefined;
    bool has_shape = false;
    std::vector<int64_t> dims = {};  // -1 where the file gives a symbol or nothing
    // Its elements decide dimensions (Reshape's shape, Slice's starts), the branch of an If or how often a Loop runs: a
    // session must know them, by NamedDesc::value. Without those that decide nothing but branches, both branches run.
    bool decides_dimensions = false;
};

// A MetadataEntry is a pair of what the file says of itself (metadata_props): labels, dictionaries. It is UTF-8 where its writer
// kept to ONNX's rules.
struct MetadataEntry {
    std::string key = {};
    std::string value = {};
};

struct ModelOptions {
    // The folder of the files in which tensors have their elements where not in the model: nothing outside it is read, whatever
    // path or link says otherwise. Empty: for `load` the model's own, or that of the file which its path is a link to; for
    // `parse` none, so that such a model is refused.
    std::string external_data_folder = {};
};

struct Access;  // behind the handles
struct ModelState;
struct SessionState;

// A Model is a model file's content, checked: names unique, edges complete, nodes in an order that can run. It is immutable.
class VKONNX_ONNX_API Model {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    // Files with tensors' elements must be there and large enough, and stay: they take no host memory, but are read when a
    // session is prepared and, where such a tensor is an output, when it is bound or run.
    static Result<Model> load(const std::string& path, const ModelOptions& options = {});
    static Result<Model> parse(std::span<const std::byte> bytes, const ModelOptions& options = {});

    // These are graph inputs that no initializer fills, in the file's order, and graph outputs.
    std::span<const ValueInfo> inputs() const noexcept;
    std::span<const ValueInfo> outputs() const noexcept;

    // Returns the entries in the file's order. A key that the file has twice is here twice.
    std::span<const MetadataEntry> metadata() const noexcept;

private:
    friend struct Access;
    std::shared_ptr<const ModelState> state_;
};

struct NamedDesc {
    std::string name = {};
    TensorDesc desc = {};
    // The elements, where they are known beforehand: then the input is constant, and what is run must have the same ones.
    std::optional<HostTensor> value = {};
};

// A fusion makes one operator out of several when a graph is rewritten. The values are the bits of
// SessionOptions::without_fusions.
enum class Fusion : uint32_t {
    padding = 1,  // A Pad by zeros becomes pads of the convolution behind it.
    // Add of 3, Clip from 0 to 6, Mul and Div that spell out a HardSigmoid or a HardSwish become that operator. There may be
    // views between them, as long as each element meets the same elements. ReduceMean, Sub, Pow or Mul, Add, Sqrt, Div or
    // Reciprocal, Mul and Add that spell out a LayerNormalization become that operator: along the last axes, with Scale and B of
    // their dimensions. MatMul, Mul or Div by a number, Add, Softmax and MatMul that spell out a DotProductAttention become that
    // operator, where the device is estimated to be faster at it: scores are then nowhere in memory. The Transposes that move its
    // heads go into it. LayerNormalization and DotProductAttention compute in float and round once. Doubles are left alone.
    pattern = 2,
    // A BatchNormalization goes into the weights and the bias of the Conv, ConvTranspose, Gemm or MatMul before it, and so do
    // constants that are added to, subtracted from or multiplied with whole channels. Such constants also go into scale and B of
    // a BatchNormalization. The new weights are computed in double and rounded as the old ones were. This is done only where the
    // new bias is finite and each new weight is zero or a normal number of its type. Except in float16, a weight may also be at
    // most 2^-48 of the greatest one. An operator that goes into weights makes scale * v + shift of each v. It adds to an output
    // at most
    //   2u * (|scale| * S + |shift|)
    // of error, where S is the sum of the magnitudes of all terms of v, its bias among them, and u is 2^-11 for float16, 2^-8
    // for bfloat16, 2^-24 for float and 2^-53 for double, as long as no term and no sum overflows or is denormal.
    weights = 4,
    // An activation behind a Conv, ConvTranspose, Gemm or MatMul becomes its PrepareOptions::epilogue, with a Mul and an Add by
    // numbers behind it. An activation behind a Concat goes to all operators whose outputs the Concat joins. Relu does so also
    // where the Concat joins others that have nothing below 0.
    activation = 8,
    // Elementwise operators one behind the other become one, by Elementwise::steps. A BatchNormalization may be among them, but
    // not one of halves.
    chain = 16,
    // Operators before a Conv, ConvTranspose or GlobalAveragePool that alone reads them become its PrepareOptions::prologue. They
    // are a BatchNormalization, or a Relu, LeakyRelu or PRelu with a slope for each channel, or one of the former and one of the
    // latter. Of halves, BatchNormalization and LeakyRelu are left alone. So is all that is before a depthwise convolution, and
    // everything on a device with fewer than 5 storage buffers a shader stage.
    // Here and in a chain, a BatchNormalization is x * scale + shift. Both operations are rounded as a float or double, which
    // differs by up to 3u * (|x * scale| + |shift|) where the mean is far from 0. A BatchNormalization is left alone where the
    // scale is denormal or the shift infinite.
    prologue = 32,
    // Operators whose inputs are all constants are computed once, by the device and before the first run, and what they make is a
    // constant, too: weights that a file holds as integers with a scale, above all. It keeps its memory. So an operator is left
    // alone whose output has more elements than its largest input, is an output of the model, or goes through a BitCast. So is
    // what has more than 31 such operators before it. All are left alone where the device's memory is too small otherwise.
    constants = 64,
};

inline constexpr Spelling<Fusion> fusion_words[] = {{Fusion::padding, "padding"},    {Fusion::pattern, "pattern"},
                                                    {Fusion::weights, "weights"},    {Fusion::activation, "activation"},
                                                    {Fusion::chain, "chain"},        {Fusion::prologue, "prologue"},
                                                    {Fusion::constants, "constants"}};

struct SessionOptions {
    Rules rules = Rules::specification;
    PrepareOptions prepare = {};
    // Threads that prepare operators, the caller's own among them: drivers compile pipelines for long. At least 1.
    uint32_t prepare_threads = 1;
    // Host memory that values may take in all that are known before anything runs and are not in the file: what models compute
    // shapes with is some bytes, and a file must not make it gigabytes. What would exceed it is refused.
    uint64_t max_folded_bytes = uint64_t(16) << 20;
    // Inputs of other sizes take a plan of their own: so many are kept for those that were last asked for. At least 1.
    uint64_t max_plans = 4;
    // The nodes of a Loop's or a Scan's body take its place, as often as it runs. All bodies together may run so often.
    uint64_t max_loop_iterations = 4096;
    // Bits of Fusion: those that are not wanted. With padding, activation and constants results are what the nodes alone give,
    // but for halves, which are rounded once; the others round elsewhere.
    uint32_t without_fusions = 0;
};

// A NodeReport tells how one node was understood, and what became of it when the graph was rewritten.
struct NodeReport {
    std::string name = {};  // the node's own name, its first output's where it has none, or "#index" where it has neither
    std::string op_type = {};
    std::string domain = {};
    int64_t opset = 0;
    std::vector<std::string> inputs = {};  // names of values; "" for one that is not given
    std::vector<std::string> outputs = {};
    // Its `kernel` says what became of it: a kernel's name where it runs; "view" where it only renames memory; "host" where its
    // outputs are known before anything runs, or empty; "fused" where another node computes it, too (PrepareOptions::epilogue);
    // "none" where nothing reads its outputs, or the branch of an If that it is in is not taken; "later" where a run must compute
    // something before the node is planned (Session::runs_in_stages); "once" where the device computes it before the first run
    // (Fusion::constants). `why` has the reason. An Einsum is computed by other operators, and tells of all of them:
    // "move_rows_f32 + matmul_f32", for example. So does an If whose branches both run: "logic_u32" is the Where that chooses its
    // output.
    Explanation explanation = {};
    std::optional<size_t> fused_into = {};  // of a "fused" one, by its place in GraphReport::nodes: who writes its outputs
    double seconds = 0;                     // GPU time in the last run; 0 before it, without GPU work or without timestamps

    bool runs() const noexcept
    {
        return explanation.kernel != "view" && explanation.kernel != "host" && explanation.kernel != "fused" &&
               explanation.kernel != "none" && explanation.kernel != "later" && explanation.kernel != "once";
    }
};

// A ValuePlace tells where a value lies.
enum class ValuePlace : uint8_t {
    none,      // nowhere: no operator on the device reads or writes it
    input,     // in the caller's tensor
    output,    // in the caller's tensor
    constant,  // with the file's content, in device memory of its own while an operator reads it as it is
    arena,     // in the session's arena, beside or over others
};

// Returns "none", "input" and so on.
VKONNX_ONNX_API std::string_view name(ValuePlace place) noexcept;

// A ValueReport is the memory of one value, which its views share.
struct ValueReport {
    std::string name = {};  // of the first value that lies there
    TensorDesc desc = {};
    ValuePlace place = ValuePlace::none;
    uint64_t bytes = 0;
    size_t arena = 0;     // of ValuePlace::arena: which of them
    uint64_t offset = 0;  // likewise: the byte of it that the value begins with
    size_t first = 0;     // the node that writes it, or of inputs and constants reads it first, by its place in
    size_t last = 0;      // GraphReport::nodes; and the one that reads it last
};

// A GraphReport is a graph for given input descriptions: as it was read, as it was rewritten, and the device memory that it
// takes.
struct GraphReport {
    std::vector<NodeReport> nodes = {};    // as read, in the file's order; those in the branches of an If come before it
    std::vector<ValueReport> values = {};  // as rewritten: an entry for each memory
    std::vector<uint64_t> arenas = {};     // bytes of each; one, unless it would exceed 1 GiB
    uint64_t arena_bytes = 0;              // of values between operators and scratch memory: what never lives at once shares it
    uint64_t unshared_bytes = 0;           // what the values would take without sharing
    uint64_t constant_bytes = 0;           // of all constants that operators read
    uint64_t packed_bytes = 0;             // of constants in a form of a kernel's own
    uint64_t scratch_bytes = 0;            // of these, the most that an operator has as scratch memory
};

// Tells every node's resolved geometry, equation, kernel, grid and reason, without a device. Where elements that a run computes
// decide sizes, it tells of the nodes that can be planned before.
VKONNX_ONNX_API Result<GraphReport> explain(const Model& model, std::span<const NamedDesc> inputs,
                                            const Capabilities& capabilities, const SessionOptions& options = {});

// A model prepared on a device for given input descriptions, its plan. What the file holds is constant (Weights): uploaded when
// an operator asks for it, packed once for all that want the same, and on the device only in the form in which it is read. Values
// between operators share one arena, of the size that those need that live at once.
//
// Inputs of other sizes are served by plans of their own, which share all of that but the arena: on devices that are no CPUs they
// create no pipelines, but where those of the first plan can't run them or take more than twice as long as others, by estimates.
class VKONNX_ONNX_API Session {
public:
    explicit operator bool() const noexcept { return state_ != nullptr; }  // not an empty handle
    // Every graph input needs a description, by name; one whose dimensions the file gives in full may be left out. A model whose
    // arena and constants would exceed what DeviceOptions::max_memory leaves is refused before anything is allocated.
    static Result<Session> prepare(const Device& device, const Model& model, std::span<const NamedDesc> inputs,
                                   const SessionOptions& options = {});

    // The same model, device and options for other inputs, described as for `prepare`. What was asked for before is kept: see
    // SessionOptions::max_plans. Sessions for the same inputs share one plan, so that they belong to one thread at a time. Any
    // thread.
    Result<Session> for_inputs(std::span<const NamedDesc> inputs) const;

    // Uploads, runs and downloads, by one submit and one wait. Inputs in the order of Model::inputs, outputs in the order of
    // Model::outputs. The first run makes the tensors for them and, where the host does not see these, host memory for the
    // copies (MemoryUse::staging), at most 16 MiB for each plan. What goes beyond that, or does not get its memory, is copied by
    // submits of its own, as Tensor::upload and Tensor::download do. Inputs of other dimensions, or with other elements where
    // these decide dimensions, are run as by for_inputs.
    Result<std::vector<HostTensor>> run(std::span<const HostTensor> inputs);
    // The same without a copy of the inputs: their elements are read where they lie.
    Result<std::vector<HostTensor>> run_views(std::span<const HostView> inputs);
    // This runs the model as run_views does, and writes the outputs' elements where the caller wants them. When all outputs have
    // been computed, it calls `memory` for each in turn, with its place in Model::outputs and its description, whose dimensions
    // may be new. `memory` gives as many bytes as byte_size of that description counts, none of them an input's; its error ends
    // the call. An output of strings is refused, because strings have no such size.
    Status run_into(std::span<const HostView> inputs, const OutputMemory& memory);

    // Ties the session to device tensors, in the orders of Model::inputs and Model::outputs: what is given is run, submitted and
    // recorded into an application's commands as any Recording, with a binding for each node that runs, and a copy for each
    // output that is an input, a constant or another output under a second name. An input that no operator reads may be an empty
    // handle. No output may share memory with an input or another output.
    //
    // All that is bound shares the arena: in an application's command buffers the application orders it, also against `run`, as
    // it orders uses of one Binding. What is bound keeps what it uses alive, also without the Session.
    Result<Recording> bind(std::span<const Tensor> inputs, std::span<const Tensor> outputs) const;

    // Tells whether elements that a run computes decide sizes in the model, as those of NonZero's input do. Such a model runs in
    // stages: `prepare` plans the first one, a run the others, for what has been computed by then. It keeps
    // SessionOptions::max_plans plans of each. What one stage makes for another goes through host memory. `bind` is refused, and
    // `report` tells of the first stage. Of sessions for the same model one runs at a time.
    bool runs_in_stages() const noexcept;

    // The descriptions that `bind` takes and gives. Of a model that runs in stages, outputs have the dimensions that the file
    // declares, -1 where it gives none; what a run returns has its own description.
    std::span<const TensorDesc> inputs() const noexcept;
    std::span<const TensorDesc> outputs() const noexcept;

    // Made when it is first asked for; empty where the host is out of memory for it. Its nodes have the seconds of the last
    // `run`.
    const GraphReport& report() const noexcept;
    // report().nodes
    std::span<const NodeReport> nodes() const noexcept;

private:
    std::shared_ptr<SessionState> state_;
};

}  // namespace vkonnx::onnx

#endif
