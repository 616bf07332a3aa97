#include "kit/reference_parts.h"

#include "kit/elements.h"

namespace vkonnx::kit {

Status refusal(const std::string& sentence)
{
    return Status(Code::invalid_argument, "reference: " + sentence);
}

Status check_count(const TensorDesc& desc)
{
    return element_count(desc).status();
}

Status check_counts(std::span<const TensorDesc> descs)
{
    for (const TensorDesc& desc : descs)
        if (Status status = check_count(desc); !status)
            return status;
    return {};
}

bool is_real(DType dtype)
{
    return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 || dtype == DType::bfloat16;
}

int64_t version_of(std::span<const int64_t> versions, int64_t opset)
{
    int64_t version = 0;
    for (const int64_t each : versions)
        version = each <= opset ? each : version;
    return version;
}

bool is_less(DType dtype, uint64_t a, uint64_t b)
{
    return is_signed(dtype) ? int64_t(a) < int64_t(b) : a < b;
}

List coordinates_of(int64_t index, const List& dims)
{
    List coordinates(dims.size());
    for (size_t axis = dims.size(); axis-- > 0;) {
        coordinates[axis] = index % dims[axis];
        index /= dims[axis];
    }
    return coordinates;
}

int64_t index_of(const List& coordinates, const List& dims)
{
    int64_t index = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
        index = index * dims[axis] + coordinates[axis];
    return index;
}

}  // namespace vkonnx::kit
