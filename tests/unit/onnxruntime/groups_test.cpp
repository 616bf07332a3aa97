// This file tests how the nodes of a graph are divided into groups.
#include "onnxruntime/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "kit/draw.h"

namespace vkonnx::onnxruntime {
namespace {

using Groups = std::vector<std::vector<size_t>>;

TEST(ConvexGroups, TakeAllNodesThatAreTaken)
{
    EXPECT_EQ(convex_groups({}, {}), Groups());
    EXPECT_EQ(convex_groups({{}, {0}, {1}}, {true, true, true}), (Groups{{0, 1, 2}}));
    EXPECT_EQ(convex_groups({{}, {0}, {1}}, {false, false, false}), Groups());
    EXPECT_EQ(convex_groups({{}, {}, {}}, {true, false, true}), (Groups{{0, 2}})) << "they need no way between them";
}

// 0 ──> 1 (not taken) ──> 2
// └─────────────────────────^      2 reads 0 and 1: it can't be in the group of 0, which 1 waits for.
TEST(ConvexGroups, EndWhereAWayLeadsOutside)
{
    EXPECT_EQ(convex_groups({{}, {0}, {0, 1}}, {true, false, true}), (Groups{{0}, {2}}));
}

// 0 ──> 1 (not taken) ──> 2 ──> 5        Groups {0, 5} and {2, 3}, say, would wait for each other.
// 3 ──> 4 (not taken) ──> 5
TEST(ConvexGroups, DoNotWaitForEachOther)
{
    EXPECT_EQ(convex_groups({{}, {0}, {1}, {}, {3}, {2, 4}}, {true, false, true, true, false, true}), (Groups{{0, 3}, {2, 5}}));
}

// Returns for each node all nodes that it waits for, itself among them.
std::vector<std::set<size_t>> ancestors_of(const Sources& sources)
{
    std::vector<std::set<size_t>> ancestors(sources.size());
    for (size_t node = 0; node < sources.size(); ++node) {
        ancestors[node].insert(node);
        for (const size_t source : sources[node])
            ancestors[node].insert(ancestors[source].begin(), ancestors[source].end());
    }
    return ancestors;
}

// Tells whether all nodes can run when each group is one node: whether none waits for itself.
bool can_run(const Sources& sources, const Groups& groups)
{
    std::vector<size_t> place(sources.size());  // of each node: the number of its group, or one of its own
    for (size_t node = 0; node < sources.size(); ++node)
        place[node] = groups.size() + node;
    for (size_t group = 0; group < groups.size(); ++group)
        for (const size_t node : groups[group])
            place[node] = group;
    std::vector<std::set<size_t>> waits(groups.size() + sources.size());
    for (size_t node = 0; node < sources.size(); ++node)
        for (const size_t source : sources[node])
            if (place[source] != place[node])
                waits[place[node]].insert(place[source]);
    std::set<size_t> done;
    for (bool progress = true; progress;) {
        progress = false;
        for (size_t i = 0; i < waits.size(); ++i)
            if (!done.contains(i) && std::includes(done.begin(), done.end(), waits[i].begin(), waits[i].end()))
                progress = done.insert(i).second;
    }
    return done.size() == waits.size();
}

TEST(ConvexGroups, CanRunWhateverTheGraph)
{
    kit::Draw draw(kit::test_seed(20261128));
    for (int round = 0; round < kit::test_problems(300); ++round) {
        SCOPED_TRACE(draw.repeat() + ", round " + std::to_string(round));
        const size_t count = size_t(draw.between(1, 14));
        Sources sources(count);
        std::vector<bool> taken(count);
        for (size_t node = 0; node < count; ++node) {
            taken[node] = !draw.one_in(3);
            for (size_t source = 0; source < node; ++source)
                if (draw.one_in(4))
                    sources[node].push_back(source);
        }
        const Groups groups = convex_groups(sources, taken);
        ASSERT_TRUE(can_run(sources, groups));
        std::set<size_t> found;
        for (const std::vector<size_t>& group : groups)
            found.insert(group.begin(), group.end());
        for (size_t node = 0; node < count; ++node)
            ASSERT_EQ(found.contains(node), taken[node]) << "node " << node;

        // There are as few groups as possible: from the first group to the last, each waits for one before it through a node that
        // is not taken.
        const std::vector<std::set<size_t>> ancestors = ancestors_of(sources);
        for (size_t i = 1; i < groups.size(); ++i) {
            const bool waits = std::any_of(groups[i].begin(), groups[i].end(), [&](size_t node) {
                return std::any_of(ancestors[node].begin(), ancestors[node].end(), [&](size_t between) {
                    return !taken[between] && std::any_of(groups[i - 1].begin(), groups[i - 1].end(),
                                                          [&](size_t before) { return ancestors[between].contains(before); });
                });
            });
            ASSERT_TRUE(waits) << "groups " << i - 1 << " and " << i << " could be one";
        }
    }
}

TEST(ConnectedParts, ReadNothingOfEachOther)
{
    EXPECT_EQ(connected_parts({{}, {0}, {}, {2}, {}}, {0, 1, 2, 3, 4}), (Groups{{0, 1}, {2, 3}, {4}}));
    EXPECT_EQ(connected_parts({{}, {}, {0, 1}}, {0, 1, 2}), (Groups{{0, 1, 2}}));
    EXPECT_EQ(connected_parts({{}, {0}, {1}}, {0, 2}), (Groups{{0}, {2}})) << "what is outside does not join them";
}

}  // namespace
}  // namespace vkonnx::onnxruntime
