// mutation_check SOURCE_DIR PROGRAMS_DIR [SCRATCH_DIR [cmake arguments...]] tests the tests.
//
// Copies the source tree to SCRATCH_DIR/1/source and builds its tests there once. Then, for each entry of
// tests/mutation/mutations.diff: applies it to the copy, builds what changed, and demands that the entry's tests fail; all
// must have passed before. One entry keeps one core busy, so there are as many copies as cores, up to four: what is
// noticed does not depend on their number. A copy takes all entries of a source file in a row: what includes the file is
// then built once for each, and not twice, because it need not be built as it was in between. Entries look like
//
//   @ what is broken
//   file shaders/x.comp
//   test cases/x.y/*      or "test unit_plan Suite.Test": of gpu_test, unless another test program stands in front
//   -a whole line of the file, or several in a row, that occur in it once
//   +what stands there instead; may be missing
//
// The whole list takes hours on two cores. What is noticed is written to SCRATCH_DIR/noticed.txt at once: a run that was ended
// goes on where it stopped, as long as no source has changed. VKONNX_MUTATIONS=WORDS takes only entries whose '@' line has these
// words. The program always checks that each entry's lines are still there, and its tests in the programs that were built in
// PROGRAMS_DIR; without SCRATCH_DIR it checks nothing else. Tests of a full run are meant: the caller sets VKONNX_TEST_FULL=1.
//
// Exit status: 0 when the mutations were noticed, 1 when one was not, 2 when the check itself could not be done.
#include <fnmatch.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Mutation {
    std::string what = {};
    std::string file = {};
    std::string program = "gpu_test";
    std::string test = {};  // a filter of GoogleTest's
    std::string from = {};
    std::string to = {};
};

[[noreturn]] void give_up(const std::string& sentence)
{
    std::fprintf(stderr, "mutation_check: %s\n", sentence.c_str());
    std::exit(2);
}

std::string read(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file)
        give_up(path.string() + " cannot be read");
    return text.str();
}

// Writes the file unless its text is the same, so that a build does nothing for files that stay equal.
void write(const fs::path& path, const std::string& text)
{
    if (fs::exists(path) && read(path) == text)
        return;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

void read_test(const std::string& text, Mutation& mutation)
{
    const size_t space = text.find(' ');
    if (space != std::string::npos)
        mutation.program = text.substr(0, space);
    mutation.test = text.substr(space == std::string::npos ? 0 : space + 1);
}

std::vector<Mutation> load(const fs::path& path)
{
    std::vector<Mutation> mutations;
    std::istringstream lines(read(path));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        if (line[0] == '@')
            mutations.push_back({.what = line.substr(2)});
        else if (mutations.empty())
            give_up("mutations.diff begins without an '@' line");
        else if (line[0] == '-')
            mutations.back().from += line.substr(1) + "\n";
        else if (line[0] == '+')
            mutations.back().to += line.substr(1) + "\n";
        else if (line.rfind("file ", 0) == 0)
            mutations.back().file = line.substr(5);
        else if (line.rfind("test ", 0) == 0)
            read_test(line.substr(5), mutations.back());
        else
            give_up("mutations.diff has a line that is none of '@', file, test, '-', '+': " + line);
    }
    return mutations;
}

// Returns the entries to check, in the order of the file.
std::vector<Mutation> wanted(const std::vector<Mutation>& all)
{
    const char* const words = std::getenv("VKONNX_MUTATIONS");
    std::vector<Mutation> some;
    for (const Mutation& mutation : all)
        if (!words || mutation.what.find(words) != std::string::npos)
            some.push_back(mutation);
    if (some.empty())
        give_up(std::string("VKONNX_MUTATIONS is '") + (words ? words : "") + "', which no entry of mutations.diff has");
    return some;
}

// Returns where the mutation's lines begin, or npos where they do not occur exactly once.
size_t place_of(const Mutation& mutation, const std::string& text)
{
    const std::string framed = "\n" + text;
    const std::string from = "\n" + mutation.from;
    const size_t place = framed.find(from);
    const bool once = !mutation.from.empty() && place != std::string::npos && framed.find(from, place + 1) == std::string::npos;
    return once ? place : std::string::npos;
}

