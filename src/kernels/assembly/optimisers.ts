// Steps of the optimisers, in single precision, four numbers at once; n is a multiple of four.

/** One step of Adam. `decay` is added to the gradient; `shrink` multiplies the value first. */
export function adam(
  n: i32,
  values: usize,
  gradients: usize,
  first: usize,
  second: usize,
  rate: f32,
  beta1: f32,
  beta2: f32,
  epsilon: f32,
  decay: f32,
  shrink: f32,
  root: f32,
): void {
  const end = <usize>n << 2;
  const rates = f32x4.splat(rate);
  const keep1 = f32x4.splat(beta1);
  const take1 = f32x4.splat(1 - beta1);
  const keep2 = f32x4.splat(beta2);
  const take2 = f32x4.splat(1 - beta2);
  const floor = f32x4.splat(epsilon);
  const decays = f32x4.splat(decay);
  const shrinks = f32x4.splat(shrink);
  const roots = f32x4.splat(root);
  for (let at: usize = 0; at < end; at += 16) {
    let x = v128.load(values + at);
    const g = f32x4.add(v128.load(gradients + at), f32x4.mul(decays, x));
    const m = f32x4.add(f32x4.mul(keep1, v128.load(first + at)), f32x4.mul(take1, g));
    const v = f32x4.add(f32x4.mul(keep2, v128.load(second + at)), f32x4.mul(take2, f32x4.mul(g, g)));
    v128.store(first + at, m);
    v128.store(second + at, v);
    x = f32x4.mul(x, shrinks);
    const below = f32x4.add(f32x4.mul(f32x4.sqrt(v), roots), floor);
    v128.store(values + at, f32x4.sub(x, f32x4.div(f32x4.mul(rates, m), below)));
  }
}

/** One step of gradient descent with momentum. */
export function descend(
  n: i32,
  values: usize,
  gradients: usize,
  velocity: usize,
  rate: f32,
  momentum: f32,
  decay: f32,
  shrink: f32,
): void {
  const end = <usize>n << 2;
  const rates = f32x4.splat(rate);
  const keep = f32x4.splat(momentum);
  const decays = f32x4.splat(decay);
  const shrinks = f32x4.splat(shrink);
  for (let at: usize = 0; at < end; at += 16) {
    const x = v128.load(values + at);
    const g = f32x4.add(v128.load(gradients + at), f32x4.mul(decays, x));
    const v = f32x4.add(f32x4.mul(keep, v128.load(velocity + at)), g);
    v128.store(velocity + at, v);
    v128.store(values + at, f32x4.sub(f32x4.mul(x, shrinks), f32x4.mul(rates, v)));
  }
}

/**
 * Fills n numbers, a multiple of four, with `value` or 0: value where a random word is below `limit`.
 * Four streams of sfc32 side by side; state: i32[16], the words a, b, c and the counter of each.
 */
export function drop(n: i32, out: usize, limit: i32, value: f32, state: usize): void {
  let a = v128.load(state);
  let b = v128.load(state, 16);
  let c = v128.load(state, 32);
  let counter = v128.load(state, 48);
  const one = i32x4.splat(1);
  const limits = i32x4.splat(limit);
  const values = f32x4.splat(value);
  const end = out + (<usize>n << 2);
  for (let at = out; at < end; at += 16) {
    const sum = i32x4.add(i32x4.add(a, b), counter);
    counter = i32x4.add(counter, one);
    a = v128.xor(b, i32x4.shr_u(b, 9));
    b = i32x4.add(c, i32x4.shl(c, 3));
    c = i32x4.add(v128.or(i32x4.shl(c, 21), i32x4.shr_u(c, 11)), sum);
    v128.store(at, v128.and(i32x4.lt_u(sum, limits), values));
  }
  v128.store(state, a);
  v128.store(state, b, 16);
  v128.store(state, c, 32);
  v128.store(state, counter, 48);
}
