/** Writes protocol buffers, as far as ONNX needs them: https://protobuf.dev/programming-guides/encoding */

/** One message: its fields one after another, in pieces. */
export class Message {
  readonly #pieces: Uint8Array[] = [];

  int(field: number, value: number): this {
    return this.#key(field, 0).#varint(value);
  }

  float(field: number, value: number): this {
    return this.#key(field, 5).#piece(new Uint8Array(Float32Array.of(value).buffer));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#key(field, 2).#varint(value.length).#piece(value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field: number, value: Message): this {
    this.#key(field, 2).#varint(value.length);
    for (const piece of value.#pieces) this.#pieces.push(piece);
    return this;
  }

  /** Whole numbers one after another. */
  ints(field: number, values: Iterable<number>): this {
    const packed = new Message();
    for (const value of values) packed.#varint(value);
    return this.message(field, packed);
  }

  floats(field: number, values: ArrayLike<number>): this {
    return this.bytes(field, new Uint8Array(Float32Array.from(values).buffer));
  }

  get length(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  finish(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  #key(field: number, wire: number): this {
    return this.#varint(field * 8 + wire);
  }

  /** Seven bits per byte, the lowest first; negative numbers as 64 bits of two's complement. */
  #varint(value: number): this {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    do {
      const low = Number(rest & 127n);
      rest >>= 7n;
      bytes.push(rest > 0n ? low | 128 : low);
    } while (rest > 0n);
    return this.#piece(Uint8Array.from(bytes));
  }

  #piece(bytes: Uint8Array): this {
    this.#pieces.push(bytes);
    return this;
  }
}
