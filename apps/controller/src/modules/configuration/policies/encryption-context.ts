export const policyFileContext = (policyId: string, path: string) => `policies/${policyId}/files/${path}`;