// Tells whether the mutation applies to the source, and names it on stderr where it does not.
bool applies(const fs::path& source, const Mutation& mutation)
{
    if (place_of(mutation, read(source / mutation.file)) != std::string::npos)
        return true;
    std::fprintf(stderr, "out of date  %s (%s)\n", mutation.what.c_str(), mutation.file.c_str());
    return false;
}

// Returns the file's text with the mutation in it.
std::string mutated(const Mutation& mutation, const std::string& text)
{
    const size_t place = place_of(mutation, text);
    return text.substr(0, place) + mutation.to + text.substr(place + mutation.from.size());
}

// Returns the files that a build needs, in the order of their names.
std::vector<fs::path> files_of(const fs::path& source)
{
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(source))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    for (const char* folder : {"include", "shaders", "src", "tests", "tools", "examples"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source / folder))
            if (entry.is_regular_file() && entry.path().extension() != ".pyc")
                files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

void copy_tree(const fs::path& source, const fs::path& copy)
{
    for (const fs::path& file : files_of(source))
        write(copy / fs::relative(file, source), read(file));
    // A file that is gone from the source must not stay in the copy.
    std::vector<fs::path> stale;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(copy))
        if (entry.is_regular_file() && !fs::exists(source / fs::relative(entry.path(), copy)))
            stale.push_back(entry.path());
    for (const fs::path& path : stale)
        fs::remove(path);
}

std::string quoted(const std::string& word)
{
    return "\"" + word + "\"";
}

// Returns the names of the program's tests, as Suite.Test.
std::vector<std::string> tests_of(const fs::path& program)
{
    FILE* listing = popen((quoted(program.string()) + " --gtest_list_tests 2>&1").c_str(), "r");
    if (!listing)
        give_up(program.string() + " cannot be run");
    std::string text;
    char part[4096];
    while (const size_t count = std::fread(part, 1, sizeof(part), listing))
        text.append(part, count);
    if (pclose(listing) != 0)
        give_up(program.string() + " does not list its tests\n" + text);

    std::vector<std::string> names;
    std::string suite;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const size_t begin = line.find_first_not_of(' ');
        if (begin == std::string::npos)
            continue;
        const std::string word = line.substr(begin, line.find(' ', begin) - begin);  // the parameter stands behind it
        if (begin == 0)
            suite = word;
        else
            names.push_back(suite + word);
    }
    return names;
}

enum class Presence {
    present,
    no_device,  // of the name that the test ends in
    no_program,
};

// This class looks for tests in the programs. It gives up where a program that was built has no such test.
class Programs {
public:
    explicit Programs(fs::path folder) : folder_(std::move(folder)) {}

    Presence find(const Mutation& mutation)
    {
        if (!fs::exists(folder_ / mutation.program))
            return Presence::no_program;
        const auto [listed, is_new] = tests_.try_emplace(mutation.program);
        if (is_new)
            listed->second = tests_of(folder_ / mutation.program);
        for (const std::string& test : listed->second)
            if (fnmatch(mutation.test.c_str(), test.c_str(), 0) == 0)
                return Presence::present;
        const std::string device = mutation.test.substr(mutation.test.rfind('/') + 1);
        if (device != "lavapipe" && device != "swiftshader")
            give_up("'" + mutation.what + "': " + mutation.program + " has no test " + mutation.test +
                    "; mutations.diff is out of date");
        return Presence::no_device;
    }

private:
    fs::path folder_;
    std::map<std::string, std::vector<std::string>> tests_ = {};  // the tests of each program
};

class Scratch {
public:
    Scratch(fs::path source, fs::path scratch) : source_(std::move(source)), root_(std::move(scratch)) {}

    void prepare(const std::string& cmake_arguments)
    {
        copy_tree(source_, copy());
        if (!run("cmake -S " + quoted(copy().string()) + " -B " + quoted(build().string()) + cmake_arguments))
            give_up("the copy cannot be configured\n" + log());
    }

