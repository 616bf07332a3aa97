// SPDX-License-Identifier: Apache-2.0
// This file computes IEEE-754 binary64 in 32-bit integer words, for devices without shaderFloat64, and for division where a
// device's own is not exact.
//
// A number is a uvec2: x is the low word, y the high one. Results are rounded to nearest even. Denormals, signed zeros and
// infinities go in and come out; a NaN, or an invalid operation, gives a quiet NaN of any sign and payload. No floats, no 64-bit
// integers, no branches, and no loops but for the square root: all that may be the result is computed, then selected.
//
// The method is that of hardware (Muller et al., Handbook of Floating-Point Arithmetic, chapter 8). Significands are integers
// with more bits than needed. The lowest of them is sticky: it is set when anything below it was lost. Rounding looks at those
// bits once.

const uint BINARY64_SIGN = 0x80000000u;
const uint BINARY64_INFINITY = 0x7ff00000u;
const uvec2 BINARY64_NAN = uvec2(0u, 0x7ff80000u);

// Returns `yes` or `no` without a branch, which a ternary operator may be.
uvec2 binary64_select(bool condition, uvec2 yes, uvec2 no)
{
    return mix(no, yes, bvec2(condition));
}

// Returns the high word of |a|, made odd if there is anything in the low one: 0 for zeros, above BINARY64_INFINITY for NaNs.
uint binary64_rank(uvec2 a)
{
    return (a.y & ~BINARY64_SIGN) | uint(a.x != 0u);
}

// Returns the biased exponent. Denormals have that of the least normal number.
int binary64_exponent(uvec2 a)
{
    return max(int(a.y >> 20u & 0x7ffu), 1);
}

// Returns the significand with the leading bit of normal numbers at bit 52 + shift, for a shift from 1 to 11.
uvec2 binary64_significand(uvec2 a, uint shift)
{
    uint leading = min(a.y & BINARY64_INFINITY, 0x100000u);
    return uvec2(a.x << shift, (a.y & 0xfffffu | leading) << shift | a.x >> 32u - shift);
}

// Returns the number of zeros above the highest bit that is set, 64 for 0.
uint binary64_leading_zeros(uvec2 v)
{
    bool low = v.y == 0u;
    return uint(mix(31, 63, low) - findMSB(mix(v.y, v.x, low)));
}

// Returns v * 2^shift, for a shift up to 64. Shifting by 32 is undefined, so what goes from word to word does so in two steps.
uvec2 binary64_shift_left(uvec2 v, uint shift)
{
    v = binary64_select(shift >= 32u, uvec2(0u, v.x), v);
    uint rest = shift & 31u;
    return uvec2(v.x << rest, v.y << rest | v.x >> 1u >> 31u - rest);
}

// Returns the low 64 bits of v / 2^shift, the lowest of them sticky, for a shift up to 127.
uvec2 binary64_shift_right(uvec4 v, uint shift)
{
    uvec2 lost = binary64_select(shift >= 64u, v.xy, uvec2(0u));
    v = mix(v, uvec4(v.zw, 0u, 0u), bvec4(shift >= 64u));
    bool word = (shift & 32u) != 0u;
    lost.x |= mix(0u, v.x, word);
    uvec3 words = mix(v.xyz, v.yzw, bvec3(word));
    uint rest = shift & 31u;
    lost.x |= words.x << 1u << 31u - rest;
    return words.xy >> rest | words.yz << 1u << 31u - rest | uvec2((lost.x | lost.y) != 0u, 0u);
}

// Returns significand / 2^63 * 2^(exponent - 1023) with this sign. The exponent is at least 1; bit 63 may be clear only if it is
// 1.
uvec2 binary64_rounded(uint sign, int exponent, uvec2 significand)
{
    uint low = significand.x >> 11u | significand.y << 21u;
    uint rounded = low + uint((significand.x & 0x7ffu) + (low & 1u) > 0x400u);
    // The leading bit, if it is there, adds 1 to the exponent; so does a carry out of the significand, up to infinity.
    uint high = (uint(exponent - 1) << 20u) + (significand.y >> 11u) + uint(rounded < low);
    return binary64_select(exponent < 0x7ff, uvec2(rounded, high), uvec2(0u, BINARY64_INFINITY)) | uvec2(0u, sign);
}

