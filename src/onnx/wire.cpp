// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <algorithm>

#include <protozero/varint.hpp>

namespace vkonnx::onnx {

namespace {

// Takes the number at the front off and returns it.
uint64_t take_varint(std::string_view& rest)
{
    const char* position = rest.data();
    uint64_t value = protozero::decode_varint(&position, rest.data() + rest.size());
    rest.remove_prefix(size_t(position - rest.data()));
    return value;
}

std::string_view rest_of(const protozero::pbf_reader& reader)
{
    return {reader.data().data(), reader.data().size()};
}

}  // namespace

size_t Trail::count(std::string_view field) const
{
    return size_t(std::ranges::count_if(path_, [&](const auto& entry) { return entry.first == field; }));
}

std::string Trail::text() const
{
    std::string text;
    for (const auto& [field, index] : path_) {
        text += text.empty() ? "" : ".";
        text += field;
        if (index >= 0)
            text += "[" + std::to_string(index) + "]";
    }
    return text + (text.empty() ? "byte " : ", byte ") + std::to_string(offset_);
}

bool Message::next()
{
    trail_.at(reader_.data().data());
    // The key is checked here, because protozero cuts it to 32 bits.
    if (std::string_view rest = rest_of(reader_); !rest.empty() && take_varint(rest) > UINT32_MAX)
        throw ParseError("a field number above 2^29 - 1");
    return reader_.next();
}

void Message::skip()
{
    if (is(protozero::pbf_wire_type::length_delimited))
        check_length();
    reader_.skip();
}

Message& Message::once(const char* field)
{
    uint64_t bit = uint64_t{1} << tag();
    if (seen_ & bit)
        throw ParseError("the field " + std::string(field) + " is given twice");
    seen_ |= bit;
    return *this;
}

int64_t Message::integer()
{
    expect(protozero::pbf_wire_type::varint);
    return reader_.get_int64();
}

float Message::real()
{
    expect(protozero::pbf_wire_type::fixed32);
    return reader_.get_float();
}

std::string_view Message::bytes()
{
    expect(protozero::pbf_wire_type::length_delimited);
    check_length();
    protozero::data_view view = reader_.get_view();
    return {view.data(), view.size()};
}

void Message::expect(protozero::pbf_wire_type type) const
{
    if (!is(type))
        throw ParseError("field number " + std::to_string(tag()) + " has wire type " +
                         std::to_string(uint32_t(reader_.wire_type())) + ", expected " + std::to_string(uint32_t(type)));
}

void Message::check_length() const
{
    // The length is checked here, because protozero cuts it to 32 bits.
    std::string_view rest = rest_of(reader_);
    if (uint64_t length = take_varint(rest); length > rest.size())
        throw ParseError("a length of " + std::to_string(length) + " bytes where " + std::to_string(rest.size()) + " are left");
}

}  // namespace vkonnx::onnx