    bool makes(const std::string& program) { return run("cmake --build " + quoted(build().string()) + " --target " + program); }

    bool passes(const std::string& program, const std::string& filter) { return run(command(program, filter)); }

    // Tells whether the tests fail. They stop at the first failure, or by a timeout when what is broken hangs.
    bool fails_soon(const Mutation& mutation)
    {
        return !run("timeout --kill-after=5 90 " + command(mutation.program, mutation.test) + " --gtest_fail_fast");
    }

    fs::path copy() const { return root_ / "source"; }
    Programs programs() const { return Programs(build() / "bin"); }
    std::string log() const { return read(root_ / "log.txt"); }

private:
    fs::path build() const { return root_ / "build"; }
    std::string command(const std::string& program, const std::string& filter) const
    {
        return quoted((build() / "bin" / program).string()) + " --gtest_filter=" + quoted(filter);
    }
    bool run(const std::string& command) const
    {
        return std::system((command + " > " + quoted((root_ / "log.txt").string()) + " 2>&1").c_str()) == 0;
    }

    fs::path source_;
    fs::path root_;
};

// Checks that all of the entries' tests pass on the unchanged source.
void check_unbroken(Scratch& scratch, const std::vector<const Mutation*>& mutations)
{
    std::map<std::string, std::string> filters;  // of each program
    for (const Mutation* mutation : mutations) {
        std::string& filter = filters[mutation->program];
        filter += (filter.empty() ? "" : ":") + mutation->test;
    }
    for (const auto& [program, filter] : filters)
        if (!scratch.passes(program, filter))
            give_up("a test of " + program + " fails without any mutation\n" + scratch.log());
}

bool is_noticed(Scratch& scratch, const Mutation& mutation)
{
    const fs::path file = scratch.copy() / mutation.file;
    const std::string whole = read(file);
    write(file, mutated(mutation, whole));
    const bool built = scratch.makes(mutation.program);
    if (!built)
        std::fprintf(stderr, "cannot be built: %s\n%s\n", mutation.what.c_str(), scratch.log().c_str());
    const bool noticed = built && scratch.fails_soon(mutation);
    write(file, whole);
    return noticed;
}

// Builds the programs of all mutations in the copy, or gives up.
void build(Scratch& scratch, const std::vector<Mutation>& mutations, const std::string& cmake_arguments)
{
    scratch.prepare(cmake_arguments);
    std::set<std::string> names;
    for (const Mutation& mutation : mutations)
        names.insert(mutation.program);
    for (const std::string& name : names)
        if (!scratch.makes(name))
            give_up("the copy cannot be built\n" + scratch.log());
}

// Returns the mutations of each file, the longest lists first, so that no copy is left with a long one at the end.
std::vector<std::vector<const Mutation*>> by_file(const std::vector<const Mutation*>& mutations)
{
    std::map<std::string, std::vector<const Mutation*>> lists;
    for (const Mutation* mutation : mutations)
        lists[mutation->file].push_back(mutation);
    std::vector<std::vector<const Mutation*>> sorted;
    for (auto& [file, list] : lists)
        sorted.push_back(std::move(list));
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return sorted;
}

// The record of what was noticed on these sources, by this run and by those before it. Any thread may add to it.
class Record {
public:
    Record(fs::path file, const fs::path& source) : file_(std::move(file))
    {
        uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
        for (const fs::path& path : files_of(source))
            for (const char c : path.string() + "\n" + read(path))
                hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        const std::string sources = "sources " + std::to_string(hash);
        std::ifstream before(file_);
        std::string line;
        if (std::getline(before, line) && line == sources)
            while (std::getline(before, line))
                noticed_.insert(line);
        else
            std::ofstream(file_) << sources << '\n';
    }

    bool has(const Mutation& mutation) const { return noticed_.count(mutation.what) != 0; }