// Returns significand / 2^127 * 2^(exponent - 1023) with this sign, for any exponent. The significand is at least 2^64, or the
// value is so small that it doesn't matter.
uvec2 binary64_normalized(uint sign, int exponent, uvec4 significand)
{
    uint zeros = binary64_leading_zeros(significand.zw);
    exponent -= int(zeros);
    uint denormal = uint(clamp(1 - exponent, 0, 63));
    return binary64_rounded(sign, max(exponent, 1), binary64_shift_right(significand, 64u - zeros + denormal));
}

uvec2 binary64_add(uvec2 a, uvec2 b)
{
    uint a_high = a.y & ~BINARY64_SIGN;
    uint b_high = b.y & ~BINARY64_SIGN;
    bool swap = mix(a_high < b_high, a.x < b.x, a_high == b_high);
    uvec2 large = binary64_select(swap, b, a);  // in magnitude
    uvec2 small = binary64_select(swap, a, b);
    bool subtract = (a.y ^ b.y) >= BINARY64_SIGN;

    // Leading bits are at bit 62, so that a sum may carry into bit 63. If more than one bit cancels, the exponents differ by at
    // most 1, and nothing was lost.
    int exponent = binary64_exponent(large);
    uint distance = uint(min(exponent - binary64_exponent(small), 63));
    uvec2 sum = binary64_significand(large, 10u);
    uvec2 term = binary64_shift_right(uvec4(binary64_significand(small, 10u), 0u, 0u), distance);
    term = binary64_select(subtract, uvec2(0u - term.x, ~term.y + uint(term.x == 0u)), term);
    sum.x += term.x;
    sum.y += term.y + uint(sum.x < term.x);

    // The sum is shifted up to bit 63, but no further than the least exponent allows.
    uint shift = min(binary64_leading_zeros(sum), uint(exponent));
    uvec2 result = binary64_rounded(large.y & BINARY64_SIGN, exponent + 1 - int(shift), binary64_shift_left(sum, shift));

    bool zero = (sum.x | sum.y) == 0u;
    uint rank = binary64_rank(large);
    result = binary64_select(zero, uvec2(0u, a.y & b.y & BINARY64_SIGN), result);
    result = binary64_select(rank >= BINARY64_INFINITY, binary64_select(zero, BINARY64_NAN, large), result);
    return binary64_select(rank > BINARY64_INFINITY, BINARY64_NAN, result);
}

uvec2 binary64_multiply(uvec2 a, uvec2 b)
{
    // The product has 128 bits. Factors below 2^63 leave room, so that `middle`, all that is added to the high words, does not
    // overflow.
    uvec2 p = binary64_significand(a, 10u);
    uvec2 q = binary64_significand(b, 10u);
    uvec4 product;
    uvec2 cross, other;  // low and high words
    umulExtended(p.x, q.x, product.y, product.x);
    umulExtended(p.y, q.y, product.w, product.z);
    umulExtended(p.x, q.y, cross.y, cross.x);
    umulExtended(p.y, q.x, other.y, other.x);
    cross.x += other.x;
    product.y += cross.x;
    uint middle = cross.y + other.y + uint(cross.x < other.x) + uint(product.y < cross.x);
    product.z += middle;
    product.w += uint(product.z < middle);

    uint sign = (a.y ^ b.y) & BINARY64_SIGN;
    uvec2 result = binary64_normalized(sign, binary64_exponent(a) + binary64_exponent(b) - 1020, product);

    uint least = min(binary64_rank(a), binary64_rank(b));
    uint greatest = max(binary64_rank(a), binary64_rank(b));
    uvec2 infinity = binary64_select(least == 0u, BINARY64_NAN, uvec2(0u, sign | BINARY64_INFINITY));
    result = binary64_select(least == 0u, uvec2(0u, sign), result);
    result = binary64_select(greatest >= BINARY64_INFINITY, infinity, result);
    return binary64_select(greatest > BINARY64_INFINITY, BINARY64_NAN, result);
}

