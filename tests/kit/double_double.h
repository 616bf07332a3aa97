// This header has a number that is the unevaluated sum of two doubles, with about 106 bits: the arithmetic of the reference for
// double inputs. The exact building blocks are by Knuth (two_sum) and the fused multiply-add (two_product). Inf and NaN are held
// in `hi`.
#pragma once

#include <cmath>

namespace vkonnx::kit {

struct DoubleDouble {
    double hi = 0;
    double lo = 0;

    DoubleDouble() = default;
    DoubleDouble(double value) : hi(value) {}

    explicit operator double() const { return hi; }

    // Returns hi + lo with |lo| at most half a unit in the last place of hi. Where hi is Inf or NaN the exact remainder would be
    // NaN. A remainder of zero leaves hi alone, so that -0.0 survives.
    static DoubleDouble two_sum(double a, double b)
    {
        DoubleDouble sum(a + b);
        if (std::isfinite(sum.hi)) {
            const double b_part = sum.hi - a;
            sum.lo = (a - (sum.hi - b_part)) + (b - b_part);
        }
        return sum;
    }

    static DoubleDouble two_product(double a, double b)
    {
        DoubleDouble product(a * b);
        if (std::isfinite(product.hi))
            product.lo = std::fma(a, b, -product.hi);
        return product;
    }

    friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b)
    {
        DoubleDouble high = two_sum(a.hi, b.hi);
        const DoubleDouble low = two_sum(a.lo, b.lo);
        if (!std::isfinite(high.hi) || (high.lo == 0 && low.hi == 0 && low.lo == 0))
            return high;
        high = two_sum(high.hi, high.lo + low.hi);
        return two_sum(high.hi, high.lo + low.lo);
    }

    friend DoubleDouble operator-(const DoubleDouble& a)
    {
        DoubleDouble negated;
        negated.hi = -a.hi;
        negated.lo = -a.lo;
        return negated;
    }

    friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }

    friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b)
    {
        const DoubleDouble product = two_product(a.hi, b.hi);
        const double cross = a.hi * b.lo + a.lo * b.hi;
        if (!std::isfinite(product.hi) || (product.lo == 0 && cross == 0))
            return product;
        return two_sum(product.hi, product.lo + cross);
    }

    // Long division gives three quotient digits of 53 bits, of which the last one decides the rounding.
    friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b)
    {
        const DoubleDouble first(a.hi / b.hi);
        if (!std::isfinite(first.hi) || first.hi == 0)
            return first;
        const DoubleDouble rest = a - first * b;
        const DoubleDouble second(rest.hi / b.hi);
        const DoubleDouble last((rest - second * b).hi / b.hi);
        return (first + second) + last;
    }
};

}  // namespace vkonnx::kit
