export const installationContext = (name: string) => `installation/${name}`;

export const masterKeyContext = (id: string) => `master_keys/${id}`;