// Does one step of long division: it returns the next 14 bits of rest / divisor as a digit that may be too small, and leaves the
// new rest in `rest`. The divisor has 53 bits.
//
// With D = floor(divisor / 2^37), which is at least 2^15, the digit is q = floor(floor(rest / 2^23) / (D + 1)). If the rest is
// below 2 divisors, then q < 2^15 <= D, so rest / 2^23 < (q + 1)(D + 1) <= (q + 2) D. The new rest, 2^14 rest - q divisor, is
// then below 2^37 (q + 2) D - q divisor, so below 2 divisors again. As it fits 64 bits, what lies above need not be computed.
uint binary64_digit(inout uvec2 rest, uvec2 divisor)
{
    uint digit = (rest.y << 9u | rest.x >> 23u) / ((divisor.y >> 5u) + 1u);
    uvec2 taken;
    umulExtended(digit, divisor.x, taken.y, taken.x);
    taken.y += digit * divisor.y;
    rest = uvec2(rest.x << 14u, rest.y << 14u | rest.x >> 18u);
    rest = uvec2(rest.x - taken.x, rest.y - taken.y - uint(rest.x < taken.x));
    return digit;
}

uvec2 binary64_divide(uvec2 a, uvec2 b)
{
    // p and q become significands of 53 bits whose highest bit is set.
    uvec2 p = binary64_significand(a, 11u);
    uvec2 q = binary64_significand(b, 11u);
    uint a_zeros = binary64_leading_zeros(p);
    uint b_zeros = binary64_leading_zeros(q);
    p = binary64_shift_left(p, a_zeros);
    q = binary64_shift_left(q, b_zeros);
    uvec2 rest = uvec2(p.x >> 11u | p.y << 21u, p.y >> 11u);
    uvec2 divisor = uvec2(q.x >> 11u | q.y << 21u, q.y >> 11u);

    // The quotient is rest / divisor * 2^56, which is below 2^57. It is computed as high * 2^28 + low.
    uint high = binary64_digit(rest, divisor) << 14u;
    high += binary64_digit(rest, divisor);
    uint low = binary64_digit(rest, divisor) << 14u;
    low += binary64_digit(rest, divisor);
    bool one_more = mix(rest.y > divisor.y, rest.x >= divisor.x, rest.y == divisor.y);
    low += uint(one_more);
    rest = binary64_select(one_more, rest - divisor, rest);  // no borrow between the words: all that counts is whether it is 0

    uint sign = (a.y ^ b.y) & BINARY64_SIGN;
    int exponent = binary64_exponent(a) - int(a_zeros) - binary64_exponent(b) + int(b_zeros) + 1023;
    uvec4 quotient = uvec4(rest, low << 7u, (high << 3u) + (low >> 25u));
    uvec2 result = binary64_normalized(sign, exponent, quotient);

    uint dividend = binary64_rank(a);
    uint by = binary64_rank(b);
    result = binary64_select(dividend == 0u || by == BINARY64_INFINITY, uvec2(0u, sign), result);
    result = binary64_select(dividend == BINARY64_INFINITY || by == 0u, uvec2(0u, sign | BINARY64_INFINITY), result);
    bool invalid = dividend == by && (by == 0u || by == BINARY64_INFINITY);
    return binary64_select(invalid || max(dividend, by) > BINARY64_INFINITY, BINARY64_NAN, result);
}

uvec2 binary64_from_uint(uint value)
{
    int leading = findMSB(value);
    uint significand = value << uint(31 - leading & 31);
    uvec2 number = uvec2(significand << 21u, (uint(leading + 1022) << 20u) + (significand >> 11u));
    return binary64_select(value != 0u, number, uvec2(0u));
}

// Returns the double of a float, from the bits of one that is normal or 0.
uvec2 binary64_from_normal(uint bits)
{
    uint magnitude = bits & 0x7fffffffu;
    uvec2 number = uvec2(magnitude << 29u, (magnitude >> 3u) + (896u << 20u));
    return binary64_select(magnitude != 0u, number, uvec2(0u)) | uvec2(0u, bits & BINARY64_SIGN);
}

uvec2 binary64_negated(uvec2 a)
{
    return uvec2(a.x, a.y ^ BINARY64_SIGN);
}

uvec2 binary64_absolute(uvec2 a)
{
    return uvec2(a.x, a.y & ~BINARY64_SIGN);
}

