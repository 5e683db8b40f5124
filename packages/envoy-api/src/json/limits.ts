/** Maximum nesting in C++ protobuf, from JSON and from the wire; Envoy would never accept deeper documents. */
export const MAX_DEPTH = 100;

/** More problems would not help, and a huge broken document must not fill memory with messages. */
export const MAX_VIOLATIONS = 200;

/** Number of problems with a suggestion. A person fixes the first few and checks again. */
export const MAX_HINTS = 10;

/**
 * Depth at which a walk ends. Far beyond what a check accepts, however the two count: a part that is accepted but not
 * walked would be hidden from everything that is based on walks (references, private parts, host access).
 */
export const MAX_WALK_DEPTH = 5 * MAX_DEPTH;
