// SPDX-License-Identifier: Apache-2.0
// This file holds the eight integer types, beside the floating-point ones of numbers.glsl: how elements lie in buffers, what is
// computed in (Real), and its arithmetic.
//
//   TYPE_i8, TYPE_i16, TYPE_i32, TYPE_i64    two's complement
//   TYPE_u8, TYPE_u16, TYPE_u32, TYPE_u64
//   TYPE_u128                                several elements that are moved as one: four words, and no arithmetic
//
// Elements below 32 bits lie four or two to a word, the first one lowest, and are computed in 32; those of 64 bits are two words,
// the low one first. So nothing asks for integers of other sizes than 32 bits.
//
// Arithmetic is modulo 2^bits, also of signed types. Between operations values are kept as the type has them: with the sign, or
// zeros, above their bits. Two things that C++ leaves undefined are decided: x / 0 is 0, and the least number / -1 is itself.

#if defined(TYPE_i8) || defined(TYPE_u8)
#define BITS 8
#elif defined(TYPE_i16) || defined(TYPE_u16)
#define BITS 16
#elif defined(TYPE_i32) || defined(TYPE_u32)
#define BITS 32
#elif defined(TYPE_i64) || defined(TYPE_u64)
#define BITS 64
#elif defined(TYPE_u128)
#define BITS 128
#endif

#if defined(TYPE_i8) || defined(TYPE_i16) || defined(TYPE_i32) || defined(TYPE_i64)
#define SIGNED 1
#endif

#if BITS == 128
#define Element uvec4
#define Real uvec4
#elif BITS == 64
#define Element uvec2
#define Real uvec2
#else
#define Element uint
#ifdef SIGNED
#define Real int
#else
#define Real uint
#endif
#endif

#if BITS == 128

Real empty_sum()
{
    return uvec4(0u);
}

#else

#if BITS == 64

Real zero()
{
    return uvec2(0u);
}

Real one()
{
    return uvec2(1u, 0u);
}

bool equals(Real a, Real b)
{
    return a == b;
}

bool below(uvec2 a, uvec2 b)  // compares as unsigned numbers
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

bool less(Real a, Real b)
{
#ifdef SIGNED
    const uvec2 sign = uvec2(0u, 0x80000000u);
    return below(a ^ sign, b ^ sign);
#else
    return below(a, b);
#endif
}

Real plus(Real a, Real b)
{
    uint low = a.x + b.x;
    return uvec2(low, a.y + b.y + uint(low < b.x));
}

Real minus(Real a, Real b)
{
    return uvec2(a.x - b.x, a.y - b.y - uint(a.x < b.x));
}

Real times(Real a, Real b)
{
    uvec2 product;
    umulExtended(a.x, b.x, product.y, product.x);
    product.y += a.x * b.y + a.y * b.x;
    return product;
}

// Divides by long division, a bit a round: the quotient's bits come into `a` where the dividend's leave. The rest grows by one
// bit a round, so it never needs more than 64. Returns 0 for a / 0.
uvec2 unsigned_quotient(uvec2 a, uvec2 b)
{
    if (b == zero())
        return zero();
    if ((a.y | b.y) == 0u)
        return uvec2(a.x / b.x, 0u);
    uvec2 rest = zero();
    for (uint i = 0u; i < 64u; ++i) {
        rest = uvec2(rest.x << 1u | a.y >> 31u, rest.y << 1u | rest.x >> 31u);
        a = uvec2(a.x << 1u, a.y << 1u | a.x >> 31u);
        if (!below(rest, b)) {
            rest = minus(rest, b);
            a.x |= 1u;
        }
    }
    return a;
}

#else

Real normalized(Real value)
{
    return value << 32 - BITS >> 32 - BITS;
}

Real zero()
{
    return Real(0);
}

Real one()
{
    return Real(1);
}

bool equals(Real a, Real b)
{
    return a == b;
}

bool less(Real a, Real b)
{
    return a < b;
}

Real plus(Real a, Real b)
{
    return normalized(a + b);
}

Real minus(Real a, Real b)
{
    return normalized(a - b);
}

Real times(Real a, Real b)
{
    return normalized(a * b);
}

uint unsigned_quotient(uint a, uint b)
{
    return b == 0u ? 0u : a / max(b, 1u);  // a device may compute what it doesn't select
}

#endif

bool is_nan(Real a)
{
    return false;
}

// Returns the number that a host holds in 64 bits, which are these words.
Real real_of(uvec2 words)
{
#if BITS == 64
    return words;
#else
    return normalized(Real(words.x));
#endif
}

Real negated(Real a)
{
    return minus(zero(), a);
}

Real empty_sum()
{
    return zero();
}

#ifdef SIGNED

Real absolute(Real a)  // for the least number, itself
{
    return less(a, zero()) ? negated(a) : a;
}

// Returns a / b, truncated toward zero. As unsigned numbers, the absolute values of all numbers are right, also that of the
// least.
Real quotient(Real a, Real b)
{
#if BITS == 64
    Real magnitude = unsigned_quotient(absolute(a), absolute(b));
#else
    Real magnitude = normalized(
        Real(unsigned_quotient(uint(absolute(a)) & 0xffffffffu >> 32 - BITS, uint(absolute(b)) & 0xffffffffu >> 32 - BITS)));
#endif
    return less(a, zero()) != less(b, zero()) ? negated(magnitude) : magnitude;
}

#else

Real absolute(Real a)
{
    return a;
}

Real quotient(Real a, Real b)
{
    return unsigned_quotient(a, b);
}

#endif

// Returns base^exponent modulo 2^bits, by repeated squaring. The exponent is an integer of 64 bits in two's complement, or
// without a sign if it isn't `negative`. To a negative power 1 is 1, -1 is 1 or -1, and all else is 0, the integer part of a
// fraction. That 0 to such a power is 0, too, is a choice, as 1 / 0 = 0 is.
Real integer_power(Real base, uvec2 exponent, bool negative)
{
    bool odd = (exponent.x & 1u) != 0u;
    if (negative) {
        if (equals(base, one()))
            return base;
#ifdef SIGNED
        if (equals(base, negated(one())))
            return odd ? base : one();
#endif
        return zero();
    }
    Real result = one();
    for (uint i = 0u; i < 64u && (exponent.x | exponent.y) != 0u; ++i) {
        if ((exponent.x & 1u) != 0u)
            result = times(result, base);
        base = times(base, base);
        exponent = uvec2(exponent.x >> 1u | exponent.y << 31u, exponent.y >> 1u);
    }
    return result;
}

#endif

// ---- words

#if BITS < 32

#define SHARED_WORDS 1
#define ELEMENTS_PER_WORD (32u / BITS)

// Returns element number i, taken from the word that has it.
Real of_word(uint word, uint i)
{
    return normalized(Real(word >> BITS * (i % ELEMENTS_PER_WORD)));
}

// Returns element number i where it lies in its word, with zeros around it.
uint in_word(Real value, uint i)
{
    return (uint(value) & (1u << BITS) - 1u) << BITS * (i % ELEMENTS_PER_WORD);
}

#define ELEMENT(elements, i) of_word(elements[i / ELEMENTS_PER_WORD], i)

#else

#define ELEMENTS_PER_WORD 1u
#define ELEMENT(elements, i) Real(elements[i])

#endif
