#include "command_line.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

namespace vkonnx::tools {

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv, const std::string& version)
{
    app.set_version_flag("--version", version);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 has an exit code for each kind of mistake. The tools have one for all.
        std::ostringstream out, err;
        const int code = app.exit(error, out, err);
        std::cout << visible_lines(out.str());
        std::cerr << visible_lines(err.str());
        return code == 0 ? exit_done : exit_usage;
    }
    return std::nullopt;
}

CLI::Option* add_device_option(CLI::App& app, std::string& select)
{
    // CLI11's envname isn't used, because it would count the variable as the flag, which --all-devices excludes.
    if (const char* variable = std::getenv("VKONNX_DEVICE"))
        select = variable;
    return app.add_option("--device", select,
                          "An index, gpu, cpu, gpu:1, uuid:... or a part of the name (default: VKONNX_DEVICE, else the best)");
}

CLI::Option* add_rules_option(CLI::App& app, Rules& rules)
{
    std::map<std::string, Rules> names;
    for (const Spelling<Rules>& one : rules_words)
        names.emplace(one.word, one.value);
    return app.add_option("--rules", rules, "Whose answer to give where ONNX Runtime differs from the operator's document")
        ->transform(CLI::Transformer(names).description(""))  // else the help lists the enum's bytes
        ->type_name("specification|onnxruntime");
}

CLI::Validator finite_number()
{
    return CLI::Validator(
        [](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            return std::isfinite(value) && end != text.c_str() && *end == '\0' ? "" : "\"" + text + "\" is no finite number";
        },
        "");
}

}  // namespace vkonnx::tools
