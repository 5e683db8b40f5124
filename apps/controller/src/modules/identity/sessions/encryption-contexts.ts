export const refreshTokenContext = (sessionId: string) => `sessions/${sessionId}/refresh`;

export const signingKeyContext = (kid: string) => `signing-keys/${kid}`;
