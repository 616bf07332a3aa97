// SPDX-License-Identifier: Apache-2.0
// This file reads protobuf's wire format from untrusted bytes: by protozero's reader with the checks that it leaves to its
// callers (wire types, lengths of 4 GiB and more, fields given twice), and a trail that says where in the file an error is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <protozero/pbf_reader.hpp>

namespace vkonnx::onnx {

// Readers throw this, and it is caught where parsing starts. It never leaves this library.
class ParseError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A trail tells where the reader is. `enter` and `leave` are not tied to a scope, so after an exception the path names the place.
class Trail {
public:
    explicit Trail(std::string_view file) : base_(file.data()) {}
    void enter(const char* field, int64_t index = -1) { path_.emplace_back(field, index); }
    void leave() { path_.pop_back(); }
    void at(const char* position) { offset_ = size_t(position - base_); }
    // Returns how often the way here leads through that field.
    size_t count(std::string_view field) const;
    // Returns text such as "graph.node[3].attribute[1], byte 123".
    std::string text() const;

private:
    const char* base_;
    size_t offset_ = 0;
    std::vector<std::pair<const char*, int64_t>> path_;
};

// This class reads a message: `while (message.next()) switch (message.tag()) ...`, with exactly one read or skip for each field.
class Message {
public:
    Message(Trail& trail, std::string_view bytes) : trail_(trail), reader_(bytes.data(), bytes.size()) {}

    bool next();
    uint32_t tag() const { return reader_.tag(); }
    void skip();

    // Checks that the field is given once only: files in which a later copy would win are read differently by different programs.
    Message& once(const char* field);

    int64_t integer();
    float real();
    std::string_view bytes();

    // Reads repeated numbers, in the packed form and in the form of a field each. `take` is called for every element.
    template <class Take>
    void integers(Take&& take);
    template <class Number, class Take>
    void fixed(Take&& take);

private:
    bool is(protozero::pbf_wire_type type) const { return reader_.has_wire_type(type); }
    void expect(protozero::pbf_wire_type type) const;
    void check_length() const;

    Trail& trail_;
    protozero::pbf_reader reader_;
    uint64_t seen_ = 0;
};

template <class Take>
void Message::integers(Take&& take)
{
    if (is(protozero::pbf_wire_type::varint))
        return void(take(reader_.get_int64()));
    expect(protozero::pbf_wire_type::length_delimited);
    check_length();
    for (int64_t value : reader_.get_packed_int64())
        take(value);
}

template <class Number, class Take>
void Message::fixed(Take&& take)
{
    static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>);
    constexpr bool is_float = std::is_same_v<Number, float>;
    if (is(is_float ? protozero::pbf_wire_type::fixed32 : protozero::pbf_wire_type::fixed64)) {
        if constexpr (is_float)
            take(reader_.get_float());
        else
            take(reader_.get_double());
        return;
    }
    expect(protozero::pbf_wire_type::length_delimited);
    check_length();
    if constexpr (is_float) {
        for (float value : reader_.get_packed_float())
            take(value);
    } else {
        for (double value : reader_.get_packed_double())
            take(value);
    }
}

}  // namespace vkonnx::onnx
