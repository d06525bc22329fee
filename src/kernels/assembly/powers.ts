// Powers of two of many numbers at once.

// The constants are read from memory: V8 builds a vector constant anew at every use, which takes twice
// as long as the arithmetic.
const constants = memory.data<f64>([
  6755399441055744, // 1.5 · 2^52: adding it leaves the nearest whole number in the lowest bits
  -1021,
  1,
  0.6931471805599453,
  0.24022650695910097,
  0.0555041086648216,
  0.009618129107606888,
  0.0013333558146416936,
  0.0001540353044173605,
  1.525273382983612e-5,
  1.321544258792169e-6,
  1.0178062445845774e-7,
  7.072585949269223e-9,
  4.4549605981865186e-10,
]);

/**
 * Replaces each of n numbers x <= 0 by 2^x, to within 1.5 ulp. Below -1021, where the power would be
 * subnormal, it is 0. Works in pairs: if n is odd, the number after the last changes too.
 *
 * 2^x = 2^n · 2^r with a whole n and |r| <= 1/2. 2^r is a polynomial of degree 11 that meets it at Chebyshev
 * nodes (relative error 2e-17), in Estrin's order.
 */
export function raise(values: usize, n: i32): void {
  const end = values + (<usize>n << 3);
  for (let at = values; at < end; at += 16) {
    const x = v128.load(at);
    const shifted = f64x2.add(x, constant(0));
    const r = f64x2.sub(x, f64x2.sub(shifted, constant(0)));
    const r2 = f64x2.mul(r, r);
    const r4 = f64x2.mul(r2, r2);
    const low = f64x2.add(f64x2.mul(r, constant(3)), f64x2.mul(r2, line(r, 4)));
    const middle = f64x2.add(line(r, 6), f64x2.mul(r2, line(r, 8)));
    const high = f64x2.add(line(r, 10), f64x2.mul(r2, line(r, 12)));
    const rest = f64x2.add(low, f64x2.mul(r4, f64x2.add(middle, f64x2.mul(r4, high))));
    const power = f64x2.add(constant(2), rest);
    // The lowest bits of `shifted`, moved to those of the exponent, multiply by 2^n.
    const scaled = i64x2.add(power, i64x2.shl(shifted, 52));
    v128.store(at, v128.and(scaled, f64x2.ge(x, constant(1))));
  }
}

/** Returns c[i] + c[i + 1] · r of the constants c. */
@inline
function line(r: v128, i: usize): v128 {
  return f64x2.add(constant(i), f64x2.mul(r, constant(i + 1)));
}

@inline
function constant(i: usize): v128 {
  return v128.load_splat<f64>(constants + (i << 3));
}
