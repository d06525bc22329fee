/** What a file is made of: text or bytes, whole or in pieces. */
export type Content =
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;
