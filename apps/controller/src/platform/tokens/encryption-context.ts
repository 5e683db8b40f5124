/** The secret of a token that signs requests. */
export const tokenSecretContext = (id: string) => `token_secrets/${id}`;