// Returns the nearest integer, of two the even one, or else the next one that is not above a (`below`), or not below it. A zero
// keeps a's sign.
uvec2 binary64_whole(uvec2 a, bool nearest, bool below)
{
    uint sign = a.y & BINARY64_SIGN;
    bool away = !nearest && below == (sign != 0u);  // from 0
    uint rank = binary64_rank(a);
    bool one = nearest ? rank > 0x3fe00000u : away && rank != 0u;
    uvec2 below_one = uvec2(0u, sign | (one ? 0x3ff00000u : 0u));

    uint shift = uint(clamp(1075 - binary64_exponent(a), 0, 52));  // the number of bits of the fraction
    uvec2 fraction = uvec2(shift < 32u ? (1u << shift) - 1u : ~0u, shift < 32u ? 0u : (1u << shift - 32u) - 1u);
    uint odd = (shift < 32u ? a.x >> shift : a.y >> shift - 32u) & 1u;
    uvec2 added = binary64_select(away, fraction, uvec2(0u));
    added = binary64_select(nearest, uvec2(fraction.x >> 1u | fraction.y << 31u, fraction.y >> 1u), added);
    uint carry, carry_of_odd;
    uint low = uaddCarry(a.x, added.x, carry);
    low = uaddCarry(low, nearest ? odd : 0u, carry_of_odd);
    uvec2 whole = uvec2(low, a.y + added.y + carry + carry_of_odd) & ~fraction;
    uvec2 itself = uvec2(a.x, a.y | (rank > BINARY64_INFINITY ? 0x80000u : 0u));
    return binary64_select(rank >= 0x43300000u, itself, binary64_select(rank < 0x3ff00000u, below_one, whole));
}

// Tells whether a < b, false where one is NaN. Negative numbers are ordered the other way; both zeros are equal.
bool binary64_less(uvec2 a, uvec2 b)
{
    uint a_rank = binary64_rank(a);
    uint b_rank = binary64_rank(b);
    bool ordered = max(a_rank, b_rank) <= BINARY64_INFINITY && (a_rank | b_rank) != 0u;
    bool a_negative = a.y >= BINARY64_SIGN;
    bool b_negative = b.y >= BINARY64_SIGN;
    bool below = mix(a.y < b.y, a.x < b.x, a.y == b.y);
    bool above = mix(a.y > b.y, a.x > b.x, a.y == b.y);
    return ordered && mix(a_negative, mix(below, above, a_negative), a_negative == b_negative);
}

// Returns the square root. Two bits of the radicand make one of the root, which has 54, one more than a double.
uvec2 binary64_square_root(uvec2 a)
{
    uvec2 radicand = binary64_significand(a, 11u);
    uint zeros = binary64_leading_zeros(radicand);
    radicand = binary64_shift_left(radicand, zeros);
    int exponent = binary64_exponent(a) - int(zeros);
    if ((exponent & 1) != 0)  // of 1: the two bits in front are 01
        radicand = uvec2(radicand.x >> 1u | radicand.y << 31u, radicand.y >> 1u);
    uvec2 root = uvec2(0u);
    uvec2 rest = uvec2(0u);
    for (uint i = 0u; i < 54u; ++i) {
        rest = uvec2(rest.x << 2u | radicand.y >> 30u, rest.y << 2u | rest.x >> 30u);
        radicand = uvec2(radicand.x << 2u, radicand.y << 2u | radicand.x >> 30u);
        uvec2 trial = uvec2(root.x << 2u | 1u, root.y << 2u | root.x >> 30u);
        bool one = mix(rest.y > trial.y, rest.x >= trial.x, rest.y == trial.y);
        uvec2 left = uvec2(rest.x - trial.x, rest.y - trial.y - uint(rest.x < trial.x));
        rest = binary64_select(one, left, rest);
        root = uvec2(root.x << 1u | uint(one), root.y << 1u | root.x >> 31u);
    }
    root = uvec2(root.x << 10u | uint((rest.x | rest.y) != 0u), root.y << 10u | root.x >> 22u);
    uvec2 result = binary64_rounded(0u, (exponent + 1022 + (exponent & 1)) / 2, root);

    uint rank = binary64_rank(a);
    result = binary64_select(rank == 0u || rank == BINARY64_INFINITY, a, result);
    bool invalid = rank > BINARY64_INFINITY || (rank != 0u && a.y >= BINARY64_SIGN);
    return binary64_select(invalid, BINARY64_NAN, result);
}
