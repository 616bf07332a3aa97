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

constexpr size_t least_cases = 20;       // of a cell that is sampled thoroughly
constexpr int64_t most_terms = 100'000;  // of a case that may leave the cell it is written for

// Tells whether the versions of the operator differ in sizes and pads, or only the host's answer is compared.
bool is_sampled_thoroughly(const Operator& op)
{
    return std::holds_alternative<ConvTranspose>(op) || std::holds_alternative<onednn::ConvTranspose>(op) ||
           std::holds_alternative<AveragePool>(op) || std::holds_alternative<Shape>(op);
}

// ------------------------------------------------------------------------------------------------------------- problems

// Returns the problem in the version and type of the cell. Inputs of the first input's type take the cell's type.
Case in_cell(Case problem, const Cell& cell)
{
    const DType own = problem.inputs[0].dtype;
    for (TensorDesc& input : problem.inputs)
        if (input.dtype == own)
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

// Returns the problem as text without its name. Equal problems have equal texts.
std::string words_of(Case problem)
{
    problem.name.clear();
    return kit::to_string(problem);
}

// Returns what a cell may get from this problem alone: its attributes (words and flags with their values), its fill and its rank.
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

// This struct tells what a case may change of its line: the type, the version or both.
struct Freedom {
    bool type = false;
    bool version = false;

    int count() const { return int{type} + int{version}; }
};

// This struct holds a line of a case list.
struct Line {
    explicit Line(Case line) : problem(std::move(line))
    {
        const Result<Work> work = work_of(problem);  // a line that is refused has none
        is_small = !work || work->terms <= most_terms;
        const bool plain = std::all_of(problem.inputs.begin(), problem.inputs.end(), [](const TensorDesc& input) {
            return input.dtype == DType::float32 || input.dtype == DType::undefined;
        });
        if (is_small)
            free = {plain, written_opset(problem) == newest_opset};
    }

    Case problem;
    bool is_small = false;
    Freedom free = {};
    size_t uses = 0;  // cells that run it
};

// ---------------------------------------------------------------------------------------------------------------- cells

// A share is the cases that one cell runs.
class Share {
public:
    explicit Share(const Cell& cell) : cell_(cell) {}

    const Cell& cell() const { return cell_; }
    const std::map<std::string, Case>& cases() const { return cases_; }
    size_t size() const { return cases_.size(); }

    // Tells whether the cell accepts the line and does not have this problem yet.
    bool accepts(const Line& line) const
    {
        const Case problem = in_cell(line.problem, cell_);
        return cases_.count(problem.name) == 0 && kit::resolve(problem).ok() && problems_.count(words_of(problem)) == 0;
    }
    // Tells whether the line has a trait that no case of the cell has so far.
    bool lacks_a_trait_of(const Line& line) const
    {
        const std::set<std::string> traits = traits_of(words_of(in_cell(line.problem, cell_)));
        return !std::includes(traits_.begin(), traits_.end(), traits.begin(), traits.end());
    }

    void add(Line& line)
    {
        const Case problem = in_cell(line.problem, cell_);
        const std::string words = words_of(problem);
        problems_.insert(words);
        traits_.merge(traits_of(words));
        cases_.emplace(problem.name, problem);
        ++line.uses;
    }

private:
    Cell cell_;
    std::map<std::string, Case> cases_;  // by name
    std::set<std::string> problems_;
    std::set<std::string> traits_;
};

bool may_go(const Line& line, const Cell& cell)
{
    return (line.free.type || cell.dtype == line.problem.inputs[0].dtype) &&
           (line.free.version || cell.version == version_at(cell.op, written_opset(line.problem)));
}

// Gives each line to one cell.
void deal(std::vector<Line>& lines, std::vector<Share>& shares)
{
    // Lines with the least choice come first, so that the others can be dealt around them.
    for (const int freedoms : {0, 1, 2})
        for (Line& line : lines) {
            if (line.free.count() != freedoms)
                continue;
            Share* fewest = nullptr;
            for (Share& share : shares)
                if (may_go(line, share.cell()) && (!fewest || share.size() < fewest->size()) && share.accepts(line))
                    fewest = &share;
            if (fewest)
                fewest->add(line);
        }
}

// Returns the small lines in an order that the seed decides.
std::vector<Line*> drawn(std::vector<Line>& lines, uint32_t seed)
{
    std::vector<Line*> order;
    for (Line& line : lines)
        if (line.is_small)
            order.push_back(&line);
    // The standard fixes the numbers of this generator, but not what std::shuffle makes of them.
    std::mt19937 random(seed);
    for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random() % i]);
    return order;
}

void fill_up(std::vector<Line>& lines, uint32_t seed, Share& share)
{
    for (const bool for_its_traits : {true, false})
        for (Line* line : drawn(lines, seed)) {
            const bool wanted = for_its_traits ? share.lacks_a_trait_of(*line) : share.size() < least_cases;
            if (wanted && share.accepts(*line))
                share.add(*line);
        }
}

// Gives a cell without cases the line that the fewest other cells run. A line that names another type or opset is taken only
// where there is no other.
void represent(std::vector<Line>& lines, Share& share)
{
    if (share.size() > 0)
        return;
    Line* best = nullptr;
    const auto rank = [&](const Line& line) { return std::pair(!may_go(line, share.cell()), line.uses); };
    for (Line& line : lines)
        if (line.is_small && (!best || rank(line) < rank(*best)) && share.accepts(line))
            best = &line;
    if (best)
        share.add(*best);
}

// ------------------------------------------------------------------------------------------------------------ operators

using Lists = std::map<std::string_view, std::vector<Case>>;  // by kit::operator_of

Result<Lists> read_lists(Rules rules)
{
    Lists lists;
    for (const CaseText& each : case_texts) {
        Result<std::vector<Case>> cases = kit::parse_cases(each.op, each.text);
        if (!cases)
            return cases.status();
        for (Case& problem : *cases)
            if (Rules* own = rules_of(problem.attributes); own && rules != Rules::specification)
                *own = rules;
        lists.emplace(each.op, std::move(*cases));
    }
    return lists;
}

std::vector<Line> lines_of(OperatorKind op, const Lists& lists)
{
    std::vector<Line> lines;
    const auto list = lists.find(kit::operator_of(specimen_of({op})));
    if (list != lists.end())
        for (const Case& problem : list->second)
            if (kind_of(problem.attributes) == op)
                lines.emplace_back(problem);
    return lines;
}

}  // namespace

Result<std::vector<TestCase>> built_in_cases(Rules rules, bool one_per_cell)
{
    const Result<Lists> lists = read_lists(rules);
    if (!lists)
        return lists.status();
    std::vector<TestCase> tests;
    for (const OperatorKind op : all_operators()) {
        std::vector<Line> lines = lines_of(op, *lists);
        std::vector<Share> shares;
        for (const Cell& cell : cells_of(op))
            shares.emplace_back(cell);
        if (!one_per_cell)
            deal(lines, shares);
        for (size_t i = 0; i < shares.size(); ++i) {
            if (!one_per_cell && is_sampled_thoroughly(specimen_of({op}).attributes))
                fill_up(lines, uint32_t(i), shares[i]);
            else
                represent(lines, shares[i]);
            for (const auto& [name, problem] : shares[i].cases())
                tests.push_back({.name = cell_name(shares[i].cell()) + "/" + name, .cell = shares[i].cell(), .problem = problem});
        }
    }
    return tests;
}

}  // namespace vkonnx::tools
