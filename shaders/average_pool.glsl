// The taps of one AveragePool window along one axis.

struct Window {
    uint position;  // input position of the first tap
    uint taps;      // taps that read the input, `dilation` apart
    uint counted;   // what the axis adds to the divisor
};

// Window number o, restricted to taps [tap_begin, tap_end); `counted` is that of the whole window.
Window window_of(AveragePoolAxis axis, uint o, uint tap_begin, uint tap_end, bool count_include_pad)
{
    uint start = o * axis.stride;  // counted from the first padded position; input position 0 is `begin`
    uint first = start >= axis.begin ? 0u : divide_up(axis.begin - start, axis.dilation);
    uint beyond = axis.begin + axis.in_extent;
    uint inside = start >= beyond ? 0u : min(axis.kernel, (beyond - 1u - start) / axis.dilation + 1u);
    uint padded = beyond + axis.end;
    uint with_pad = start >= padded ? 0u : min(axis.kernel, (padded - 1u - start) / axis.dilation + 1u);
    uint counted = count_include_pad ? with_pad : inside - min(first, inside);

    first = max(first, tap_begin);
    inside = min(inside, tap_end);
    if (first >= inside)
        return Window(0u, 0u, counted);
    return Window(start + first * axis.dilation - axis.begin, inside - first, counted);
}
