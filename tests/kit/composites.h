// This header has the references of composites: operators that only model files have, because other operators compute them. They
// follow the documents of ONNX and, for the domain com.microsoft, the page ContribOperators of ONNX Runtime. What these leave
// open is decided in docs/operators.md.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "kit/reference.h"

namespace vkonnx::kit {

// This struct is one node with all of its inputs. Those that are left out have the type `undefined`.
struct CompositeProblem {
    using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>>;

    std::string op_type = {};
    int64_t opset = 23;         // of ONNX's domain
    bool is_microsoft = false;  // of the domain com.microsoft, in its version 1
    std::map<std::string, Attribute> attributes = {};
    std::vector<RealTensor> inputs = {};
    size_t outputs = 1;
    uint32_t unwanted = 0;  // bits of the outputs that have no name

    bool has(size_t input) const { return input < inputs.size() && inputs[input].desc.dtype != DType::undefined; }
    const std::vector<int64_t>& dims(size_t input) const { return inputs[input].desc.dims; }
    template <class T>
    T attribute(const std::string& name, T otherwise) const
    {
        const auto found = attributes.find(name);
        return found == attributes.end() ? otherwise : std::get<T>(found->second);
    }
};

struct CompositeAnswers {
    TensorDesc output = {};
    std::vector<Answer> elements = {};  // all of them
};

// Computes the outputs of a node that is right in all respects, without those that have no name. The bounds of the answers are
// those of docs/SEMANTICS.md, where `taps` counts whatever rounds.
std::vector<CompositeAnswers> reference_composite(const CompositeProblem& problem);

// These are the references by what the operators have in common.
std::vector<CompositeAnswers> reference_composed_movement(const CompositeProblem& problem);       // elements are moved or chosen
std::vector<CompositeAnswers> reference_composed_normalization(const CompositeProblem& problem);  // normalizations and losses
std::vector<CompositeAnswers> reference_sampling(const CompositeProblem& problem);                // grids, samples, pools
std::vector<CompositeAnswers> reference_windows(const CompositeProblem& problem);    // windows put back, and moved taps
std::vector<CompositeAnswers> reference_sequences(const CompositeProblem& problem);  // states, caches, running products
std::vector<CompositeAnswers> reference_attention(const CompositeProblem& problem);  // Attention and RotaryEmbedding

// Returns element i as it is.
Answer moved(const RealTensor& tensor, int64_t i);
// Returns an element of a type that is exactly this number. What is behind the point of an integer is lost.
Answer exactly(DType dtype, double number);

// Returns the node in a line, for messages.
std::string to_string(const CompositeProblem& problem);

// Returns a model with this node alone. Inputs whose bit in `constants` is set are in the file.
std::string model_of(const CompositeProblem& problem, uint32_t constants = 0);

// Returns the number that element i stands for.
double number_at(const RealTensor& tensor, size_t i);

}  // namespace vkonnx::kit
