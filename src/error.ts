/** Why a call failed, for programs. The message says the same thing, for people. */
export type Code =
  | "bad-option"
  | "bad-data"
  | "bad-shape"
  | "no-labels"
  | "unknown-method"
  | "too-large"
  | "not-supported"
  | "cancelled"
  | "usage"
  | "write-failed";

/** The only error class this library throws on purpose; anything else is a bug in it. */
export class CrowdError extends Error {
  override readonly name = "CrowdError";
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
