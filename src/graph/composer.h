// SPDX-License-Identifier: Apache-2.0
// This header has the class in which a composite, an operator that other operators compute, says which ones these are.
//
//   void LpNormalization::compose(Composer& composer) const   // x / norm of x
//   {
//       const Operand x = composer.input(0);
//       composer.set_output(0, composer.add(div, {x, composer.add(ReduceL2{.axes = {axis}}, {x})}));
//   }
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vkonnx::graph {

// An operand is a value of a composite, under dimensions, and by BitCast under a type, that need not be those it was made with.
// The inputs have the first numbers, in their order.
struct Operand {
    size_t value = 0;
    TensorDesc desc = {};
};

// The first error is kept. After it, operands have no dimensions and nothing is added any more, so that a composite need not look
// after each step. It must therefore take extents from the inputs that it has checked, not from what an operator made.
class Composer {
public:
    static constexpr size_t nothing = SIZE_MAX;  // Operand::value of an optional input of an operator that is left out

    struct Input {
        TensorDesc desc = {};
        std::shared_ptr<const Content> content = {};  // where it is known before anything runs
        std::string name = {};
        bool is_given = true;
    };

    struct Call {
        Operator op = {};
        std::vector<Operand> inputs = {};
        std::vector<size_t> outputs = {};  // the numbers of the values that it makes
    };

    struct Constant {
        size_t value = 0;
        HostTensor tensor = {};
    };

    // `outputs` tells which outputs have a name. Constants together take at most `most_bytes`. The capabilities are those of the
    // device, and must outlive the composer.
    Composer(std::string_view op_type, int64_t version, std::vector<Input> inputs, std::vector<bool> outputs, uint64_t most_bytes,
             const Capabilities& capabilities);

    int64_t version() const { return version_; }  // of the operator
    const Capabilities& capabilities() const { return capabilities_; }
    size_t inputs() const { return inputs_.size(); }
    bool has(size_t input) const { return input < inputs_.size() && inputs_[input].is_given; }
    bool is_known(size_t input) const { return has(input) && inputs_[input].content; }
    bool wants(size_t output) const { return output < wanted_.size() && wanted_[output]; }
    // Returns an input that is given.
    Operand input(size_t index) const { return {index, inputs_[index].desc}; }
    // Returns an input, or, where it is left out, an operand that stands for nothing.
    Operand input_or_nothing(size_t index) const
    {
        return has(index) ? input(index) : Operand{nothing, {.dtype = DType::undefined}};
    }
    const std::vector<int64_t>& dims(size_t input) const { return inputs_[input].desc.dims; }

    // Returns the elements of an input of any number type, which must be known while preparing.
    std::vector<double> numbers(size_t input, std::string_view what);
    // Returns the elements of an input of booleans with one dimension, which must be known while preparing.
    std::vector<bool> flags(size_t input, std::string_view what);
    // Returns the one element of an input, which must be a whole number below 2^31 by magnitude and known while preparing, or 0.
    int64_t known_integer(size_t input, std::string_view what);

    // Adds an operator with one output, or with several.
    Operand add(Operator op, std::vector<Operand> inputs);
    std::vector<Operand> add_all(Operator op, const std::vector<Operand>& inputs);
    Operand add(ElementwiseKind kind, std::vector<Operand> inputs) { return add(Elementwise{.kind = kind}, std::move(inputs)); }
    // Adds a Cast, unless the operand has the type.
    Operand cast(const Operand& operand, DType dtype);

    // Adds a tensor whose elements are given by their places in it, row-major. They must lie within its type, which is one of
    // floats, booleans or integers of 8 to 64 bits.
    Operand constant(const TensorDesc& desc, const std::function<double(int64_t)>& element);
    // Adds the elements of a known input under another type of as many bits.
    Operand retyped(size_t input, DType dtype);
    // Tells whether such a constant may be added.
    bool fits(const TensorDesc& desc) const
    {
        const Result<uint64_t> bytes = byte_size(desc);
        return bytes && *bytes <= bytes_left_;
    }
    Operand constant(DType dtype, double value)
    {
        return constant({.dtype = dtype}, [value](int64_t) { return value; });
    }
    // Adds a scalar of an integer type that need not be a double.
    Operand integer(DType dtype, int64_t value);

    // Adds the numbers 0, 1, 2 and so on as int64.
    Operand places(std::vector<int64_t> dims)
    {
        return constant({.dtype = DType::int64, .dims = std::move(dims)}, [](int64_t i) { return double(i); });
    }

    // Returns the same memory under other dimensions of as many elements.
    static Operand view(Operand operand, std::vector<int64_t> dims)
    {
        operand.desc.dims = std::move(dims);
        return operand;
    }

    void set_output(size_t index, Operand operand);

    // Resolves an axis that may be negative. An axis beyond the rank is an error, and 0 is returned.
    size_t axis(int64_t axis, size_t rank, std::string_view name = "axis");

    void fail(Status status);
    void fail(std::string sentence) { fail(Status(Code::invalid_argument, std::move(sentence))); }
    // Where the condition does not hold, the sentence is an error. Tells whether there is none so far.
    bool check(bool condition, const std::string& sentence)
    {
        if (!condition)
            fail(sentence);
        return status_.ok();
    }

    // Returns an attribute that is 0 or 1, which is checked, or `otherwise` where it is not given.
    bool flag(const std::optional<int64_t>& value, std::string_view name, bool otherwise = false)
    {
        check(!value || *value == 0 || *value == 1,
              std::string(name) + " = " + std::to_string(value.value_or(0)) + " must be 0 or 1");
        return value ? *value == 1 : otherwise;
    }
    // Checks that an input is of floats, or that its dimensions are broadcast to those of another tensor without changing them.
    bool check_floats(size_t input, std::string_view name);
    bool check_broadcast(size_t input, std::string_view name, const TensorDesc& to);
    // Checks that an input has these dimensions, unless it is left out.
    bool check_dims(size_t input, std::string_view name, const std::vector<int64_t>& dims);
    // Checks that a list has so many numbers, and that each is from `least` to 2147483647.
    bool check_list(std::string_view name, const std::vector<int64_t>& list, size_t count, int64_t least);

    const Status& status() const { return status_; }
    // Returns the input that had to be known and is not, where that is the error.
    std::optional<size_t> unknown() const { return unknown_; }
    const std::vector<Constant>& constants() const { return constants_; }
    const std::vector<Call>& calls() const { return calls_; }  // in the order they run
    const std::vector<std::optional<Operand>>& outputs() const { return outputs_; }
    size_t values() const { return values_; }

private:
    // Returns an input that must be known while preparing, if it is right.
    std::optional<HostTensor> known(size_t input, std::string_view what, bool is_right, std::string_view expected);

    std::string_view op_type_;
    int64_t version_;
    std::vector<Input> inputs_;
    std::vector<bool> wanted_;
    uint64_t bytes_left_;
    const Capabilities& capabilities_;
    size_t values_;
    Status status_ = {};
    std::optional<size_t> unknown_ = {};
    std::vector<Constant> constants_ = {};
    std::vector<Call> calls_ = {};
    std::vector<std::optional<Operand>> outputs_ = {};
};

// Returns the type in which numbers of a type are computed: halves as float, so that what several operators compute is rounded
// once.
DType computed_in(DType dtype);

// Returns the type that an attribute gives by its number, or `undefined` for a number that a DType, of 8 bits, can't hold.
DType type_of(int64_t number);

// Tells whether elements of the type are integers of 8 to 64 bits.
bool is_integer(DType dtype);

// Tells whether elements of the type are floats of 8 bits with a sign and a fraction.
inline bool is_signed_float8(DType dtype)
{
    return dtype >= DType::float8e4m3fn && dtype <= DType::float8e5m2fnuz;
}

// Tells whether dimensions are broadcast to others without changing them.
bool is_broadcast(const std::vector<int64_t>& dims, const std::vector<int64_t>& to);

// Returns the number of elements along the axes from `first` to before `last`. Beyond int64 it is the largest number, which other
// layers refuse.
int64_t extent_of(const std::vector<int64_t>& dims, size_t first, size_t last);

}  // namespace vkonnx::graph