    void add(const Mutation& mutation)
    {
        const std::lock_guard lock(mutex_);
        noticed_.insert(mutation.what);
        std::ofstream(file_, std::ios::app) << mutation.what << '\n';
    }

private:
    fs::path file_;
    std::set<std::string> noticed_ = {};
    std::mutex mutex_ = {};
};

// Takes the mutations of one file after another until none is left, and says of each whether it is noticed. `taken` belongs to
// all threads.
void check(Scratch& scratch, const std::vector<std::vector<const Mutation*>>& files, std::atomic<size_t>& taken, Record& record)
{
    for (size_t i = taken++; i < files.size(); i = taken++)
        for (const Mutation* mutation : files[i]) {
            const bool seen = is_noticed(scratch, *mutation);
            if (seen)
                record.add(*mutation);
            std::printf("%-12s %s (%s)\n", seen ? "noticed" : "NOT NOTICED", mutation->what.c_str(), mutation->test.c_str());
            std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        give_up("usage: mutation_check SOURCE_DIR PROGRAMS_DIR [SCRATCH_DIR [cmake arguments...]]");
    const fs::path source = argv[1];
    const std::vector<Mutation> all = load(source / "tests" / "mutation" / "mutations.diff");
    size_t stale = 0;
    for (const Mutation& mutation : all)
        stale += !applies(source, mutation);
    if (stale > 0)
        give_up("mutations.diff is out of date: of " + std::to_string(stale) +
                " entries the lines do not occur exactly once in their file");
    Programs programs(argv[2]);
    std::map<Presence, size_t> counts;
    for (const Mutation& mutation : all)
        ++counts[programs.find(mutation)];
    if (counts[Presence::present] == 0)
        give_up(std::string(argv[2]) + " has none of the tests that mutations.diff names");
    std::printf("%zu mutations of lines that are there; their tests: %zu there, %zu of a device that is not, %zu not built\n",
                all.size(), counts[Presence::present], counts[Presence::no_device], counts[Presence::no_program]);
    if (argc == 3)
        return 0;

    const fs::path root = argv[3];
    std::string cmake_arguments;
    for (int i = 4; i < argc; ++i)
        cmake_arguments += " " + quoted(argv[i]);

    const std::vector<Mutation> mutations = wanted(all);
    std::vector<Scratch> scratches;
    for (size_t i = 0; i < std::min<size_t>(mutations.size(), std::clamp(std::thread::hardware_concurrency(), 1u, 4u)); ++i) {
        fs::create_directories(root / std::to_string(i + 1));
        scratches.emplace_back(source, root / std::to_string(i + 1));
        build(scratches.back(), mutations, cmake_arguments);
    }

    Programs copied = scratches[0].programs();
    std::vector<const Mutation*> checked;
    for (const Mutation& mutation : mutations) {
        if (copied.find(mutation) == Presence::present)
            checked.push_back(&mutation);
        else
            std::printf("skipped      %s: there is no test %s here\n", mutation.what.c_str(), mutation.test.c_str());
    }
    // One copy speaks for all: they are built of the same sources.
    check_unbroken(scratches[0], checked);
    Record record(root / "noticed.txt", source);
    std::vector<const Mutation*> left;
    for (const Mutation* mutation : checked)
        if (!record.has(*mutation))
            left.push_back(mutation);
    std::printf("%zu were noticed by runs before this one\n", checked.size() - left.size());
    const std::vector<std::vector<const Mutation*>> files = by_file(left);
    std::atomic<size_t> taken = 0;
    std::vector<std::thread> threads;
    for (Scratch& scratch : scratches)
        threads.emplace_back([&] { check(scratch, files, taken, record); });
    for (std::thread& thread : threads)
        thread.join();
    const size_t noticed = static_cast<size_t>(
        std::count_if(checked.begin(), checked.end(), [&](const Mutation* mutation) { return record.has(*mutation); }));
    std::printf("%zu noticed, %zu not noticed, %zu skipped\n", noticed, checked.size() - noticed,
                mutations.size() - checked.size());
    return noticed == checked.size() && noticed > 0 ? 0 : 1;
}
