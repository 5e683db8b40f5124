/** Descriptor of a worker process's pipe from its owner. Nothing is sent on it; it closes when the owner ends. */
export const OWNER_PIPE = 4;
