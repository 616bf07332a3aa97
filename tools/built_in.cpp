#include "built_in.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "case_texts.h"
#include "work.h"

namespace vkonnx::tools {
namespace {

using kit::Case;

constexpr size_t least_cases = 20;
constexpr int64_t most_terms = 100'000;  // of a case that may leave the cell it is written for

// ------------------------------------------------------------------------------------------------------------- problems

Case in_cell(Case problem, const Cell& cell)
{
    for (TensorDesc& input : problem.inputs)
        input.dtype = cell.dtype;
    if (int64_t* opset = opset_of(problem.attributes))
        *opset = cell.version;
    return problem;
}

int64_t written_opset(const Case& problem)
{
    const int64_t* opset = opset_of(problem.attributes);
    return opset ? *opset : newest_opset;
}

// The problem without its name: equal for equal problems.
std::string words_of(Case problem)
{
    problem.name.clear();
    return kit::to_string(problem);
}

// What a problem may be the only one to bring to a cell: the attributes it gives, with their words, its fill and its rank.
std::set<std::string> traits_of(const std::string& words)
{
    std::set<std::string> traits;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        const size_t equals = std::min(word.find('='), word.size());
        const std::string key = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
        if (key == "x")
            traits.insert("rank " + std::to_string(value == "scalar" ? 0 : 1 + std::count(value.begin(), value.end(), 'x')));
        else if (key != "w" && key != "type" && key != "opset") {
            const bool is_word = !value.empty() && std::isalpha(static_cast<unsigned char>(value[0]));
            const bool is_flag = key == "ceil_mode" || key == "count_include_pad";
            traits.insert(is_word || is_flag ? word : key);
        }
    }
    return traits;
}

// A line that is refused has no work.
bool is_small(const Case& line)
{
    const Result<Work> work = work_of(line);
    return !work || work->terms <= most_terms;
}

// What of its line a case may leave behind.
struct Freedom {
    bool type = false;
    bool version = false;

    int count() const { return int{type} + int{version}; }
};

Freedom freedom_of(const Case& line)
{
    if (!is_small(line))
        return {};
    return {line.inputs[0].dtype == DType::float32, written_opset(line) == newest_opset};
}

// ---------------------------------------------------------------------------------------------------------------- cells

// The cases of one cell.
class Share {
public:
    explicit Share(const Cell& cell) : cell_(cell) {}

    const Cell& cell() const { return cell_; }
    const std::map<std::string, Case>& cases() const { return cases_; }
    size_t size() const { return cases_.size(); }
    bool has(const Case& line) const { return cases_.count(line.name) != 0; }

    bool accepts(const Case& line) const { return kit::resolve(in_cell(line, cell_)).ok(); }
    bool has_equal(const Case& line) const { return problems_.count(words_of(in_cell(line, cell_))) != 0; }
    // Whether the line has a trait that no case of the cell has so far.
    bool lacks_a_trait_of(const Case& line) const
    {
        const std::set<std::string> traits = traits_of(words_of(in_cell(line, cell_)));
        return !std::includes(traits_.begin(), traits_.end(), traits.begin(), traits.end());
    }

    void add(const Case& line)
    {
        const Case problem = in_cell(line, cell_);
        const std::string words = words_of(problem);
        problems_.insert(words);
        traits_.merge(traits_of(words));
        cases_.emplace(problem.name, problem);
    }

private:
    Cell cell_;
    std::map<std::string, Case> cases_;  // by name
    std::set<std::string> problems_;
    std::set<std::string> traits_;
};

// Each line to one cell.
void deal(const std::vector<Case>& lines, std::vector<Share>& shares)
{
    const OperatorKind op = shares.front().cell().op;
    // First those that have the least choice, so that the others can be dealt around them.
    for (const int freedoms : {0, 1, 2})
        for (const Case& line : lines) {
            const Freedom free = freedom_of(line);
            if (free.count() != freedoms)
                continue;
            Share* fewest = nullptr;
            for (Share& share : shares) {
                const bool may_go = (free.type || share.cell().dtype == line.inputs[0].dtype) &&
                                    (free.version || share.cell().version == version_at(op, written_opset(line)));
                if (may_go && (!fewest || share.size() < fewest->size()) && share.accepts(line) && !share.has_equal(line))
                    fewest = &share;
            }
            if (fewest)
                fewest->add(line);
        }
}

// In an order of the cell's own.
std::vector<const Case*> drawn(const std::vector<Case>& lines, uint32_t seed)
{
    std::vector<const Case*> order;
    for (const Case& line : lines)
        if (is_small(line))
            order.push_back(&line);
    // The engine's numbers are the standard's, those of std::shuffle are not.
    std::mt19937 random(seed);
    for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    return order;
}

void fill_up(const std::vector<Case>& lines, uint32_t seed, Share& share)
{
    for (const bool for_its_traits : {true, false})
        for (const Case* line : drawn(lines, seed)) {
            const bool wanted = for_its_traits ? share.lacks_a_trait_of(*line) : share.size() < least_cases;
            if (wanted && !share.has(*line) && share.accepts(*line) && !share.has_equal(*line))
                share.add(*line);
        }
}

Result<std::vector<Case>> lines_of(OperatorKind op)
{
    switch (op) {
    case OperatorKind::conv_transpose:
        return kit::parse_cases("conv_transpose", conv_transpose_cases);
    case OperatorKind::average_pool:
        return kit::parse_cases("average_pool", average_pool_cases);
    case OperatorKind::onednn_conv_transpose:
        return kit::parse_cases("onednn_conv_transpose", onednn_conv_transpose_cases);
    case OperatorKind::shape:
        break;
    }
    return kit::parse_cases("shape", shape_cases);
}

}  // namespace

Result<std::vector<TestCase>> built_in_cases(Rules rules)
{
    std::vector<TestCase> tests;
    for (const OperatorKind op : all_operators) {
        Result<std::vector<Case>> lines = lines_of(op);
        if (!lines)
            return lines.status();
        if (rules != Rules::specification)
            for (Case& line : *lines)
                if (Rules* own = rules_of(line.attributes))
                    *own = rules;
        std::vector<Share> shares;
        for (const Cell& cell : cells_of(op))
            shares.emplace_back(cell);
        deal(*lines, shares);
        for (size_t i = 0; i < shares.size(); ++i) {
            fill_up(*lines, uint32_t(i), shares[i]);
            for (const auto& [name, problem] : shares[i].cases())
                tests.push_back({.name = cell_name(shares[i].cell()) + "/" + name, .cell = shares[i].cell(), .problem = problem});
        }
    }
    return tests;
}

}  // namespace vkonnx::tools
