/** What each sealed value belongs to: it opens there and nowhere else. Whoever changes one makes what is stored unreadable. */
export const sealContexts = {
  answer: (actor: string, key: string) => `idempotency/${actor}/${key}`,
  /** Sealed, because a digest of a body with a short secret in it can be guessed. */
  bodyDigest: (actor: string, key: string) => `idempotency-body/${actor}/${key}`,
  certificateAuthority: () => 'certificate_authority',
  challenge: (hash: Buffer) => `challenge/${hash.toString('hex')}`,
  document: (documentId: string) => `documents/${documentId}`,
  installation: (name: string) => `installation/${name}`,
  /** A sign-in at a provider, in the cookie of the browser that began it. */
  signInFlow: () => 'sign-in-flow',
  /** Of a job or of a schedule that makes jobs. */
  jobParams: (id: string) => `job-params/${id}`,
  masterKey: (id: string) => `master_keys/${id}`,
  oneTimeSecret: (userId: string) => `otp/${userId}`,
  policyFile: (policyId: string, path: string) => `policies/${policyId}/files/${path}`,
  /** A refresh token of a provider, by which it is asked about a user. */
  providerGrant: (userId: string) => `provider_grants/${userId}`,
  refreshToken: (sessionId: string) => `sessions/${sessionId}/refresh`,
  serviceContent: (serviceId: string, clientId: string) => `service_targets/${serviceId}/${clientId}`,
  setting: (project: string | null, key: string, name: string) =>
    `settings/${project ?? 'installation'}/${key}/${name}`,
  signingKey: (kid: string) => `signing-keys/${kid}`,
  /** Of a token whose secret signs requests. */
  tokenSecret: (id: string) => `token_secrets/${id}`,
} as const;
