// The taps of ConvTranspose that reach one output along one axis, and nothing else: no tap is visited in vain.

// Tap number j reads input `position - j * axis.dilation` with weight `tap + j * axis.stride`, for j in [0, count).
struct Taps {
    uint tap;
    uint position;
    uint count;
};

// The phase of padded output position p: which residue of taps it meets. Only positions divisible by the gcd have one.
bool has_phase(ConvTransposeAxis axis, uint p)
{
    return p % axis.gcd == 0u;
}

uint phase_of(ConvTransposeAxis axis, uint p)
{
    return p / axis.gcd % axis.stride;
}

// The taps of [tap_begin, tap_end) for padded output position p, where `tap` is the first tap of p's phase.
Taps taps_in_range(ConvTransposeAxis axis, uint p, uint tap, uint tap_begin, uint tap_end)
{
    Taps none = Taps(0u, 0u, 0u);
    if (tap < tap_begin)
        tap += divide_up(tap_begin - tap, axis.stride) * axis.stride;
    if (tap >= tap_end || tap * axis.dilation * axis.gcd > p)
        return none;
    uint position = (p - tap * axis.dilation * axis.gcd) / (axis.stride * axis.gcd);
    if (position >= axis.in_extent) {
        uint skipped = divide_up(position - axis.in_extent + 1u, axis.dilation);
        if (skipped * axis.dilation > position)
            return none;
        tap += skipped * axis.stride;
        position -= skipped * axis.dilation;
        if (tap >= tap_end)
            return none;
    }
    return Taps(tap, position, min((tap_end - 1u - tap) / axis.stride, position / axis.dilation) + 1u);
}
