export const answerContext = (actor: string, key: string) => `idempotency/${actor}/${key}`;

/** The digest of a body that holds a short secret can be guessed, so it is encrypted as well. */
export const bodyDigestContext = (actor: string, key: string) => `idempotency-body/${actor}/${key}`;
