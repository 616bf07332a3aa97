// The application's other library, which links libvulkan as usual.
#include <vulkan/vulkan.h>

extern "C" uint32_t version_by_linked_vulkan()
{
    uint32_t version = 0;
    return vkEnumerateInstanceVersion(&version) == VK_SUCCESS ? version : 0;
}
